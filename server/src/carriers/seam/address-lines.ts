import type { Address } from "../../core/address.ts";
import { missing, tooLong } from "./invalid-input.ts";

/** The country of an address in capitals. Guessing one would send a parcel to the wrong country, so a missing one is refused. */
export function countryOf(address: Address, whose: string): string {
  const code = address.countryCode?.trim().toUpperCase() ?? "";
  if (code === "") throw missing(`The country code of the ${whose}'s address is missing.`, whose, "countryCode");
  return code;
}

/**
 * The street in lines that fit on the carrier's label, broken between words. A street that does not fit is refused: a cut address
 * is not delivered.
 */
export function streetLines(
  carrier: string,
  { address1, address2 }: Address,
  limit: { lines: number; characters: number; whose: string },
): string[] {
  const lines = [address1, address2].flatMap((text) => wrap(text?.trim() ?? "", limit.characters));
  if (lines.length === 0)
    throw missing(`The street of the ${limit.whose}'s address is missing.`, limit.whose, "address1");
  if (lines.length > limit.lines || lines.some((line) => line.length > limit.characters)) {
    const room = `${limit.lines} lines of ${limit.characters} characters`;
    const message = `The street of the ${limit.whose}'s address is too long: ${carrier} prints ${room}.`;
    throw tooLong(message, limit.whose, "address1");
  }
  return lines;
}

function wrap(text: string, characters: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((one) => one !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= characters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A refusal of the carrier would not say whose number is missing. */
export function requiredPhone(carrier: string, { phone }: Address, whose: string): string {
  const digits = phoneDigits(phone);
  if (digits === undefined)
    throw missing(`The phone number of the ${whose}'s address is missing. ${carrier} requires one.`, whose, "phone");
  return digits;
}

export function requiredName(carrier: string, { name, company }: Address, whose: string): string {
  const text = [name, company].find((one) => one?.trim());
  if (text === undefined)
    throw missing(`The name of the ${whose}'s address is missing. ${carrier} requires one.`, whose, "name");
  return text;
}

/** Digits only, without the country code of the US and Canada. Undefined if there are none. */
export function phoneDigits(phone: string | undefined): string | undefined {
  const digits = (phone ?? "").replaceAll(/\D/g, "").replace(/^1(?=\d{10}$)/, "");
  return digits === "" ? undefined : digits.slice(0, 15);
}
