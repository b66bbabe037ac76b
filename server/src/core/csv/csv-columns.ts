import type { FieldError } from "../errors.ts";
import { badField, validationFailed } from "../errors.ts";
import { alternatives, foldName } from "../nearest.ts";
import { escapePointer, parseStrictJson } from "../strict-json.ts";
import type { CellReader, DateOrder } from "./csv-cells.ts";
import { readForeignCode } from "./csv-cells.ts";

/** A field, the usual names of its columns (best first), and the reader of its cells. */
export type SheetField = [field: string, names: string, read?: CellReader];

export type Column = { column: string; field: string | null };
/** An assumption or guess that the sender should check; `row`: it concerns this cell or order only. */
export type Warning = { column: string; code: string; message: string; row?: number };
export type ColumnMapping = Readonly<Record<string, string | null>>;

type Vocabulary = {
  noun: string;
  fields: readonly SheetField[];
  isFurtherField?(field: string): boolean;
  /** Names of columns that can mean several things. */
  vague?: readonly string[];
  /** Fields that several columns may have. */
  repeatable?: readonly string[];
};

/** The file format of a known program. */
export type SheetPreset = {
  name: string;
  title: string;
  /** A file matches if it has all columns of one of these lists. */
  signatures: readonly (readonly string[])[];
  /** Column to field; null: not read. */
  columns: Readonly<Record<string, string | null>>;
  /** Beginning of a column name to that of a field; the rest of the name follows: forms that a shop can define. */
  prefixes?: Readonly<Record<string, string>>;
  /** Values the program uses, by field, in the spelling of `foldName`. */
  values?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By field, the replacement for a value that is not listed. */
  otherwise?: Readonly<Record<string, string>>;
  /** By field and value, values of other fields that have no column. */
  implied?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string | boolean>>>>>>;
  /** Quotation marks in its tab-separated files are literal. */
  isUnquoted?: boolean;
  dateOrder?: DateOrder;
  /** Rows that begin like this are not data. */
  notData?: RegExp;
};

/** The preset whose signature the header has. */
export function detectPreset<Preset extends SheetPreset>(
  header: readonly string[],
  presets: readonly Preset[],
): Preset | undefined {
  // Compared without folding: another program may have the same words in another spelling.
  const names = new Set(header.map((name) => name.toLowerCase()));
  const isOne = (signature: readonly string[]): boolean => signature.every((name) => names.has(name.toLowerCase()));
  return presets.find(({ signatures }) => signatures.some(isOne));
}

/** A column name in any spelling, and without accents: "Straße" and "Strasse", "Numéro" and "Numero" are one name. */
function foldColumn(name: string): string {
  return foldName(name.normalize("NFD")).replaceAll("ß", "ss");
}

/** Tests whether a text is the name of a known column. */
export function nameTest(
  { fields, presets = [] }: Vocabulary & { presets?: readonly SheetPreset[] },
  mapping: ColumnMapping,
  preset: SheetPreset | null | undefined,
): (name: string) => boolean {
  const known = preset === undefined ? presets : preset === null ? [] : [preset];
  const ofPresets = known.flatMap(({ columns }) => Object.keys(columns));
  const names = new Set([...ofPresets, ...Object.keys(mapping)].map(foldColumn));
  for (const [, text] of fields) for (const name of text.split(" ")) names.add(name);
  return (name) => names.has(foldColumn(name));
}

/** Assigns a field to each column: by `mapping`, then by the preset, then by its name. */
export function matchColumns(
  header: readonly string[],
  mapping: ColumnMapping,
  vocabulary: Vocabulary,
  preset?: SheetPreset,
): { columns: Column[]; warnings: Warning[] } {
  const given = readMapping(header, mapping, vocabulary);
  const said = new Map([...presetColumns(header, preset, given, vocabulary), ...given]);
  const known = new Map<string, { field: string; rank: number }>();
  for (const [field, names] of vocabulary.fields) {
    for (const [rank, name] of names.split(" ").entries()) if (!known.has(name)) known.set(name, { field, rank });
  }
  const guesses = header.map((column) => (said.has(column) ? undefined : known.get(foldColumn(column))));
  /** Where the column of each field is. */
  const owner = new Map<string, number>();
  for (const [index, guess] of guesses.entries()) {
    const rival = guess && guesses[owner.get(guess.field) ?? -1];
    if (guess && (!rival || guess.rank < rival.rank)) owner.set(guess.field, index);
  }
  for (const [column, field] of said) if (field !== null) owner.set(field, header.indexOf(column));
  const warnings: Warning[] = [];
  const columns = header.map((column, index): Column => {
    if (said.has(column)) return { column, field: said.get(column)! };
    const field = guesses[index]?.field;
    if (field !== undefined && owner.get(field) === index) {
      if (vocabulary.vague?.includes(foldColumn(column))) {
        const message = `Read as ${field}, as its name suggests. Set it in \`mapping\` if that is wrong.`;
        warnings.push({ column, code: "column_guessed", message });
      }
      return { column, field };
    }
    const [code, why] =
      field === undefined
        ? ["unknown_column", "no field has this name. Assign it in `mapping`."]
        : ["duplicate_field", `${header[owner.get(field)!]} is already the ${field}.`];
    // The error column of a file of rejected rows needs no warning.
    if (column !== "" && column !== "error") warnings.push({ column, code, message: `Not read: ${why}` });
    return { column, field: null };
  });
  return { columns, warnings };
}

/** If two columns have the same field, the one that the preset lists first is used. */
function presetColumns(
  header: readonly string[],
  preset: SheetPreset | undefined,
  given: ReadonlyMap<string, string | null>,
  { repeatable }: Vocabulary,
): Map<string, string | null> {
  const found = new Map<string, string | null>();
  const taken = new Set(given.values());
  for (const [name, field] of Object.entries(preset?.columns ?? {})) {
    const column = header.find((known) => known.toLowerCase() === name.toLowerCase());
    if (column === undefined || given.has(column) || found.has(column)) continue;
    found.set(column, taken.has(field) ? null : field);
    if (field !== null && !repeatable?.includes(field)) taken.add(field);
  }
  for (const [prefix, field] of Object.entries(preset?.prefixes ?? {})) {
    for (const column of header) {
      const isOne = column.length > prefix.length && column.toLowerCase().startsWith(prefix.toLowerCase());
      if (isOne && !given.has(column) && !found.has(column))
        found.set(column, field + column.slice(prefix.length).trim());
    }
  }
  return found;
}

/** Reads `mapping` from the query, where it is JSON text. */
export function parseMapping(text: string | undefined): ColumnMapping {
  if (text === undefined) return {};
  try {
    const read = parseStrictJson(Buffer.from(text));
    if (isMapping(read)) return read;
  } catch {
    // Reported below.
  }
  const message = 'This is not a JSON object of columns and fields, such as {"from": "originZip"}.';
  throw badField("query/mapping", "format", message);
}

function isMapping(value: unknown): value is ColumnMapping {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((field) => field === null || typeof field === "string");
}

function readMapping(header: readonly string[], mapping: ColumnMapping, vocabulary: Vocabulary) {
  const { noun, isFurtherField } = vocabulary;
  const fields = vocabulary.fields.map(([field]) => field);
  const errors: FieldError[] = [];
  const said = new Map<string, string | null>();
  for (const [name, field] of Object.entries(mapping)) {
    const pointer = `/mapping/${escapePointer(name)}`;
    const column = header.find((known) => known === name) ?? header.find((known) => foldName(known) === foldName(name));
    if (column === undefined) {
      const message = "The file has no such column.";
      errors.push({ pointer, code: "unknown_column", message, ...alternatives(name, header) });
    } else if (field !== null && !fields.includes(field) && !isFurtherField?.(field)) {
      const message = `${noun} have no such field.`;
      errors.push({ pointer, code: "unknown_field", message, ...alternatives(field, fields) });
    } else {
      const isTaken = field !== null && !vocabulary.repeatable?.includes(field);
      const [twin] = [...said].find(([other, known]) => isTaken && known === field && other !== column) ?? [];
      const message = `${twin} is already the ${field}; map one of the columns to null.`;
      if (twin !== undefined) errors.push({ pointer, code: "duplicate_field", message });
      said.set(column, field);
    }
  }
  if (errors.length > 0) throw validationFailed(errors);
  return said;
}

export const addressNames: Readonly<Record<string, string>> = {
  name: "name fullname recipient",
  company: "company companyname",
  address1: "address1 address street street1 streetaddress addressline1 line1",
  address2: "address2 street2 addressline2 line2 apartment",
  city: "city town",
  province: "province state region provincename statename",
  provinceCode: "provincecode statecode",
  zip: "zip zipcode postalcode postcode postal",
  country: "country countryname",
  countryCode: "countrycode countryiso",
  phone: "phone phonenumber telephone",
  email: "email",
};

/** The fields of an address, for columns with one of these prefixes; an email without a prefix is the buyer's. */
export function addressFields(field: string, prefixes: string[], named = addressNames): SheetField[] {
  return Object.entries(named).map(([member, names]) => {
    const own = prefixes.filter((prefix) => prefix !== "" || member !== "email");
    const columns = own.flatMap((prefix) => names.split(" ").map((name) => prefix + name)).join(" ");
    return member === "phone" ? [`${field}.phone`, columns, readForeignCode] : [`${field}.${member}`, columns];
  });
}
