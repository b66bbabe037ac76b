import { countryOf, phoneDigits, streetLines } from "../seam/address-lines.ts";
import type { LabelRequest, RateRequest, Settings } from "../seam/carrier.ts";
import type { Json } from "../seam/read.ts";

type Address = LabelRequest["from"];
type Shipment = Pick<LabelRequest | RateRequest, "from" | "to" | "options">;

type Purpose = "label" | "quote";

/** Shipper, ShipFrom and ShipTo. A return is billed to the shop, which receives it: the shop is the shipper all the same. */
export function partiesOf({ from, to, options }: Shipment, settings: Settings, purpose: Purpose): Json {
  const shop = options.isReturn === true ? to : from;
  const shipper = partyOf(shop, options.isReturn === true ? "recipient" : "sender", purpose);
  const signer = options.customs?.signer;
  const recipient = partyOf(to, "recipient", purpose);
  return {
    Shipper: {
      ...shipper,
      ...(signer === undefined ? {} : { AttentionName: signer.slice(0, 35) }),
      ShipperNumber: String(settings.accountNumber),
    },
    ShipFrom: partyOf(from, "sender", purpose),
    ShipTo: {
      ...recipient,
      // A flag counts by its presence, whatever its value.
      Address: { ...recipient.Address, ...(options.residential === true ? { ResidentialAddressIndicator: "" } : {}) },
    },
  };
}

export type UpsParty = Json & { Address: Json };

/**
 * Quotes need no street and no name: a price is often asked for before there is an order. They have no place for phone numbers and
 * mail addresses.
 */
export function partyOf(address: Address, whose: string, purpose: Purpose): UpsParty {
  const name = address.company ?? address.name ?? "";
  const phone = purpose === "label" ? phoneDigits(address.phone) : undefined;
  const email = purpose === "label" ? address.email : undefined;
  const city = address.city?.trim() ?? "";
  const isBare = purpose === "quote" && !address.address1?.trim() && !address.address2?.trim();
  return {
    ...(name === "" ? {} : { Name: name.slice(0, 35), AttentionName: (address.name ?? name).slice(0, 35) }),
    ...(phone === undefined ? {} : { Phone: { Number: phone } }),
    ...(email === undefined ? {} : { EMailAddress: email.slice(0, 50) }),
    Address: {
      ...(isBare ? {} : { AddressLine: streetLines("UPS", address, { lines: 3, characters: 35, whose }) }),
      ...(city === "" ? {} : { City: city }),
      ...(address.provinceCode === undefined ? {} : { StateProvinceCode: address.provinceCode.toUpperCase() }),
      ...(address.zip === undefined ? {} : { PostalCode: address.zip.replaceAll(/[\s-]/g, "") }),
      CountryCode: countryOf(address, whose),
    },
  };
}

const ownCountries = new Set(["US", "PR"]);

/** UPS takes references and signatures per package within the US and Puerto Rico, elsewhere per shipment. */
export function isDomestic({ from, to }: Pick<Shipment, "from" | "to">): boolean {
  const origin = countryOf(from, "sender");
  const destination = countryOf(to, "recipient");
  return ownCountries.has(origin) && ownCountries.has(destination);
}

/** Where UPS expects pounds and inches; elsewhere it takes kilograms and centimeters only. */
export function usesPounds(address: Address): boolean {
  return ["US", "PR", "CA", "DO"].includes(countryOf(address, "sender"));
}
