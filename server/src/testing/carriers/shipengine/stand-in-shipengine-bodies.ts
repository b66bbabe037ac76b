import type { Static } from "typebox";
import { Nullable, OneOf } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { bodyCheck } from "../request-rules.ts";

const Text = Type.String({ minLength: 1 });
const text = Type.Optional(Nullable(Type.String()));
const SeId = Type.String({ minLength: 1, maxLength: 25, pattern: "^se(-[a-z0-9]+)+$" });
const DateTime = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[-+]\\d{2}:\\d{2})$" });
const Country = Type.String({ minLength: 2, maxLength: 2 });
const residential = Type.Optional(OneOf(["unknown", "yes", "no"]));

const addressFields = {
  name: Text,
  email: text,
  company_name: text,
  address_line1: Text,
  address_line2: text,
  address_line3: text,
  city_locality: Text,
  state_province: Text,
  postal_code: Text,
  country_code: Country,
  address_residential_indicator: residential,
  instructions: text,
};
const Recipient = Type.Object({ ...addressFields, phone: text });
/** Unlike the recipient, the sender needs a phone number. */
const Sender = Type.Object({ ...addressFields, phone: Text });
export type SeAddress = Static<typeof Recipient>;

const Weight = Type.Object({
  value: Type.Number({ exclusiveMinimum: 0 }),
  unit: OneOf(["pound", "ounce", "gram", "kilogram"]),
});
export type SeWeight = Static<typeof Weight>;
const Money = Type.Object({ currency: Text, amount: Type.Number() });
const reference = Type.Optional(Nullable(Type.String()));
const Package = Type.Object({
  package_code: Type.Optional(Type.String({ pattern: "^[a-z0-9]+(_[a-z0-9]+)*$", maxLength: 50 })),
  weight: Weight,
  dimensions: Type.Optional(
    Type.Object({
      unit: OneOf(["inch", "centimeter"]),
      length: Type.Number(),
      width: Type.Number(),
      height: Type.Number(),
    }),
  ),
  insured_value: Type.Optional(Money),
  label_messages: Type.Optional(Type.Object({ reference1: reference, reference2: reference, reference3: reference })),
  external_package_id: text,
  content_description: Type.Optional(Nullable(Type.String({ maxLength: 35 }))),
});
export type SePackage = Static<typeof Package>;

const Customs = Type.Object({
  contents: OneOf(["merchandise", "documents", "gift", "returned_goods", "sample", "other"]),
  non_delivery: OneOf(["return_to_sender", "treat_as_abandoned"]),
  customs_items: Type.Optional(
    Type.Array(
      Type.Object({
        description: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
        quantity: Type.Integer(),
        value: Type.Optional(Type.Union([Type.Number(), Money])),
        country_of_origin: Type.Optional(Country),
        harmonized_tariff_code: text,
      }),
    ),
  ),
});
const confirmations = [
  "none",
  "delivery",
  "signature",
  "adult_signature",
  "direct_signature",
  "delivery_mailed",
  "verbal_confirmation",
  "delivery_code",
  "age_verification_16_plus",
] as const;

const shipmentFields = {
  external_order_id: text,
  external_shipment_id: Type.Optional(Nullable(Type.String({ maxLength: 50 }))),
  shipment_number: Type.Optional(Nullable(Type.String({ maxLength: 50 }))),
  ship_date: Type.Optional(
    Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[-+]\\d{2}:\\d{2}))?$" }),
  ),
  ship_to: Recipient,
  ship_from: Type.Optional(Sender),
  warehouse_id: Type.Optional(Nullable(SeId)),
  return_to: Type.Optional(Recipient),
  confirmation: Type.Optional(OneOf(confirmations)),
  customs: Type.Optional(Nullable(Customs)),
  advanced_options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  insurance_provider: Type.Optional(OneOf(["none", "shipsurance", "carrier", "third_party"])),
  packages: Type.Array(Package, { minItems: 1 }),
  comparison_rate_type: text,
};
const RatedShipment = Type.Object(shipmentFields);
export type RatedShipment = Static<typeof RatedShipment>;

export const checkRates = bodyCheck(
  Type.Object({
    rate_options: Type.Object({
      carrier_ids: Type.Array(SeId, { minItems: 1 }),
      service_codes: Type.Optional(Type.Array(Text)),
      package_types: Type.Optional(Type.Array(Text)),
      calculate_tax_amount: Type.Optional(Type.Boolean()),
      preferred_currency: text,
    }),
    shipment_id: Type.Optional(SeId),
    shipment: Type.Optional(RatedShipment),
  }),
);

const labelOptions = {
  validate_address: Type.Optional(OneOf(["no_validation", "validate_only", "validate_and_clean"])),
  label_download_type: Type.Optional(OneOf(["url", "inline"])),
  label_format: Type.Optional(OneOf(["pdf", "png", "zpl"])),
  label_layout: Type.Optional(OneOf(["4x6", "letter", "A4", "A6"])),
};
const LabelOptions = Type.Object(labelOptions);
export type LabelOptions = Static<typeof LabelOptions>;
export const checkLabelOptions = bodyCheck(LabelOptions);
export const checkLabel = bodyCheck(
  Type.Object({
    ...labelOptions,
    test_label: Type.Optional(Type.Boolean()),
    is_return_label: Type.Optional(Type.Boolean()),
    rma_number: text,
    charge_event: Type.Optional(OneOf(["carrier_default", "on_creation", "on_carrier_acceptance"])),
    shipment: Type.Object({ ...shipmentFields, carrier_id: SeId, service_code: Text }),
  }),
);
export const checkAddresses = bodyCheck(
  Type.Array(
    Type.Object({
      ...addressFields,
      name: Type.Optional(Nullable(Type.String())),
      phone: text,
      postal_code: Type.Optional(Nullable(Type.String())),
    }),
    { minItems: 1 },
  ),
);
export const checkPickup = bodyCheck(
  Type.Object({
    label_ids: Type.Array(SeId, { minItems: 1 }),
    contact_details: Type.Object({
      name: Text,
      email: Type.String({ pattern: "^[^@\\s]+@[^@\\s]+$" }),
      phone: Type.String({ minLength: 7 }),
    }),
    pickup_notes: text,
    pickup_window: Type.Object({ start_at: DateTime, end_at: DateTime }),
  }),
);
export const checkManifest = bodyCheck(
  Type.Union([
    Type.Object({ label_ids: Type.Array(SeId, { minItems: 1 }) }),
    Type.Object({
      carrier_id: SeId,
      warehouse_id: SeId,
      ship_date: Text,
      excluded_label_ids: Type.Optional(Type.Array(SeId)),
    }),
  ]),
);
export const checkWebhook = bodyCheck(
  Type.Object({
    event: OneOf([
      "batch",
      "carrier_connected",
      "order_source_refresh_complete",
      "rate",
      "report_complete",
      "sales_orders_imported",
      "track",
    ]),
    url: Type.String({ pattern: "^https?://" }),
    headers: Type.Optional(Type.Array(Type.Object({ key: Text, value: Type.String() }))),
    name: Type.Optional(Type.String()),
  }),
);
