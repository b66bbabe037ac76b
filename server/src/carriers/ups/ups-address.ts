import type { AddressCheck } from "../seam/address-check.ts";
import type { CarrierCall, LabelRequest } from "../seam/carrier.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { askUps } from "./ups-request.ts";

type Address = LabelRequest["to"];

/** UPS checks addresses of the US and Puerto Rico. */
export async function checkUpsAddress(call: CarrierCall, address: Address): Promise<AddressCheck> {
  const country = address.countryCode?.toUpperCase() ?? "";
  if (country !== "US" && country !== "PR")
    return {
      verdict: "unknown",
      residential: null,
      messages: ["UPS checks addresses in the US and Puerto Rico only."],
    };
  const [zip, extension] = (address.zip ?? "").split("-");
  const { body } = await askUps(call, {
    method: "POST",
    // 3: validate and classify.
    path: "/addressvalidation/v2/3",
    retry: "safe",
    json: {
      XAVRequest: {
        AddressKeyFormat: {
          ConsigneeName: address.company ?? address.name,
          AddressLine: [address.address1, address.address2].filter((line) => line !== undefined && line.trim() !== ""),
          PoliticalDivision2: address.city,
          PoliticalDivision1: address.provinceCode,
          PostcodePrimaryLow: zip,
          PostcodeExtendedLow: extension,
          CountryCode: country,
        },
      },
    },
  });
  return readUpsAddress(body, address);
}

export function readUpsAddress(body: unknown, address: Address): AddressCheck {
  const response = asObject(asObject(body).XAVResponse);
  const [candidate] = asList(response.Candidate);
  const residential = residentialOf(asObject(candidate?.AddressClassification ?? response.AddressClassification));
  const messages = asList(asObject(response.Response).Alert).flatMap((alert) => asText(alert.Description) ?? []);
  // Indicators count by their presence.
  if ("NoCandidatesIndicator" in response)
    return { verdict: "invalid", residential, messages: ["UPS does not know this address.", ...messages] };
  if (!candidate) return { verdict: "unknown", residential, messages };
  const found = addressOf(asObject(candidate.AddressKeyFormat), address);
  if ("AmbiguousAddressIndicator" in response)
    return {
      verdict: "invalid",
      residential,
      messages: [`UPS found several addresses, such as ${lineOf(found)}.`, ...messages],
    };
  if (!("ValidAddressIndicator" in response)) return { verdict: "unknown", residential, messages };
  const isSame = fold(lineOf(found)) === fold(lineOf(address));
  return isSame
    ? { verdict: "valid", residential, messages }
    : { verdict: "corrected", address: found, residential, messages };
}

function residentialOf({ Code }: Json): boolean | null {
  const code = asText(Code);
  return code === "2" ? true : code === "1" ? false : null;
}

function addressOf(key: Json, given: Address): Address {
  const lines = (Array.isArray(key.AddressLine) ? key.AddressLine : [key.AddressLine]).flatMap(
    (line) => asText(line) ?? [],
  );
  const zip = [asText(key.PostcodePrimaryLow), asText(key.PostcodeExtendedLow)].filter((part) => part !== undefined);
  const { address2: _address2, ...kept } = given;
  const [address1 = given.address1, ...rest] = lines;
  return {
    ...kept,
    ...(address1 === undefined ? {} : { address1 }),
    ...(rest.length === 0 ? {} : { address2: rest.join(", ") }),
    city: asText(key.PoliticalDivision2) ?? given.city ?? "",
    provinceCode: asText(key.PoliticalDivision1) ?? given.provinceCode ?? "",
    zip: zip.length === 0 ? (given.zip ?? "") : zip.join("-"),
  };
}

function lineOf({ address1, address2, city, provinceCode, zip }: Address): string {
  return [address1, address2, city, provinceCode, zip].filter((part) => part !== undefined && part !== "").join(", ");
}

/** Spelling in capitals and the extension of a ZIP are no corrections. */
function fold(line: string): string {
  return line
    .toUpperCase()
    .replace(/-\d{4}$/, "")
    .replaceAll(/[^A-Z0-9]+/g, " ");
}
