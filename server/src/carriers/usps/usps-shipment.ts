import type { LabelRequest, RateRequest } from "../seam/carrier.ts";
import { countryOf, phoneDigits, streetLines } from "../seam/address-lines.ts";
import { InvalidInput } from "../seam/invalid-input.ts";
import { inchesOf, poundsOf } from "../seam/measures.ts";
import { insuredValues, notSupported } from "../seam/option-checks.ts";
import { asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { OneOf, Strict, Type } from "../seam/schema.ts";
import type { Customs, Parcel } from "../seam/ship-options.ts";

type Shipment = LabelRequest | RateRequest;
type Address = LabelRequest["from"];

export const uspsExtraOptions = Strict({
  rateIndicator: Type.Optional(
    Type.String({
      title: "Rate indicator",
      pattern: "^[A-Z0-9]{2}$",
      description: "How USPS prices the parcel, such as CP for cubic. Default: by packaging and size",
    }),
  ),
  processingCategory: Type.Optional(
    OneOf(["MACHINABLE", "NONSTANDARD", "FLATS", "LETTERS"], {
      title: "Processing category",
      description: "Default: by size and weight",
    }),
  ),
  carrierRelease: Type.Optional(
    Type.Boolean({ title: "Carrier release", description: "The carrier may leave the parcel if no one is there" }),
  ),
  ignoreBadAddress: Type.Optional(
    Type.Boolean({ title: "Ship to unchecked addresses", description: "USPS does not check the recipient's address" }),
  ),
});

export const domestic: ReadonlySet<string> = new Set(["US", "PR", "VI", "GU", "AS", "MP", "UM", "PW", "FM", "MH"]);

/** Refuses what USPS does not offer: several parcels in a shipment, other payers, addresses abroad. */
export function onlyParcel({ from, to, parcels, options }: Shipment): Parcel {
  const [parcel, ...further] = parcels;
  if (!parcel || further.length > 0)
    throw notSupported("USPS", "several parcels in a shipment", "Create a shipment for each parcel.");
  if (!domestic.has(countryOf(from, "sender")) || !domestic.has(countryOf(to, "recipient")))
    throw notSupported("USPS", "international shipments with this account", "Use an account of another carrier.");
  if (options.billTo) throw notSupported("USPS", "billTo", "USPS charges your own account.");
  if (options.saturdayDelivery === true)
    throw notSupported("USPS", "saturdayDelivery", "USPS delivers on Saturdays anyway: leave it out.");
  return parcel;
}

/** Weight in pounds and sides in inches, the longest first. */
export function measuresOf({ weight, dimensions }: Parcel): Record<"weight" | "length" | "width" | "height", number> {
  if (!dimensions)
    throw new InvalidInput(
      "rejected",
      "The dimensions of the parcel are missing. USPS requires length, width and height.",
      [{ part: "parcel", name: "dimensions", code: "required" }],
    );
  const [length = 0, width = 0, height = 0] = inchesOf(dimensions).toSorted((a, b) => b - a);
  return { weight: poundsOf(weight), length, width, height };
}

const machinable = { length: 22, pounds: 25 };
const cubicFoot = 1728;

/** How USPS sorts and prices the parcel: as the quote said, as the user says, or by packaging and size. */
export function ratingOf(request: Shipment, parcel: Parcel, service: string): Json {
  const extra = asObject(request.options.extra);
  const quote = "quote" in request ? asObject(request.quote) : {};
  const { weight, length, width, height } = measuresOf(parcel);
  const isLarge = length * width * height > cubicFoot;
  const bySize = service === "PRIORITY_MAIL_EXPRESS" ? "PA" : isLarge ? "DR" : "SP";
  const isMachinable = length <= machinable.length && weight <= machinable.pounds;
  return {
    rateIndicator: asText(extra.rateIndicator) ?? asText(quote.rateIndicator) ?? parcel.packaging ?? bySize,
    processingCategory:
      asText(extra.processingCategory) ??
      asText(quote.processingCategory) ??
      (isMachinable ? "MACHINABLE" : "NONSTANDARD"),
  };
}

/** Codes of USPS for signature and insurance. */
export function extraServicesOf(request: Shipment, service: string | undefined): { codes: number[]; value?: number } {
  const { signature } = request.options;
  const [insured] = insuredValues(request.parcels, request.options);
  if (insured && insured.currency !== "USD")
    throw notSupported("USPS", `insurance in ${insured.currency}`, "Insure in USD.");
  const isExpress = service === "PRIORITY_MAIL_EXPRESS";
  const signed = signature === "adult_signature" ? [922] : signature === "signature" ? [isExpress ? 981 : 921] : [];
  if (!insured) return { codes: signed };
  const code = isExpress ? 925 : insured.amount > 500 ? 931 : 930;
  return { codes: [...signed, code], value: insured.amount };
}

export function addressOf(address: Address, whose: string): Json {
  const [streetAddress, ...secondary] = streetLines("USPS", address, { lines: 2, characters: 50, whose });
  const [ZIPCode = "", ZIPPlus4] = (address.zip ?? "").split("-");
  return {
    streetAddress,
    ...(secondary.length === 0 ? {} : { secondaryAddress: secondary.join(", ") }),
    city: address.city?.trim() ?? "",
    state: address.provinceCode?.toUpperCase() ?? "",
    ZIPCode,
    ...(ZIPPlus4 === undefined ? {} : { ZIPPlus4 }),
  };
}

/** First and last name, or the company: USPS wants one of them. */
export function namesOf({ name, company }: Address): Json {
  const words = (name ?? "")
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
  const lastName = words.length > 1 ? words.at(-1) : words[0];
  const firstName = words.length > 1 ? words.slice(0, -1).join(" ") : words[0];
  return {
    ...(firstName === undefined ? {} : { firstName: firstName.slice(0, 50) }),
    ...(lastName === undefined ? {} : { lastName: lastName.slice(0, 50) }),
    ...(company === undefined ? {} : { firm: company.slice(0, 50) }),
  };
}

export function partyOf(address: Address, whose: string): Json {
  const phone = phoneDigits(address.phone)?.slice(0, 10);
  return {
    ...namesOf(address),
    ...addressOf(address, whose),
    ...(phone === undefined ? {} : { phone }),
    ...(address.email === undefined ? {} : { email: address.email }),
  };
}

const contents: Record<Customs["contents"], string> = {
  merchandise: "MERCHANDISE",
  gift: "GIFT",
  documents: "DOCUMENT",
  sample: "COMMERCIAL_SAMPLE",
  returned_goods: "RETURNED_GOODS",
  other: "OTHER",
};

/** For military addresses and territories: they are domestic, and need a customs form all the same. */
export function customsFormOf(customs: Customs): Json {
  const foreign = customs.items.find(({ value }) => value.currency !== "USD");
  if (foreign) throw notSupported("USPS", `customs values in ${foreign.value.currency}`, "Use USD.");
  if (customs.incoterm === "DDP") throw notSupported("USPS", "customs.incoterm DDP", "The recipient pays duties.");
  if (customs.signer !== undefined) throw notSupported("USPS", "customs.signer", "The sender signs the declaration.");
  const taxIdOf = (wanted: "sender" | "receiver"): string | undefined =>
    customs.taxIds?.find(({ party = "sender" }) => party === wanted)?.number.slice(0, 40);
  const [exportersReference, importersReference] = [taxIdOf("sender"), taxIdOf("receiver")];
  return {
    customsContentType: contents[customs.contents],
    ...(customs.explanation === undefined ? {} : { contentComments: customs.explanation }),
    ...(customs.exemption === undefined ? {} : { AESITN: customs.exemption }),
    ...(exportersReference === undefined ? {} : { exportersReference }),
    ...(importersReference === undefined ? {} : { importersReference }),
    contents: customs.items.map((item) => ({
      itemDescription: item.description,
      itemQuantity: item.quantity,
      itemTotalValue: Math.round(item.value.amount * 100 * item.quantity) / 100,
      weightUOM: "lb",
      itemTotalWeight: poundsOf({ value: item.weight.value * item.quantity, unit: item.weight.unit }),
      ...(item.hsCode === undefined ? {} : { HSTariffNumber: item.hsCode }),
      ...(item.originCountryCode === undefined ? {} : { countryofOrigin: item.originCountryCode }),
    })),
  };
}
