import type { Static } from "typebox";
import { Nullable, OneOf } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { bodyCheck } from "../request-rules.ts";

const text = Type.Optional(Nullable(Type.String({ maxLength: 200 })));
const ById = Type.Object({ id: Type.String() });

const AddressBody = Type.Object({
  id: Type.Optional(Type.String()),
  name: text,
  company: text,
  street1: text,
  street2: text,
  city: text,
  state: text,
  zip: text,
  country: Type.Optional(Nullable(Type.String({ minLength: 2, maxLength: 2 }))),
  phone: text,
  email: text,
  residential: Type.Optional(Nullable(Type.Boolean())),
  federal_tax_id: text,
  state_tax_id: text,
});
/** An address, its id, or an object with its id. */
const AddressRef = Type.Union([Type.String({ pattern: "^adr_" }), AddressBody]);
export type AddressRef = Static<typeof AddressRef>;
export type AddressBody = Static<typeof AddressBody>;

const side = Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0 })));
/** Inches and ounces, as numbers. All three sides or none. */
const ParcelBody = Type.Object(
  {
    length: side,
    width: side,
    height: side,
    weight: Type.Number({ exclusiveMinimum: 0 }),
    predefined_package: text,
  },
  {
    dependencies: { length: ["width", "height"], width: ["length", "height"], height: ["length", "width"] },
  },
);
export type ParcelBody = Static<typeof ParcelBody>;

const CustomsItemBody = Type.Object({
  description: Type.String({ minLength: 1 }),
  quantity: Type.Number({ exclusiveMinimum: 0 }),
  value: Type.Union([Type.Number(), Type.String({ pattern: "^\\d+(\\.\\d+)?$" })]),
  weight: Type.Number({ exclusiveMinimum: 0 }),
  hs_tariff_number: text,
  origin_country: Type.String({ minLength: 2, maxLength: 2 }),
  code: text,
  currency: text,
});
const CustomsInfoBody = Type.Object({
  customs_items: Type.Array(CustomsItemBody, { minItems: 1 }),
  contents_type: Type.Optional(
    OneOf([
      "documents",
      "gift",
      "merchandise",
      "returned_goods",
      "sample",
      "dangerous_goods",
      "humanitarian_donation",
      "other",
    ]),
  ),
  contents_explanation: text,
  customs_certify: Type.Optional(Type.Boolean()),
  customs_signer: text,
  eel_pfc: text,
  non_delivery_option: Type.Optional(OneOf(["abandon", "return"])),
  restriction_type: Type.Optional(OneOf(["none", "other", "quarantine", "sanitary_phytosanitary_inspection"])),
  restriction_comments: text,
  declaration: text,
});
export type CustomsInfoBody = Static<typeof CustomsInfoBody>;

const Options = Type.Object({
  label_format: Type.Optional(OneOf(["PNG", "PDF", "ZPL", "EPL2"])),
  label_size: text,
  label_date: text,
  date_advance: Type.Optional(Type.Integer()),
  delivery_confirmation: text,
  saturday_delivery: Type.Optional(Type.Boolean()),
  print_custom_1: text,
  print_custom_2: text,
  print_custom_3: text,
  payment: Type.Optional(
    Type.Object({
      type: OneOf(["SENDER", "RECEIVER", "THIRD_PARTY", "COLLECT"]),
      account: text,
      country: text,
      postal_code: text,
    }),
  ),
});

const AccountIds = Type.Optional(Nullable(Type.Array(Type.String({ pattern: "^ca_" }), { maxItems: 60 })));
const ShipmentBody = Type.Object({
  to_address: AddressRef,
  from_address: AddressRef,
  return_address: Type.Optional(AddressRef),
  buyer_address: Type.Optional(AddressRef),
  parcel: ParcelBody,
  customs_info: Type.Optional(Nullable(CustomsInfoBody)),
  options: Type.Optional(Nullable(Options)),
  reference: text,
  carrier_accounts: AccountIds,
  service: text,
  is_return: Type.Optional(Type.Boolean()),
  insurance: Type.Optional(Nullable(Type.Union([Type.Number(), Type.String()]))),
});

const amount = Type.Optional(
  Nullable(Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: "^\\d+(\\.\\d+)?$" })])),
);
const ShipmentRef = Type.Union([Type.String({ pattern: "^shp_" }), ById]);
export type ShipmentRef = Static<typeof ShipmentRef>;

export const checkShipment = bodyCheck(Type.Object({ shipment: ShipmentBody }));
export const checkBuy = bodyCheck(Type.Object({ rate: ById, insurance: amount, end_shipper_id: text }));
export const checkRefunds = bodyCheck(
  Type.Object({
    refund: Type.Object({ carrier: Type.String(), tracking_codes: Type.Array(Type.String(), { minItems: 1 }) }),
  }),
);
export const checkOrder = bodyCheck(
  Type.Object({
    order: Type.Object({
      to_address: AddressRef,
      from_address: AddressRef,
      shipments: Type.Array(
        Type.Object({
          parcel: ParcelBody,
          reference: text,
          options: Type.Optional(Nullable(Options)),
          customs_info: Type.Optional(Nullable(CustomsInfoBody)),
        }),
        { minItems: 1 },
      ),
      carrier_accounts: Type.Optional(Nullable(Type.Array(ById))),
      customs_info: Type.Optional(Nullable(CustomsInfoBody)),
      reference: text,
      options: Type.Optional(Nullable(Options)),
    }),
  }),
);
export const checkCarrierService = bodyCheck(Type.Object({ carrier: Type.String(), service: Type.String() }));
const verify = Type.Optional(Type.Union([Type.Boolean(), Type.Array(Type.String())]));
export const checkAddress = bodyCheck(Type.Object({ address: AddressBody, verify, verify_strict: verify }));
export const checkTracker = bodyCheck(
  Type.Object({ tracker: Type.Object({ tracking_code: Type.String({ minLength: 1 }), carrier: text }) }),
);
export const checkTrackerBatch = bodyCheck(
  Type.Object({ tracking_codes: Type.Array(Type.String(), { minItems: 1, maxItems: 100 }) }),
);
export const checkPickup = bodyCheck(
  Type.Object({
    pickup: Type.Object({
      address: AddressRef,
      shipment: Type.Optional(Nullable(ShipmentRef)),
      batch: Type.Optional(Nullable(ById)),
      min_datetime: Type.String(),
      max_datetime: Type.String(),
      instructions: text,
      is_account_address: Type.Optional(Nullable(Type.Boolean())),
      reference: text,
      carrier_accounts: Type.Optional(Nullable(Type.Array(Type.Union([Type.String(), ById])))),
    }),
  }),
);
export const checkBatch = bodyCheck(
  Type.Object({ batch: Type.Object({ shipments: Type.Array(ShipmentRef, { minItems: 1 }) }) }),
);
export const checkScanForm = bodyCheck(
  Type.Object({ scan_form: Type.Object({ shipments: Type.Array(ShipmentRef, { minItems: 1 }) }) }),
);
const CustomHeader = Type.Object({ name: Type.String(), value: Type.String() });
export const checkWebhook = bodyCheck(
  Type.Object({
    webhook: Type.Object({
      url: Type.String({ pattern: "^https?://" }),
      webhook_secret: text,
      custom_headers: Type.Optional(Type.Array(CustomHeader)),
    }),
  }),
);
