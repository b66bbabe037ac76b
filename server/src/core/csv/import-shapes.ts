import { Nullable, OneOf } from "../schema.ts";
import { Type } from "../type.ts";

const Text = Type.String();

/** Of a request to import a file. */
export function importRequest(about: { csv: string; mapping: string }) {
  return {
    csv: Type.String({ minLength: 1, maxLength: 10 * 1024 * 1024, description: about.csv }),
    mapping: Type.Optional(
      Type.Record(Type.String(), Nullable(Type.String({ maxLength: 100 })), { description: about.mapping }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: "Check everything, create nothing" })),
    delimiter: Type.Optional(OneOf(["auto", "comma", "semicolon", "tab"], { description: "Default: auto" })),
  };
}

export const Columns = Type.Array(Type.Object({ column: Text, field: Nullable(Text) }));

export const Warnings = Type.Array(Type.Object({ column: Text, code: Text, message: Text }), {
  description: "Columns that were not read, or of which something was assumed, the first 1,000",
});

/** Of the answer: what was read, and what was not. */
export const importReport = {
  columns: Columns,
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
