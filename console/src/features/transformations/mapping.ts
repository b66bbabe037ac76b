/** A mapping as in the API. Unknown properties are kept. */
export type Mapping = Record<string, unknown>;

/** `key` is the React key; `inner` are the rows of a list. */
export type Row = { key: number; mapping: Mapping; inner?: Row[] | undefined };

export type RowKind = "source" | "value" | "template" | "each";
const kinds: readonly RowKind[] = ["source", "value", "template", "each"];

let nextKey = 1;

export function rowOf(mapping: Mapping): Row {
  const { mappings, ...rest } = mapping;
  // A list of rows; anything else is left as it is.
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

/** Where a row takes its value from; undefined: not supported by this editor. */
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

/** Properties without a form field. */
export const unknownOf = (mapping: Mapping): Mapping =>
  Object.fromEntries(Object.entries(mapping).filter(([name]) => !drawn.has(name)));

/** Changes the kind of source and keeps the rest. */
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

/** Sets a property, or removes it when it is empty. */
export function withField(row: Row, name: string, value: unknown): Row {
  const { [name]: _old, ...rest } = row.mapping;
  return { ...row, mapping: value === undefined ? rest : { ...rest, [name]: value } };
}

/** Parses a typed constant: JSON if it parses, otherwise text. */
export function readConstant(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The inverse: quotes a text that would parse as JSON. */
export function showConstant(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return readConstant(value) === value ? value : JSON.stringify(value);
}

export type SourcePath = {
  /** Path as written in a row. */
  path: string;
  name: string;
  value: unknown;
  depth: number;
  /** Path of the surrounding list, if any; `path` then starts with @. */
  list?: string;
  isList: boolean;
};

const plainName = /^[A-Za-z_$][\w$]*$/;
const pathStep = (name: string): string =>
  plainName.test(name) ? `.${name}` : `['${name.replaceAll(/['\\]/g, "\\$&")}']`;

const maxPaths = 400;

/** Paths of a sample. Of a list, only the first element is listed. */
export function sourcePathsIn(sample: unknown): SourcePath[] {
  const paths: SourcePath[] = [];
  const visit = (value: unknown, path: string, depth: number, list: string | undefined): void => {
    if (!isPlain(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (paths.length >= maxPaths) return;
      const own = path + pathStep(name);
      const isList = Array.isArray(member) && isPlain(member[0]);
      paths.push({ path: own, name, value: member, depth, isList, ...(list === undefined ? {} : { list }) });
      // Only one level of lists is shown.
      if (isList && list === undefined) visit((member as unknown[])[0], "@", depth + 1, own);
      else visit(member, own, depth + 1, list);
    }
  };
  visit(sample, "$", 0, undefined);
  return paths;
}

/** Existing targets, including those of lists: `lines[].sku`. */
export function targetsOf(rows: readonly Row[], around = ""): string[] {
  return rows.flatMap((row) => {
    const target = typeof row.mapping["target"] === "string" ? around + row.mapping["target"] : "";
    return [target, ...(row.inner ? targetsOf(row.inner, `${target}[].`) : [])].filter(Boolean);
  });
}

const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "?"));

/** Rows as text lines for a diff: source and target first, then one line per option. */
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
