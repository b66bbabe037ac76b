import type { AddressCheck } from "../seam/address-check.ts";
import type { CarrierCall, LabelRequest } from "../seam/carrier.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { askUsps } from "./usps-request.ts";
import { addressOf } from "./usps-shipment.ts";

type Address = LabelRequest["to"];

export async function checkUspsAddress(call: CarrierCall, address: Address): Promise<AddressCheck> {
  if ((address.countryCode ?? "US").toUpperCase() !== "US")
    return { verdict: "unknown", residential: null, messages: ["USPS checks addresses in the United States only."] };
  const query = Object.fromEntries(
    Object.entries({ firm: address.company, ...addressOf(address, "recipient") }).flatMap(([name, value]) => {
      const text = asText(value);
      return text === undefined ? [] : [[name, text]];
    }),
  );
  const { body, faults } = await askUsps(call, { path: "/addresses/v3/address", query }, () => true);
  if (faults.length > 0)
    return { verdict: "invalid", residential: null, messages: faults.map(({ message }) => `USPS: ${message}`) };
  return readUspsAddress(body, address);
}

const verdicts: Record<string, string> = {
  D: "The apartment or suite number is missing.",
  S: "The apartment or suite number is not known to USPS.",
  N: "USPS does not deliver to this address.",
};

/** DPV is the delivery point: Y confirmed, D without its unit, S with an unknown unit, N unknown. */
export function readUspsAddress(body: Json, given: Address): AddressCheck {
  const info = asObject(body.additionalInfo);
  const business = asText(info.business);
  const residential = business === "Y" ? false : business === "N" ? true : null;
  const notes = asList(body.corrections).flatMap(({ text }) => asText(text) ?? []);
  const vacant = asText(info.vacant) === "Y" ? ["The address is vacant."] : [];
  const dpv = asText(info.DPVConfirmation);
  if (dpv === undefined) return { verdict: "unknown", residential, messages: notes };
  const problem = verdicts[dpv];
  if (problem !== undefined) return { verdict: "invalid", residential, messages: [problem, ...notes] };
  const found = foundOf(asObject(body.address), given);
  return fold(found) === fold(given)
    ? { verdict: "valid", residential, messages: vacant }
    : { verdict: "corrected", address: found, residential, messages: vacant };
}

function foundOf(found: Json, given: Address): Address {
  const { address2: _address2, ...kept } = given;
  const address2 = asText(found.secondaryAddress);
  const zip = [asText(found.ZIPCode), asText(found.ZIPPlus4)].filter((part) => part !== undefined).join("-");
  return {
    ...kept,
    address1: asText(found.streetAddress) ?? given.address1 ?? "",
    ...(address2 === undefined ? {} : { address2 }),
    city: asText(found.city) ?? given.city ?? "",
    provinceCode: asText(found.state) ?? given.provinceCode ?? "",
    zip: zip === "" ? (given.zip ?? "") : zip,
  };
}

/** Spelling in capitals and the extension of a ZIP are no corrections. */
function fold({ address1, address2, city, provinceCode, zip }: Address): string {
  const line = [address1, address2, city, provinceCode, zip?.replace(/-\d{4}$/, "")].filter(Boolean).join(" ");
  return line.toUpperCase().replaceAll(/[^A-Z0-9]+/g, " ");
}
