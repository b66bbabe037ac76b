import type { FieldError } from "../errors.ts";
import { nearestName } from "../nearest.ts";
import { escapePointer } from "../strict-json.ts";

/** What a file can say about something, and how its columns are usually called. First come, first served. */
export type CsvVocabulary = {
  /** As in "Orders have no such field." */
  noun: string;
  names: [field: string, aliases: string[]][];
  /** Fields beyond those with names of their own. */
  isFurtherField?(field: string): boolean;
};

export type Column = { column: string; field: string | null };

/** "Order Number", "order_number" and "orderNumber" are one name. */
function fold(column: string): string {
  return column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Which field each column is; what the caller says goes before what the name suggests. */
export function matchColumns(
  header: readonly string[],
  mapping: Readonly<Record<string, string | null>>,
  vocabulary: CsvVocabulary,
): Column[] | FieldError[] {
  const { noun, names, isFurtherField } = vocabulary;
  const fields = names.map(([field]) => field);
  const byAlias = new Map<string, string>();
  for (const [field, aliases] of names) for (const alias of aliases) if (!byAlias.has(alias)) byAlias.set(alias, field);
  const errors: FieldError[] = [];
  const said = new Map<string, string | null>();
  for (const [name, field] of Object.entries(mapping)) {
    const pointer = `/mapping/${escapePointer(name)}`;
    const column = header.find((known) => known === name) ?? header.find((known) => fold(known) === fold(name));
    if (column === undefined)
      errors.push(wrong(pointer, "unknown_column", "The file has no such column.", name, header));
    else if (field !== null && !fields.includes(field) && !isFurtherField?.(field)) {
      errors.push(wrong(pointer, "unknown_field", `${noun} have no such field.`, field, fields));
    } else {
      const [twin] = [...said].find(([other, known]) => field !== null && known === field && other !== column) ?? [];
      const message = `${twin} is the ${field} already; one column has to be left out.`;
      if (twin !== undefined) errors.push({ pointer, code: "duplicate_field", message });
      said.set(column, field);
    }
  }
  if (errors.length > 0) return errors;
  const used = new Set(said.values());
  return header.map((column) => {
    if (said.has(column)) return { column, field: said.get(column)! };
    const field = byAlias.get(fold(column)) ?? null;
    if (field === null || used.has(field)) return { column, field: null };
    used.add(field);
    return { column, field };
  });
}

export function isErrors(found: Column[] | FieldError[]): found is FieldError[] {
  return found.length > 0 && "pointer" in found[0]!;
}

function wrong(pointer: string, code: string, message: string, given: string, allowed: readonly string[]): FieldError {
  const suggestion = nearestName(given, allowed);
  return { pointer, code, message, allowed, ...(suggestion === undefined ? {} : { suggestion }) };
}

const addressNames: Record<string, string[]> = {
  name: ["name", "fullname", "recipient"],
  company: ["company", "companyname"],
  address1: ["address1", "address", "street", "street1", "streetaddress", "addressline1", "line1"],
  address2: ["address2", "street2", "addressline2", "line2", "apartment"],
  city: ["city", "town"],
  province: ["province", "state", "region", "provincename", "statename"],
  provinceCode: ["provincecode", "statecode"],
  zip: ["zip", "zipcode", "postalcode", "postcode", "postal"],
  country: ["country", "countryname"],
  countryCode: ["countrycode", "countryiso"],
  phone: ["phone", "phonenumber", "telephone"],
  email: [],
};

/** The fields of an address, under each of these beginnings of a column name. */
export function addressFields(field: string, prefixes: string[]): [string, string[]][] {
  return Object.entries(addressNames).map(([member, aliases]) => [
    `${field}.${member}`,
    prefixes.flatMap((prefix) =>
      [...new Set([member.toLowerCase(), ...aliases])]
        .filter((alias) => prefix !== "" || alias !== "email")
        .map((alias) => prefix + alias),
    ),
  ]);
}
