import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes the types of the client from docs/openapi.json; with --check it only says whether they are fresh. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  description?: string;
};
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema; description?: string };
type Content = { content?: Record<string, { schema?: Schema }> };
type Operation = {
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const root = path.join(import.meta.dirname, "..");
const target = path.join(root, "sdk/src/api-types.ts");
const document = JSON.parse(readFileSync(path.join(root, "docs/openapi.json"), "utf8")) as Document;
const json = "application/json";

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

/** Names that a request may hold. The rest only comes back, and a newer hub may answer with words that are not known yet. */
const requested = new Set<string>();
function collect(schema: Schema | boolean | undefined): void {
  if (schema === undefined || typeof schema === "boolean") return;
  if (schema.$ref) {
    const name = nameOf(schema.$ref);
    if (requested.has(name)) return;
    requested.add(name);
    collect(document.components.schemas[name]);
  }
  const inner = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...Object.values(schema.properties ?? {})];
  for (const part of [...inner, schema.items, schema.additionalProperties]) collect(part);
}

const primitives: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

type Style = { isOpen: boolean; indent: string };

function typeOf(schema: Schema, style: Style): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) {
    const words = schema.enum.map((word) => JSON.stringify(word)).join(" | ");
    return style.isOpen && schema.enum.some((word) => typeof word === "string") ? `Open<${words}>` : words;
  }
  if (schema.anyOf) return unionOf(schema.anyOf.map((part) => typeOf(part, style)));
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part, style)})`).join(" & ");
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length === 0) return "unknown";
  return unionOf(types.map((type) => oneTypeOf(type, schema, style)));
}

const unionOf = (parts: string[]): string => [...new Set(parts)].join(" | ");

function oneTypeOf(type: string, schema: Schema, style: Style): string {
  if (type === "array") return `Array<${typeOf(schema.items ?? {}, style)}>`;
  if (type !== "object") return primitives[type]!;
  const fields = Object.entries(schema.properties ?? {});
  const rest = schema.additionalProperties;
  if (fields.length === 0) {
    if (rest === false) return "Record<string, never>";
    return `Record<string, ${rest === undefined || rest === true ? "unknown" : typeOf(rest, style)}>`;
  }
  const required = new Set(schema.required);
  const indent = `${style.indent}  `;
  const lines = fields.map(([name, field]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const note = field.description ? `${indent}/** ${oneLine(field.description)} */\n` : "";
    return `${note}${indent}${key}${required.has(name) ? "" : "?"}: ${typeOf(field, { ...style, indent })};`;
  });
  return `{\n${lines.join("\n")}\n${style.indent}}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("*/", "* /");

function parametersOf(place: string, operation: Operation): string | undefined {
  const found = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  if (found.length === 0) return undefined;
  const properties = Object.fromEntries(
    found.map(({ name, schema, description }) => [name, { description, ...schema }]),
  );
  const required = found.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  return typeOf({ type: "object", properties, required }, { isOpen: false, indent: "    " });
}

function answerOf(operation: Operation): string {
  const types = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, { content }]) => Object.entries(content ?? {}))
    .map(([media, { schema }]) => {
      if (media === json) return typeOf(schema ?? {}, { isOpen: true, indent: "    " });
      return media.startsWith("text/") ? "string" : "Blob";
    });
  return types.length === 0 ? "undefined" : unionOf(types);
}

const keyRef = "#/components/parameters/IdempotencyKey";
const unkeyed: string[] = [];

function operationOf(key: string, operation: Operation): string {
  const refs = (operation.parameters ?? []).map((parameter) => parameter.$ref);
  if (key.startsWith("POST ") && !refs.includes(keyRef)) unkeyed.push(key);
  const body = operation.requestBody?.content?.[json]?.schema;
  const fields = {
    path: parametersOf("path", operation),
    query: parametersOf("query", operation),
    body: body && typeOf(body, { isOpen: false, indent: "    " }),
    answer: answerOf(operation),
  };
  const lines = Object.entries(fields).flatMap(([name, type]) => (type ? [`    ${name}: ${type};`] : []));
  return `  /** ${oneLine(operation.summary)} (\`${operation.operationId}\`) */\n  "${key}": {\n${lines.join("\n")}\n  };`;
}

for (const operations of Object.values(document.paths)) {
  for (const { parameters, requestBody } of Object.values(operations)) {
    for (const parameter of parameters ?? []) collect(parameter.schema);
    collect(requestBody?.content?.[json]?.schema);
  }
}

const named = Object.entries(document.components.schemas).map(
  ([name, schema]) => `export type ${name} = ${typeOf(schema, { isOpen: !requested.has(name), indent: "" })};`,
);
const operations = Object.entries(document.paths).flatMap(([url, methods]) =>
  Object.entries(methods).map(([method, operation]) => operationOf(`${method.toUpperCase()} ${url}`, operation)),
);

const text = `// Generated by \`npm run generate\` from docs/openapi.json; do not edit.

/** Answers of a newer hub may have words that are not in the list. */
type Open<Word> = Word | (string & {});

${named.join("\n\n")}

/** Every operation of the hub: what it takes and what it answers. */
export type Operations = {
${operations.join("\n")}
};

/** Operations without an Idempotency-Key: after a lost response it is unknown whether they were executed. */
export const unkeyedPosts: ReadonlySet<string> = new Set([
${unkeyed.map((key) => `  "${key}",`).join("\n")}
]);
`;

if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.error("sdk/src/api-types.ts is stale: run npm run generate");
  process.exitCode = 1;
}
