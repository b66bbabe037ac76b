import type { AddressCheck } from "../seam/address-check.ts";
import type { CarrierCall, RateRequest } from "../seam/carrier.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { post } from "./api.ts";
import { addressBody } from "./shipment.ts";

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
  const address = mergeAddress(given, found);
  const isChanged = (["address1", "address2", "city", "provinceCode", "zip"] as const).some(
    (member) => fold(address[member]) !== fold(given[member]),
  );
  return isChanged
    ? { verdict: "corrected", address, residential, messages }
    : { verdict: "valid", residential, messages };
}

function mergeAddress(given: Address, found: Json): Address {
  const [address1, address2, city, provinceCode, zip] = [
    asText(found.street1) ?? given.address1,
    asText(found.street2),
    asText(found.city) ?? given.city,
    asText(found.state) ?? given.provinceCode,
    asText(found.zip) ?? given.zip,
  ];
  const { address2: _second, ...rest } = given;
  return {
    ...rest,
    ...(address1 === undefined ? {} : { address1 }),
    ...(address2 === undefined ? {} : { address2 }),
    ...(city === undefined ? {} : { city }),
    ...(provinceCode === undefined ? {} : { provinceCode }),
    ...(zip === undefined ? {} : { zip }),
  };
}

function fold(text: string | undefined): string {
  return (text ?? "")
    .toUpperCase()
    .replaceAll(/[.,\s]+/g, " ")
    .trim();
}
