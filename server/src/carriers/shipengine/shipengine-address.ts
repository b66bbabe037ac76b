import type { AddressCheck } from "../seam/address-check.ts";
import type { CarrierCall, RateRequest } from "../seam/carrier.ts";
import { changedAddress } from "../seam/changed-address.ts";
import { sendJson } from "../seam/json-api.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import { api } from "./shipengine-api.ts";
import { addressBody } from "./shipengine-shipment.ts";

type Address = RateRequest["to"];

export async function checkAddress(call: CarrierCall, address: Address): Promise<AddressCheck> {
  const json = [addressBody(address)];
  return addressCheckOf(
    address,
    await sendJson(api, call, { method: "POST", path: "/addresses/validate", json, retry: "safe" }),
  );
}

/** `warning`: found, but to be looked at. `unverified`: not looked up, for instance because of the country. */
export function addressCheckOf(given: Address, answer: unknown): AddressCheck {
  const [result = {}] = asList(answer);
  const matched = asObject(result.matched_address);
  const messages = asList(result.messages).flatMap(({ message }) => asText(message) ?? []);
  const indicator = matched.address_residential_indicator;
  const residential = indicator === "yes" ? true : indicator === "no" ? false : null;
  if (result.status === "error") return { verdict: "invalid", residential, messages };
  if (result.status !== "verified" && result.status !== "warning") return { verdict: "unknown", residential, messages };
  const address = changedAddress(given, {
    address1: matched.address_line1,
    address2: matched.address_line2,
    city: matched.city_locality,
    provinceCode: matched.state_province,
    zip: matched.postal_code,
  });
  return address
    ? { verdict: "corrected", address, residential, messages }
    : { verdict: "valid", residential, messages };
}
