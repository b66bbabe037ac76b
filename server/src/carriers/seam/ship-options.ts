import type { Static } from "typebox";
import { linePattern, Nullable, OneOf, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { Dimensions, Weight } from "../../core/weight.ts";

const Line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: linePattern, description });
const CountryCode = Type.String({ pattern: "^[A-Z]{2}$", description: "ISO 3166, such as US" });

export const Amount = Strict({
  amount: Type.Number({ minimum: 0, maximum: 1_000_000 }),
  currency: Type.String({ pattern: "^[A-Z]{3}$", description: "ISO 4217, such as USD" }),
});
export type Amount = Static<typeof Amount>;

export const labelFormats = ["pdf", "png", "zpl"] as const;
export const labelSizes = ["4x6", "letter", "a4", "a6"] as const;

const CustomsItem = Strict({
  description: Line(100, "What it is, in words a customs officer understands"),
  quantity: Type.Integer({ minimum: 1, maximum: 100_000 }),
  value: { ...Amount, description: "Of one piece" },
  weight: { ...Weight, description: "Of one piece" },
  hsCode: Type.Optional(Type.String({ pattern: "^\\d{4,10}$", description: "Harmonized tariff number" })),
  originCountryCode: Type.Optional(CountryCode),
});

const Customs = Strict({
  contents: OneOf(["merchandise", "gift", "documents", "sample", "returned_goods", "other"]),
  explanation: Type.Optional(Line(100, "Required for `other`")),
  incoterm: Type.Optional(OneOf(["DAP", "DDP", "DDU"])),
  nonDelivery: Type.Optional(OneOf(["return", "abandon"], { description: "Default: return" })),
  signer: Type.Optional(Line(100, "Who certifies the declaration. Default: the sender")),
  exemption: Type.Optional(Line(50, "Reason for no export filing, such as NOEEI 30.37(a)")),
  taxIds: Type.Optional(
    Type.Array(
      Strict({
        type: OneOf(["EIN", "EORI", "IOSS", "VAT"]),
        number: Line(50, "As issued"),
        countryCode: CountryCode,
        party: Type.Optional(OneOf(["sender", "receiver"], { description: "Default: sender" })),
      }),
      { maxItems: 5 },
    ),
  ),
  items: Type.Array(CustomsItem, { minItems: 1, maxItems: 100 }),
});
export type Customs = Static<typeof Customs>;

/** How a parcel travels, beyond service, addresses and weight. Each carrier rejects what it does not offer. */
export const ShipOptions = Strict({
  residential: Type.Optional(
    Nullable(
      Type.Boolean({ description: "Null: unknown. Default: as the address check found it, else as the order says" }),
    ),
  ),
  signature: Type.Optional(OneOf(["none", "signature", "adult_signature"])),
  saturdayDelivery: Type.Optional(Type.Boolean()),
  insuredValue: Type.Optional({ ...Amount, description: "Insured or declared value of the shipment" }),
  billTo: Type.Optional(
    Strict(
      {
        party: OneOf(["receiver", "third_party"]),
        account: Line(50, "Account number at the carrier"),
        countryCode: Type.Optional(CountryCode),
        zip: Type.Optional(Line(20, "Postal code of the account")),
      },
      { description: "Default: the sender's account" },
    ),
  ),
  customs: Type.Optional(Customs),
  isReturn: Type.Optional(Type.Boolean({ description: "A label for the way back: `from` is the customer" })),
  references: Type.Optional(Type.Array(Line(35, "Printed on the label where the carrier allows it"), { maxItems: 2 })),
  label: Type.Optional(
    Strict({
      format: Type.Optional(OneOf(labelFormats, { description: "Default: that of the account" })),
      size: Type.Optional(OneOf(labelSizes, { description: "Default: 4x6" })),
    }),
  ),
  extra: Type.Optional(
    Type.Record(Type.String({ maxLength: 50 }), Type.Unknown(), {
      maxProperties: 30,
      description: "What only this carrier offers; see `extraOptions` of GET /carrier-accounts/carriers",
    }),
  ),
});
export type ShipOptions = Static<typeof ShipOptions>;

export const Parcel = Strict({
  weight: Weight,
  dimensions: Type.Optional(Dimensions),
  packaging: Type.Optional(Line(50, "The carrier's own packaging, by its code. Default: your own box")),
  reference: Type.Optional(Line(35, "Printed on the label of this parcel")),
  insuredValue: Type.Optional(Amount),
});
export type Parcel = Static<typeof Parcel>;
