import type { ResourceKind } from "../core/resources.ts";
import type { Mount } from "../http/mount.ts";
import type { Route } from "../route.ts";

export type MountedRoute = { name: string; prefix: string; route: Route };

export function allRoutes(mounts: Mount[]): MountedRoute[] {
  return mounts.flatMap(({ prefix, routes }) =>
    routes.map((route) => ({ name: `${route.method} ${prefix}${route.path}`, prefix, route })),
  );
}

/** The path with IDs, as the test client expects it. */
export function pathOf({ prefix, route }: MountedRoute, idOf: (kind: ResourceKind) => string): string {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const kind = route.ids?.[name];
    return kind === undefined ? "unknown" : idOf(kind);
  });
  return prefix === "/v1" ? `/v1${path}` : path;
}

export type Schema = {
  examples?: unknown[];
  additionalProperties?: boolean | Schema;
  properties?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
  anyOf?: Schema[];
  format?: string;
  propertyNames?: { minLength?: number; maxLength?: number };
};

/** A valid body: the example of the schema. */
export function exampleBody(route: Route): Record<string, unknown> | undefined {
  const body: Schema | undefined = route.body;
  if (!body) return undefined;
  const example = body.examples?.[0];
  if (example === undefined) throw new Error(`The body of ${route.method} ${route.path} has no example`);
  return structuredClone(example) as Record<string, unknown>;
}

/** Limits of a body: bytes, values, list elements or file lines. */
type BodySize = { bytes: number; values?: number; items?: number };

/**
 * Bodies up to the limits of a route: the example repeated as often as its lists and files allow, as many minimal records, very many
 * invalid values, and one long string.
 */
export function largestBodies(route: Route, { bytes, values = Infinity, items = Infinity }: BodySize): string[] {
  const room = bytes - 1_024;
  const example = exampleBody(route)!;
  const [name = "x"] = Object.keys(example);
  const fill = (start: string, piece: string, end: string, most = Infinity): string =>
    start + piece.repeat(Math.max(0, Math.min(most, Math.floor((room - start.length) / piece.length)))) + end;
  const ofSlot = ({ path, maxItems }: ListSlot, element: unknown): string => {
    const text = JSON.stringify(element);
    const weight = text.match(/[{[,]/g)?.length ?? 0;
    const byValues = Math.floor((values - 50) / (weight + 1));
    const count = Math.min(maxItems, items - 1, byValues, Math.floor(room / (text.length + 1)));
    const list = Array.from({ length: Math.max(1, count) }, () => element);
    return JSON.stringify(withSlot(example, path, list));
  };
  return [
    ...listSlots(route.body).flatMap((slot) => [ofSlot(slot, slot.item ?? "x"), ofSlot(slot, {})]),
    ...Object.entries(example).flatMap(([field, text]) => {
      const rows = typeof text === "string" ? text.trimEnd().split("\n") : [];
      if (rows.length < 2) return [];
      return [rows.at(-1)!, "1"].map((row) => {
        const count = Math.min(items - rows.length - 1, Math.floor(room / (row.length + 4)));
        const more = Array.from({ length: Math.max(0, count) }, () => row);
        return JSON.stringify({ ...example, [field]: [...rows, ...more].join("\n") });
      });
    }),
    fill(`{"${name}":[[0`, ",{}", "]]}", Math.floor((values - 10) / 2)),
    fill(`{"${name}":"`, "x".repeat(1_024), '"}'),
  ].filter((body) => body.length <= bytes);
}

type ListSlot = { path: string[]; maxItems: number; item: unknown };

/** Lists in the body, with an example element. */
function listSlots(schema: Schema | undefined, path: string[] = [], example?: unknown): ListSlot[] {
  if (!schema || path.includes("*")) return [];
  const shown = (example ?? schema.examples?.[0]) as Record<string, unknown> | undefined;
  return [
    ...(schema.items
      ? [{ path, maxItems: schema.maxItems ?? Infinity, item: Array.isArray(shown) ? shown[0] : undefined }]
      : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      listSlots(member, [...path, name], shown?.[name]),
    ),
    ...(schema.anyOf ?? []).flatMap((alternative) => listSlots(alternative, path, example)),
  ];
}

/** Maximum elements of the lists in the body. */
export function listLimits(schema: Schema | undefined): number[] {
  return listSlots(schema).map(({ maxItems }) => maxItems);
}

/** Paths of IDs in the body, with "*" for list elements. */
export function idSlots(schema: Schema | undefined, path: string[] = []): string[][] {
  if (!schema) return [];
  if (schema.format === "uuid") return [path];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => idSlots(member, [...path, name])),
    ...(schema.items ? idSlots(schema.items, [...path, "*"]) : []),
    ...(schema.anyOf ?? []).flatMap((alternative) => idSlots(alternative, path)),
  ];
}

type RecordSlot = { path: string[]; values: Schema; names: NonNullable<Schema["propertyNames"]> };

/** Maps with caller-defined keys in the body, their key rules and value schemas. */
export function recordSlots(schema: Schema | undefined, path: string[] = []): RecordSlot[] {
  if (!schema) return [];
  const { additionalProperties: values, properties, items, anyOf = [], propertyNames: names = {} } = schema;
  return [
    ...(typeof values === "object" ? [{ path, values, names }, ...recordSlots(values, [...path, "any"])] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => recordSlots(member, [...path, name])),
    ...(items ? recordSlots(items, [...path, "*"]) : []),
    ...anyOf.flatMap((alternative) => recordSlots(alternative, path)),
  ];
}

export function withSlot(body: unknown, [step, ...rest]: string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === "*") return [withSlot(undefined, rest, value)];
  const object = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  return { ...object, [step]: withSlot(object[step], rest, value) };
}
