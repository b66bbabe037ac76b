import type { Static } from "typebox";
import { Nullable, OneOf, optional } from "../schema.ts";
import { Type } from "../type.ts";
import { dateOrders } from "./csv-cells.ts";

const Text = Type.String();

const delimiter = OneOf(["auto", "comma", "semicolon", "tab"], {
  title: "Delimiter",
  description: "Between columns; auto: what the first line has most of",
});
const decimalSeparator = OneOf([".", ","], {
  title: "Decimal sign",
  description: "Default: a comma where semicolons are between the columns, else a point",
});
const dateOrder = OneOf(dateOrders, {
  title: "Order of dates",
  description: "Of dates such as 03/02/2026; default: the month first",
});

/** Of a request to import a file. */
export function importRequest(about: { csv: string; mapping: string }) {
  return {
    csv: Type.String({ minLength: 1, maxLength: 32 * 1024 * 1024, description: about.csv }),
    mapping: Type.Optional(
      Type.Record(Type.String(), Nullable(Type.String({ maxLength: 100 })), { description: about.mapping }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: "Check everything, create nothing" })),
    ...optional({ delimiter, decimalSeparator, dateOrder }),
  };
}

const Mapping = Type.Record(Type.String(), Nullable(Type.String({ maxLength: 100 })));

/** How a file is to be read, where it does not say so itself. */
export const readingOptions = optional({
  delimiter,
  decimalSeparator,
  dateOrder,
  country: Type.String({
    title: "Country",
    pattern: "^[A-Z]{2}$",
    description: "ISO 3166-1 code for addresses that name no country",
  }),
  currency: Type.String({
    title: "Currency",
    pattern: "^[A-Z]{3}$",
    description: "ISO 4217 code for amounts that name no currency; default: USD",
  }),
});

export const presetSettings = {
  ...readingOptions,
  mapping: Type.Optional(
    Type.Unsafe<Static<typeof Mapping>>({
      ...Mapping,
      title: "Mapping",
      "x-advanced": true,
      maxProperties: 500,
      description: "Column name to field, such as customer.name or line.sku; null: leave it out",
      examples: [{ Bestellnummer: "number", Artikel: "line.sku" }],
    }),
  ),
};

export const Columns = Type.Array(
  Type.Object({
    column: Text,
    field: Nullable(Text),
    nonEmptyRows: Type.Integer({ minimum: 0, description: "In how many rows something stands there" }),
  }),
);

export const Fields = Type.Array(Type.Object({ field: Text, isRequired: Type.Boolean() }), {
  description: "What a column can be",
});

/** Of `sample`. */
export const sampledRow = {
  row: Type.Integer({ minimum: 1 }),
  cells: Type.Array(Text, { description: "As in the file, in the order of `columns`" }),
};

/** In a query there is room for text alone. */
export const MappingText = Type.String({
  maxLength: 20_000,
  description: 'As in the body, as text of JSON: {"from": "originZip"}',
});

export const Warnings = Type.Array(Type.Object({ column: Text, code: Text, message: Text }), {
  description: "Columns that were not read, and what was guessed or assumed, the first 1,000",
});

/** Of the answer: what was read, and what was not. */
export const importReport = {
  columns: Columns,
  fields: Fields,
  sample: Type.Array(Type.Object(sampledRow), { description: "The first 20 rows" }),
  errors: Type.Array(
    Type.Object({
      row: Type.Integer({ minimum: 1, description: "As a spreadsheet counts: the header is row 1" }),
      column: Nullable(Text),
      code: Text,
      message: Text,
    }),
    { description: "The first 1,000" },
  ),
  warnings: Warnings,
  rejectedCsv: Type.Optional(
    Type.String({ description: "The rows that were not taken, with a column for the reason" }),
  ),
};

/** From this size on an import is work for a process of its own: each row is read, checked and turned into a record. */
export const sheetHeavyFromBytes = 48 * 1024;
