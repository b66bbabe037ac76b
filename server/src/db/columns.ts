import { fromCents, toCents } from "../core/money.ts";

/**
 * How values of a field lie in a column, and the way there and back where the two sides differ. What is `selected` instead
 * of a column is read only.
 */
export type Kind = {
  type: string;
  name?: string;
  selected?: string;
  write?(value: unknown): unknown;
  read?(stored: unknown): unknown;
};

/** Of a field, or of several that rows are found by; those are written only. `value`: what is stored of `u.<name>`. */
export type Column<Thing> = {
  name: string;
  type: string;
  from: readonly (keyof Thing)[];
  write(thing: Thing, orgId: string): unknown;
  value?: string;
};

/** A row as the driver gives it. */
export type Stored<Thing> = { [Field in keyof Thing]: unknown };

export type Columns<Thing> = {
  all: readonly Column<Thing>[];
  /** For a select. Rows come back with the names of the fields. */
  selected: string;
  /** The row itself, with the values that a field has. */
  fromRow<Row extends Stored<Thing>>(row: Row): Row & Thing;
};

/** In the hub moments are ISO texts. */
export const moment: Kind = { type: "timestamptz", read: (at) => (at as Date | null)?.toISOString() ?? null };

/** Money is kept in whole cents. */
export function cents(name: string): Kind {
  return {
    name,
    type: "bigint",
    read: (stored) => (stored === null ? null : fromCents(stored as number)),
    write: (amount) => (amount === null ? null : toCents(amount as number)),
  };
}

/** A table by the fields of what lies in it: each has a row here, so that none can be forgotten. */
export function defineColumns<Thing extends { id: string }>(
  alias: string,
  fields: { [Field in Exclude<keyof Thing, "id"> & string]: string | Kind },
  found: readonly Column<Thing>[] = [],
): Columns<Thing> {
  const entries = Object.entries<string | Kind>(fields).map(([field, given]) => {
    const kind: Kind = typeof given === "string" ? { type: given } : given;
    return { ...kind, field: field as keyof Thing & string, name: kind.name ?? snakeCase(field) };
  });
  const written = entries.filter(({ selected }) => selected === undefined);
  const select = entries.map(({ field, name, selected = `${alias}.${name}` }) => `${selected} as "${field}"`);
  const converted = entries.flatMap(({ field, read }) => (read ? [{ field, read }] : []));
  return {
    all: [
      ...written.map(({ field, name, type, write }): Column<Thing> => ({
        name,
        type,
        from: [field],
        write: (thing) => (write ? write(thing[field]) : thing[field]),
      })),
      ...found,
    ],
    selected: [`${alias}.id`, ...select].join(", "),
    fromRow(row) {
      // In place: a list of thousands is not copied once more.
      for (const { field, read } of converted) row[field] = read(row[field]) as (typeof row)[typeof field];
      return row as typeof row & Thing;
    },
  };
}

/** Columns under the names of their fields, which are given with blanks between. */
export function selectAs(alias: string, fields: string): string {
  const columns = fields.split(" ").map((field) => `${alias}.${snakeCase(field)} as "${field}"`);
  return columns.join(", ");
}

function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toRecord<Thing extends { id: string }>(
  columns: readonly Column<Thing>[],
  thing: Thing,
  orgId: string,
): Record<string, unknown> {
  const record: Record<string, unknown> = { id: thing.id };
  for (const { name, write } of columns) record[name] = write(thing, orgId);
  return record;
}

/** Parts of a statement that writes the records `u` of a `jsonb_to_recordset`. */
export function writing<Thing>(columns: readonly Column<Thing>[]) {
  const valueOf = ({ name, value }: Column<Thing>): string => value ?? `u.${name}`;
  return {
    names: columns.map(({ name }) => name).join(", "),
    values: columns.map(valueOf).join(", "),
    shape: ["id uuid", ...columns.map(({ name, type }) => `${name} ${type}`)].join(", "),
    sets: columns.map((column) => `${column.name} = ${valueOf(column)}`).join(", "),
  };
}
