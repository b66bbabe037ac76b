/** One row as the hub has it. What this editor does not know of it is kept as it is. */
export type Mapping = Record<string, unknown>;

/** `key` tells rows apart when they move; `inner` are the rows of a list. */
export type Row = { key: number; mapping: Mapping; inner?: Row[] | undefined };

export type RowKind = "source" | "value" | "template" | "each";
const kinds: readonly RowKind[] = ["source", "value", "template", "each"];

let nextKey = 1;

export function rowOf(mapping: Mapping): Row {
  const { mappings, ...rest } = mapping;
  // A list of rows, or something of a newer language that stays what it is.
  return Array.isArray(mappings) && mappings.every(isPlain)
    ? { key: nextKey++, mapping: rest, inner: mappings.map(rowOf) }
    : { key: nextKey++, mapping };
}

export const toRows = (mappings: readonly Mapping[]): Row[] => mappings.map(rowOf);

export const toMapping = ({ mapping, inner }: Row): Mapping =>
  inner ? { ...mapping, mappings: inner.map(toMapping) } : mapping;

export const toMappings = (rows: readonly Row[]): Mapping[] => rows.map(toMapping);

const isPlain = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where a row takes its value from; undefined: in a way that this editor does not draw. */
export function kindOf({ mapping, inner }: Row): RowKind | undefined {
  const given = kinds.filter((kind) => Object.hasOwn(mapping, kind));
  const [kind] = given;
  if (given.length !== 1 || !kind) return undefined;
  if (kind !== "value" && typeof mapping[kind] !== "string") return undefined;
  if ((kind === "each") !== (inner !== undefined)) return undefined;
  return mapping["target"] === undefined || typeof mapping["target"] === "string" ? kind : undefined;
}

const drawn = new Set<string>([
  ...kinds,
  "target",
  "type",
  "default",
  "required",
  "transforms",
  "when",
  "onError",
  "note",
  "mappings",
]);

/** What is said of a row that no field is drawn for. */
export const unknownOf = (mapping: Mapping): Mapping =>
  Object.fromEntries(Object.entries(mapping).filter(([name]) => !drawn.has(name)));

/** Another way to get the value; the rest stays. */
export function withKind(row: Row, kind: RowKind): Row {
  const { source: _source, value: _value, template: _template, each: _each, ...rest } = row.mapping;
  const old = kindOf(row);
  const text = old && old !== "value" ? textAt(row.mapping, old) : "";
  const mapping = { ...rest, [kind]: kind === "value" ? "" : text };
  return { key: row.key, mapping, ...(kind === "each" ? { inner: row.inner ?? [] } : {}) };
}

const textAt = (mapping: Mapping, name: string): string => {
  const text = mapping[name];
  return typeof text === "string" ? text : "";
};

/** With a field set, or without it when it is empty. */
export function withField(row: Row, name: string, value: unknown): Row {
  const { [name]: _old, ...rest } = row.mapping;
  return { ...row, mapping: value === undefined ? rest : { ...rest, [name]: value } };
}

/** A constant as it is typed: a number, true, null or a list is one; everything else is a text. */
export function readConstant(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The other way round: a text that would be read as something else stands in quotes. */
export function showConstant(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return readConstant(value) === value ? value : JSON.stringify(value);
}

export type Place = {
  /** As a row names it. */
  path: string;
  name: string;
  value: unknown;
  depth: number;
  /** The list around it, if it is in an element of one: then the path begins with @. */
  list?: string;
  isList: boolean;
};

const plainName = /^[A-Za-z_$][\w$]*$/;
const pathStep = (name: string): string =>
  plainName.test(name) ? `.${name}` : `['${name.replaceAll(/['\\]/g, "\\$&")}']`;

const maxPlaces = 400;

/** Where something stands in a sample. Of a list of records the first one is shown, as rows inside of the list name it. */
export function placesIn(sample: unknown): Place[] {
  const places: Place[] = [];
  const visit = (value: unknown, path: string, depth: number, list: string | undefined): void => {
    if (!isPlain(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (places.length >= maxPlaces) return;
      const own = path + pathStep(name);
      const isList = Array.isArray(member) && isPlain(member[0]);
      places.push({ path: own, name, value: member, depth, isList, ...(list === undefined ? {} : { list }) });
      // A list in a list is named in the rows of the inner one; this is shown one level deep.
      if (isList && list === undefined) visit((member as unknown[])[0], "@", depth + 1, own);
      else visit(member, own, depth + 1, list);
    }
  };
  visit(sample, "$", 0, undefined);
  return places;
}

/** Targets there are already, with those of lists: `lines[].sku`. */
export function targetsOf(rows: readonly Row[], around = ""): string[] {
  return rows.flatMap((row) => {
    const target = typeof row.mapping["target"] === "string" ? around + row.mapping["target"] : "";
    return [target, ...(row.inner ? targetsOf(row.inner, `${target}[].`) : [])].filter(Boolean);
  });
}

const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "?"));

/** Rows as lines to compare: where from and where to, then each thing that is said besides, by itself. */
export function mappingText(mappings: readonly Mapping[], indent = ""): string {
  const lines = mappings.map((mapping) => {
    const { target, source, each, template, value, mappings: inner, ...rest } = mapping;
    const from =
      source !== undefined
        ? shown(source)
        : each !== undefined
          ? `each ${shown(each)}`
          : template !== undefined
            ? `text ${shown(template)}`
            : `constant ${shown(value)}`;
    const first = `${from} → ${shown(target)}`;
    const more = Object.entries(rest).map(([name, one]) => `${indent}    ${name}: ${JSON.stringify(one)}`);
    const below = Array.isArray(inner) ? [mappingText(inner as Mapping[], `${indent}    `)] : [];
    return [indent + first, ...more, ...below.filter(Boolean)].join("\n");
  });
  return lines.join("\n");
}
