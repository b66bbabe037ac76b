import type { Static } from "typebox";
import { Nullable, OneOf } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { bodyCheck } from "../request-rules.ts";

const text = (maxLength = 200) => Type.Optional(Nullable(Type.String({ maxLength })));
const Anything = Type.Record(Type.String(), Type.Unknown());

const Address = Type.Object({
  id: Type.Optional(Nullable(Type.String())),
  postal_code: text(20),
  city: text(50),
  federal_tax_id: text(50),
  state_tax_id: text(50),
  person_name: text(100),
  company_name: text(100),
  country_code: Type.String({ pattern: "^[A-Z]{2}$" }),
  email: text(),
  phone_number: text(50),
  state_code: text(50),
  residential: Type.Optional(Nullable(Type.Boolean())),
  street_number: text(100),
  address_line1: text(100),
  address_line2: text(100),
  validate_location: Type.Optional(Nullable(Type.Boolean())),
});
export type KarrioAddress = Static<typeof Address>;

const side = Type.Optional(Nullable(Type.Number()));
const Parcel = Type.Object({
  weight: Type.Number({ exclusiveMinimum: 0 }),
  weight_unit: OneOf(["KG", "LB", "OZ", "G"]),
  width: side,
  height: side,
  length: side,
  dimension_unit: Type.Optional(Nullable(OneOf(["CM", "IN"]))),
  packaging_type: text(100),
  package_preset: text(100),
  description: text(250),
  content: text(100),
  is_document: Type.Optional(Nullable(Type.Boolean())),
  reference_number: text(100),
  freight_class: text(6),
  options: Type.Optional(Anything),
});
export type KarrioParcel = Static<typeof Parcel>;

const Payment = Type.Object({
  paid_by: Type.Optional(OneOf(["sender", "recipient", "third_party"])),
  currency: text(3),
  account_number: text(),
});
const labelType = Type.Optional(OneOf(["PDF", "ZPL", "PNG"]));
const rated = {
  shipper: Address,
  recipient: Address,
  return_address: Type.Optional(Nullable(Address)),
  billing_address: Type.Optional(Nullable(Address)),
  parcels: Type.Array(Parcel, { minItems: 1 }),
  services: Type.Optional(Type.Array(Type.String())),
  options: Type.Optional(Anything),
  payment: Type.Optional(Payment),
  customs: Type.Optional(Nullable(Type.Object({ commodities: Type.Array(Anything, { minItems: 1 }) }))),
  reference: text(100),
  carrier_ids: Type.Optional(Type.Array(Type.String())),
  is_return: Type.Optional(Type.Boolean()),
};
const Rated = Type.Object(rated);
export type KarrioRated = Static<typeof Rated>;
export const checkRates = bodyCheck(Rated);
const ShipmentBody = Type.Object({
  ...rated,
  order_id: text(50),
  label_type: labelType,
  service: Type.Optional(Type.String()),
  metadata: Type.Optional(Anything),
});
export type ShipmentBody = Static<typeof ShipmentBody>;
export const checkShipment = bodyCheck(ShipmentBody);
const PurchaseBody = Type.Object({
  selected_rate_id: text(),
  service: text(),
  label_type: labelType,
  payment: Type.Optional(Payment),
  reference: text(),
  metadata: Type.Optional(Anything),
});
export type PurchaseBody = Static<typeof PurchaseBody>;
export const checkPurchase = bodyCheck(PurchaseBody);
export const checkTracker = bodyCheck(
  Type.Object({
    tracking_number: Type.String({ minLength: 1 }),
    carrier_name: OneOf(["ups", "usps", "fedex", "dhl_express", "canadapost"]),
    account_number: text(),
    reference: text(),
    metadata: Type.Optional(Anything),
  }),
);
export const checkPickup = bodyCheck(
  Type.Object({
    carrier_code: text(),
    pickup_date: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
    ready_time: Type.String({ pattern: "^\\d{2}:\\d{2}$" }),
    closing_time: Type.String({ pattern: "^\\d{2}:\\d{2}$" }),
    address: Type.Optional(Nullable(Address)),
    parcels_count: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
    instruction: text(50),
    package_location: text(50),
    pickup_type: Type.Optional(OneOf(["one_time", "daily", "recurring"])),
    options: Type.Optional(Nullable(Anything)),
    tracking_numbers: Type.Optional(Type.Array(Type.String())),
    metadata: Type.Optional(Anything),
  }),
);
export const checkManifest = bodyCheck(
  Type.Object({
    carrier_name: Type.String(),
    address: Address,
    options: Type.Optional(Anything),
    reference: text(),
    shipment_ids: Type.Array(Type.String(), { minItems: 1 }),
  }),
);
const events = [
  "all",
  "shipment_purchased",
  "shipment_cancelled",
  "shipment_fulfilled",
  "shipment_out_for_delivery",
  "shipment_needs_attention",
  "shipment_delivery_failed",
  "tracker_created",
  "tracker_updated",
  "pickup_scheduled",
  "pickup_cancelled",
  "pickup_closed",
] as const;
export const checkWebhook = bodyCheck(
  Type.Object({
    url: Type.String({ pattern: "^https?://" }),
    description: text(),
    enabled_events: Type.Array(OneOf(events), { minItems: 1 }),
    disabled: Type.Optional(Nullable(Type.Boolean())),
  }),
);
export const checkLogin = bodyCheck(Type.Object({ email: Type.String(), password: Type.String() }));
export const checkRefresh = bodyCheck(Type.Object({ refresh: Type.String() }));
