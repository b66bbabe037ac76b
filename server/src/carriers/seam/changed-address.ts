import type { Address } from "../../core/address.ts";
import { asText } from "./read.ts";

const members = ["address1", "address2", "city", "provinceCode", "zip"] as const;

/** The address as the carrier writes it; undefined if it differs in letters and punctuation only. */
export function changedAddress(
  given: Address,
  found: Partial<Record<(typeof members)[number], unknown>>,
): Address | undefined {
  const address = { ...given };
  // A second line that the carrier left out has moved to the first.
  delete address.address2;
  for (const member of members) {
    const text = asText(found[member]);
    if (text !== undefined) address[member] = text;
  }
  return members.some((member) => fold(address[member]) !== fold(given[member])) ? address : undefined;
}

function fold(text: string | undefined): string {
  return (text ?? "")
    .toUpperCase()
    .replaceAll(/[.,\s]+/g, " ")
    .trim();
}
