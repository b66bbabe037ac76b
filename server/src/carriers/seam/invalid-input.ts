import type { Address } from "../../core/address.ts";
import { RemoteError } from "./http.ts";

/** The part of a request that the caller has to correct, and the field in it; without a field, the part as a whole. */
export type InputField = {
  part: "from" | "to" | "parcel" | "request";
  name?: keyof Address | "dimensions";
  code: "required" | "too_long" | "not_supported";
};

/** Refused before the carrier was called: the caller's request lacks something, or asks for what the carrier does not offer. */
export class InvalidInput extends RemoteError {
  readonly fields: readonly InputField[];

  constructor(code: string, message: string, fields: readonly InputField[]) {
    super(code, message);
    this.fields = fields;
  }
}

const parts: Record<string, InputField["part"]> = { sender: "from", recipient: "to" };

/** `whose`: sender, recipient, or another address, such as that of a pickup. */
export function missing(message: string, whose: string, name: NonNullable<InputField["name"]>): InvalidInput {
  return new InvalidInput("rejected", message, [{ part: parts[whose] ?? "request", name, code: "required" }]);
}

export function tooLong(message: string, whose: string, name: NonNullable<InputField["name"]>): InvalidInput {
  return new InvalidInput("rejected", message, [{ part: parts[whose] ?? "request", name, code: "too_long" }]);
}

type Places = { from: Address; to: Address };

/** Quotes of UPS, FedEx and USPS are prices between postal codes, in the countries that have them. */
export function requirePostalCodes(carrier: string, { from, to }: Places, countries: ReadonlySet<string>): void {
  const sides = { from, to };
  const fields = (["from", "to"] as const).flatMap((part): InputField[] => {
    const { zip, countryCode } = sides[part];
    const isNeeded = countries.has(countryCode?.trim().toUpperCase() ?? "");
    return isNeeded && !zip?.trim() ? [{ part, name: "zip", code: "required" }] : [];
  });
  if (fields.length === 0) return;
  const whose = fields.map(({ part }) => (part === "from" ? "sender" : "recipient")).join(" and ");
  throw new InvalidInput("rejected", `${carrier} needs the postal code of the ${whose}.`, fields);
}
