import type { Change } from "../../ui/change-text.ts";

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Name of a location, connection, user or carrier account by its ID; undefined if it is unknown. */
export type NameOf = (id: string) => string | undefined;

const noName = "unnamed record";

/** Replaces IDs in a value by names, so that no ID is shown. */
export function withNames(value: unknown, nameOf: NameOf): unknown {
  if (typeof value === "string") return uuid.test(value) ? (nameOf(value) ?? noName) : value;
  if (Array.isArray(value)) return value.map((one) => withNames(one, nameOf));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      // The ID of a line, note or hold says nothing to a reader; `changeText` compares by it.
      .map(([name, one]) => [name.replace(/Id$|_id$/, ""), name === "id" ? one : withNames(one, nameOf)]),
  );
}

/** A change with names instead of IDs. */
export function namedChange({ path, from, to }: Change, nameOf: NameOf): Change {
  return { path: path.replace(/Ids?$/, ""), from: withNames(from, nameOf), to: withNames(to, nameOf) };
}
