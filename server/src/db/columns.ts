import { fromCents, toCents } from "../core/money.ts";

/**
 * How a field is stored in a column, with conversions where the two differ. A field with `selected` is computed and read-only.
 */
export type Kind = {
  type: string;
  name?: string;
  selected?: string;
  write?(value: unknown): unknown;
  read?(stored: unknown): unknown;
};

/** A stored field, or a write-only lookup column computed from several fields. `value`: SQL expression over `u.<name>`. */
export type Column<Thing> = {
  name: string;
  type: string;
  from: readonly (keyof Thing)[];
  write(thing: Thing, orgId: string): unknown;
  value?: string;
};

/** A row as returned by the driver. */
export type Stored<Thing> = { [Field in keyof Thing]: unknown };

export type Columns<Thing> = {
  all: readonly Column<Thing>[];
  /** Select list, with the field names as column names. */
  selected: string;
  /** Converts the row in place. */
  fromRow<Row extends Stored<Thing>>(row: Row): Row & Thing;
};

/** Times are ISO 8601 strings in the hub. */
export const moment: Kind = { type: "timestamptz", read: (at) => (at as Date | null)?.toISOString() ?? null };

/** Amounts are stored in cents. */
export function cents(name: string): Kind {
  return {
    name,
    type: "bigint",
    read: (stored) => (stored === null ? null : fromCents(stored as number)),
    write: (amount) => (amount === null ? null : toCents(amount as number)),
  };
}

/** The columns of a record type. Every field must be listed, so that none is forgotten. */
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
      // In place, which saves a copy of long lists.
      for (const { field, read } of converted) row[field] = read(row[field]) as (typeof row)[typeof field];
      return row as typeof row & Thing;
    },
  };
}

/** Select list for space-separated field names. */
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

/** Parts of a statement that writes records, which have the alias `u`, from a `jsonb_to_recordset`. */
export function writing<Thing>(columns: readonly Column<Thing>[]) {
  const valueOf = ({ name, value }: Column<Thing>): string => value ?? `u.${name}`;
  return {
    names: columns.map(({ name }) => name).join(", "),
    values: columns.map(valueOf).join(", "),
    shape: ["id uuid", ...columns.map(({ name, type }) => `${name} ${type}`)].join(", "),
    sets: columns.map((column) => `${column.name} = ${valueOf(column)}`).join(", "),
  };
}
