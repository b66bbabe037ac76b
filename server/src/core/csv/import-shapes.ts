import type { Static } from "typebox";
import { Nullable, OneOf, optional } from "../schema.ts";
import { Type } from "../type.ts";
import { dateOrders } from "./csv-cells.ts";

const Text = Type.String();

const delimiter = OneOf(["auto", "comma", "semicolon", "tab"], {
  title: "Delimiter",
  description: "Between columns; auto: detected in the first line",
});
const decimalSeparator = OneOf([".", ","], {
  title: "Decimal separator",
  description: "Default: comma in files separated by semicolons, else point",
});
const dateOrder = OneOf(dateOrders, {
  title: "Date order",
  description: "For dates such as 03/02/2026; default: month first",
});

/** Common fields of requests that import a file. */
export function importRequest(about: { csv: string; mapping: string }) {
  return {
    csv: Type.String({ minLength: 1, maxLength: 32 * 1024 * 1024, description: about.csv }),
    mapping: Type.Optional(
      Type.Record(Type.String(), Nullable(Type.String({ maxLength: 100 })), { description: about.mapping }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: "Check the file without importing it" })),
    ...optional({ delimiter, decimalSeparator, dateOrder }),
  };
}

const Mapping = Type.Record(Type.String(), Nullable(Type.String({ maxLength: 100 })));

/** How ambiguous values of a file are read. */
export const readingOptions = optional({
  delimiter,
  decimalSeparator,
  dateOrder,
  country: Type.String({
    title: "Country",
    pattern: "^[A-Z]{2}$",
    description: "ISO 3166-1 code for addresses without a country",
  }),
  currency: Type.String({
    title: "Currency",
    pattern: "^[A-Z]{3}$",
    description: "ISO 4217 code for amounts without a currency; default: USD",
  }),
  strict: Type.Boolean({
    title: "Strict",
    description:
      "Import all orders of the file or none: a missing number, quantity, currency or unit, an ambiguous date or number, " +
      "damage by a spreadsheet, an unknown word and any other error rejects the file. Default: false",
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
      description: "Column name to field, such as customer.name or line.sku; null: ignore the column",
      examples: [{ Bestellnummer: "number", Artikel: "line.sku" }],
    }),
  ),
};

export const Columns = Type.Array(
  Type.Object({
    column: Text,
    field: Nullable(Text),
    nonEmptyRows: Type.Integer({ minimum: 0, description: "Rows with a value in this column" }),
  }),
);

export const Fields = Type.Array(Type.Object({ field: Text, isRequired: Type.Boolean() }), {
  description: "Fields that a column can be mapped to",
});

/** Of `sample`. */
export const sampledRow = {
  row: Type.Integer({ minimum: 1 }),
  cells: Type.Array(Text, { description: "Raw text, in the order of `columns`" }),
};

/** In the query, `mapping` is JSON text. */
export const MappingText = Type.String({
  maxLength: 20_000,
  description: 'As in the body, as JSON text: {"from": "originZip"}',
});

export const Warnings = Type.Array(
  Type.Object({
    column: Text,
    code: Text,
    message: Text,
    row: Type.Optional(Type.Integer({ minimum: 1, description: "If it concerns one cell or order" })),
  }),
  {
    description: "Ignored columns, guesses and assumptions; the first 1,000, for single cells the first 100 of a kind",
  },
);

/** Common fields of import reports. */
export const importReport = {
  columns: Columns,
  fields: Fields,
  sample: Type.Array(Type.Object(sampledRow), { description: "The first 20 rows" }),
  errors: Type.Array(
    Type.Object({
      row: Type.Integer({ minimum: 1, description: "Row number as in a spreadsheet: the header is row 1" }),
      column: Nullable(Text),
      code: Text,
      message: Text,
    }),
    { description: "The first 1,000 errors" },
  ),
  warnings: Warnings,
  rejectedCsv: Type.Optional(Type.String({ description: "The rejected rows, with a column for the reason" })),
};

/** Imports from this size on run in a worker process, to keep the event loop of the HTTP process free. */
export const sheetHeavyFromBytes = 48 * 1024;
