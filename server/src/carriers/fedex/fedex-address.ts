import type { AddressCheck } from "../seam/address-check.ts";
import type { CarrierCall, LabelRequest } from "../seam/carrier.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { askFedex } from "./fedex-request.ts";
import { addressOf } from "./fedex-shipment.ts";

type Address = LabelRequest["to"];

export async function checkFedexAddress(call: CarrierCall, address: Address): Promise<AddressCheck> {
  const json = { addressesToValidate: [{ address: addressOf(address, "recipient") }] };
  const request = { method: "POST", path: "/address/v1/addresses/resolve", json, retry: "safe" } as const;
  const { output, faults } = await askFedex(call, request, ({ code }) => code === "STANDARDIZED.ADDRESS.NOTFOUND");
  if (faults.length > 0)
    return { verdict: "invalid", residential: null, messages: ["FedEx does not know this address."] };
  return readFedexAddress(output, address);
}

export function readFedexAddress(output: Json, given: Address): AddressCheck {
  const [resolved] = asList(output.resolvedAddresses);
  if (!resolved) return { verdict: "unknown", residential: null, messages: [] };
  const attributes = asObject(resolved.attributes);
  const residential = residentialOf(asText(resolved.classification));
  const messages = [
    ...(isTrue(attributes.SuiteRequiredButMissing) ? ["The apartment or suite number is missing."] : []),
    ...(isTrue(attributes.InvalidSuiteNumber) ? ["The apartment or suite number is not valid."] : []),
    ...asList(resolved.customerMessages).flatMap(({ message }) => asText(message) ?? []),
  ];
  if (isFalse(attributes.CountrySupported)) return { verdict: "unknown", residential, messages };
  const isDeliverable = isTrue(attributes.DPV) || (isTrue(attributes.Matched) && isTrue(attributes.Resolved));
  if (!isDeliverable || isTrue(attributes.SuiteRequiredButMissing) || isTrue(attributes.InvalidSuiteNumber))
    return {
      verdict: isFalse(attributes.Matched) || messages.length > 0 ? "invalid" : "unknown",
      residential,
      messages,
    };
  const found = resolvedOf(resolved, given);
  return fold(found) === fold(given)
    ? { verdict: "valid", residential, messages }
    : { verdict: "corrected", address: found, residential, messages };
}

/** Attributes are texts in some responses. */
function isTrue(value: unknown): boolean {
  return String(value).toLowerCase() === "true";
}

function isFalse(value: unknown): boolean {
  return String(value).toLowerCase() === "false";
}

function residentialOf(classification: string | undefined): boolean | null {
  return classification === "RESIDENTIAL" ? true : classification === "BUSINESS" ? false : null;
}

function resolvedOf(resolved: Json, given: Address): Address {
  const { address2: _address2, ...kept } = given;
  const lines = Array.isArray(resolved.streetLinesToken)
    ? resolved.streetLinesToken.flatMap((line) => asText(line) ?? [])
    : [];
  const [address1 = given.address1, ...rest] = lines;
  const { base, addOn } = asObject(resolved.parsedPostalCode);
  const zip = [asText(base), asText(addOn)].filter((part) => part !== undefined).join("-");
  return {
    ...kept,
    ...(address1 === undefined ? {} : { address1 }),
    ...(rest.length === 0 ? {} : { address2: rest.join(", ") }),
    city: asText(resolved.city) ?? given.city ?? "",
    provinceCode: asText(resolved.stateOrProvinceCode) ?? given.provinceCode ?? "",
    zip: zip === "" ? (given.zip ?? "") : zip,
  };
}

/** Spelling in capitals and the extension of a ZIP are no corrections. */
function fold({ address1, address2, city, provinceCode, zip }: Address): string {
  const line = [address1, address2, city, provinceCode, zip?.replace(/-\d{4}$/, "")].filter(Boolean).join(" ");
  return line.toUpperCase().replaceAll(/[^A-Z0-9]+/g, " ");
}
