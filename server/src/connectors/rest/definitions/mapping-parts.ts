import type { DefinedMapping as Mapping } from "./rest-definition.ts";

/** Copies a value, changed by these transforms. */
export function from(target: string, source: string, ...transforms: unknown[]): Mapping {
  return transforms.length === 0 ? { target, source } : { target, source, transforms };
}

export function constant(target: string, value: unknown, when?: unknown): Mapping {
  return when === undefined ? { target, value } : { target, value, when };
}

/** The same members of one object in another: hub name to the vendor's name. Empty texts count as not given. */
export function members(target: string, source: string, names: Record<string, string>): Mapping[] {
  return Object.entries(names).map(([to, name]) => from(`${target}.${to}`, `${source}.${name}`, "empty_to_null"));
}

/**
 * An address. Carriers need the code of the state where there are states, and vendors send its code or its name in the same field.
 * What is no state of the country has no code.
 */
export function addressMembers(
  target: string,
  source: string,
  names: Record<string, string> & { province: string; countryCode: string },
): Mapping[] {
  const codes = ["US", "CA", "AU"].map((country) => ({
    ...from(`${target}.provinceCode`, `${source}.${names.province}`, { state_code: country }),
    when: { path: `${source}.${names.countryCode}`, op: "eq", value: country },
    onError: "skip",
  }));
  return [...members(target, source, names), ...codes];
}

export function each(target: string, list: string, mappings: Mapping[], where?: unknown): Mapping {
  return { target, each: list, mappings, ...(where === undefined ? {} : { where }) };
}

/** An amount in minor units. */
export const minorUnits = { divide: 100 };

/** A status of the vendor that the table does not have needs a person to look at the order. */
export function statusBy(source: string, table: Record<string, string>): Mapping {
  return from("status", source, { lookup: { map: table, default: "review_required" } });
}

/** Sum of one member over the elements of a list that meet a condition. */
export function sumOf(member: string, where?: unknown): unknown[] {
  return [...(where === undefined ? [] : [{ filter: where }]), { map: member }, "sum"];
}

/** A member of the first element of a list that meets a condition, such as the payment that succeeded after others were declined. */
export function firstOf(member: string, where: unknown): unknown[] {
  return [{ filter: where }, { map: member }, "first"];
}

/** The lines of the one shipment that is sent, under the vendor's names. */
export function shipmentLines(target: string, lineId: string, quantity: string, more: Mapping[] = []): Mapping {
  return each(target, "shipments[0].lines", [from(lineId, "@.lineId"), from(quantity, "@.quantity"), ...more]);
}

/** A note of the buyer, if there is one. */
export function customerNote(source: string): Mapping[] {
  const when = { path: source, op: "not_empty" };
  return [
    { ...from("notes[0].text", source, { truncate: 5000 }), when },
    constant("notes[0].visibility", "customer", when),
  ];
}
