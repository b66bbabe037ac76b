import type { AddressCheck } from "../seam/address-check.ts";
import type { CarrierCall, RateRequest } from "../seam/carrier.ts";
import { changedAddress } from "../seam/changed-address.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { post } from "./easypost-api.ts";
import { addressBody } from "./easypost-shipment.ts";

type Address = RateRequest["to"];

export async function checkAddress(call: CarrierCall, address: Address): Promise<AddressCheck> {
  const body = { address: addressBody(address), verify: true };
  return addressCheckOf(address, await post(call, "/v2/addresses", body, { retry: "safe" }));
}

/** `verify` answers the address with what was found; `create_and_verify` puts it into `address`. */
export function addressCheckOf(given: Address, answer: Json): AddressCheck {
  const found = "address" in answer ? asObject(answer.address) : answer;
  const delivery = asObject(asObject(found.verifications).delivery);
  const messages = asList(delivery.errors).flatMap(({ field, message }) => {
    const words = asText(message);
    return words === undefined ? [] : [asText(field) === undefined ? words : `${asText(field)}: ${words}`];
  });
  const residential = typeof found.residential === "boolean" ? found.residential : null;
  if (delivery.success !== true)
    return { verdict: delivery.success === false ? "invalid" : "unknown", residential, messages };
  const address = changedAddress(given, {
    address1: found.street1,
    address2: found.street2,
    city: found.city,
    provinceCode: found.state,
    zip: found.zip,
  });
  return address
    ? { verdict: "corrected", address, residential, messages }
    : { verdict: "valid", residential, messages };
}
