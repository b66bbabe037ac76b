import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes the types of the client from docs/openapi.json; with --check it only says whether they are fresh. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  description?: string;
};
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema; description?: string };
type Content = { required?: boolean; content?: Record<string, { schema?: Schema; "x-data"?: Schema }> };
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
  const inner = [
    ...(schema.oneOf ?? schema.anyOf ?? []),
    ...(schema.allOf ?? []),
    ...Object.values(schema.properties ?? {}),
  ];
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
  const names = namesAmong(schema.anyOf ?? []);
  if (names) return `Open<${names.join(" | ")}>`;
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return unionOf(alternatives.map((part) => typeOf(part, style)));
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part, style)})`).join(" & ");
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length === 0) return "unknown";
  return unionOf(types.map((type) => oneTypeOf(type, schema, style)));
}

/** A name, or several in one text: a union with `string` would lose the names. */
function namesAmong([name, text]: Schema[]): string[] | undefined {
  if (name?.type !== "string" || !name.enum || text?.type !== "string" || text.pattern === undefined) return undefined;
  return name.enum.map((word) => JSON.stringify(word));
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

const live = "text/event-stream";

/** Messages of the streams, by operation. */
const streams = Object.entries(document.paths).flatMap(([url, methods]) =>
  Object.entries(methods).flatMap(([method, { responses }]) => {
    const data = responses["200"]?.content?.[live]?.["x-data"];
    return data ? [`  "${method.toUpperCase()} ${url}": ${typeOf(data, { isOpen: true, indent: "  " })};`] : [];
  }),
);

const types = `// Generated by \`npm run generate\` from docs/openapi.json; do not edit.

/** Answers of a newer hub may have words that are not in the list. */
type Open<Word> = Word | (string & {});

${named.join("\n\n")}

/** Every operation of the hub: what it takes and what it answers. */
export type Operations = {
${operations.join("\n")}
};

/** Data of each message of a stream. */
export type StreamData = {
${streams.join("\n")}
};

/** Operations without an Idempotency-Key: after a lost response it is unknown whether they were executed. */
export const unkeyedPosts: ReadonlySet<string> = new Set([
${unkeyed.map((key) => `  "${key}",`).join("\n")}
]);
`;

type Kind = "list" | "watch" | "watchBy" | "follow" | "body" | "query" | "none";
const wrappers: Partial<Record<Kind, string>> = { list: "List", watch: "Watch", watchBy: "Watch", follow: "Follow" };

/** How a method is called, and what it returns. `watchBy` takes a query, `watch` does not. */
function kindOf(operation: Operation): Kind {
  const answer = operation.responses["200"]?.content;
  const hasQuery = (operation.parameters ?? []).some((parameter) => parameter.in === "query");
  if (operation.operationId === "events.stream") return "follow";
  if (answer?.[live]) return hasQuery ? "watchBy" : "watch";
  if (operation.requestBody?.content?.[json]) return "body";
  const { pagination, cursor } = answer?.[json]?.schema?.properties ?? {};
  if (hasQuery && (pagination ?? cursor)) return "list";
  return hasQuery ? "query" : "none";
}

type Tree = { line?: string; members: Map<string, Tree> };
const summaries = new Map<Tree, string>();
const tree: Tree = { members: new Map() };
const table: string[] = [];
for (const [url, methods] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const key = `${method.toUpperCase()} ${url}`;
    const kind = kindOf(operation);
    // A stream that takes a body is called with `client.stream`.
    if (kind === "watch" && operation.requestBody) continue;
    table.push(`  "${operation.operationId}": "${kind} ${key}",`);
    let at = tree;
    for (const part of operation.operationId.split(".")) {
      if (!at.members.has(part)) at.members.set(part, { members: new Map() });
      at = at.members.get(part)!;
    }
    at.line = `${wrappers[kind] ?? "Call"}<"${key}">`;
    summaries.set(at, operation.summary);
  }
}

function writeTree({ members }: Tree, indent: string): string {
  const lines = [...members].map(([name, member]) => {
    const summary = summaries.get(member);
    const note = summary === undefined ? "" : `${indent}/** ${oneLine(summary)} */\n`;
    const inside = member.members.size > 0 ? `{\n${writeTree(member, `${indent}  `)}\n${indent}}` : undefined;
    return `${note}${indent}${name}: ${[member.line, inside].filter(Boolean).join(" & ")};`;
  });
  return lines.join("\n");
}

const used = [...new Set(table.map((line) => wrappers[/": "(\w+)/.exec(line)![1] as Kind] ?? "Call"))].toSorted();
const api = `// Generated by \`npm run generate\` from docs/openapi.json; do not edit.
import type { ${used.join(", ")} } from "./methods.ts";

/** Every operation under its name. */
export type HubApi = {
${writeTree(tree, "  ")}
};

/** How each operation is called: kind, method and path. */
export const methods: Readonly<Record<string, string>> = {
${table.join("\n")}
};
`;

for (const [name, text] of Object.entries({ "api-types.ts": types, "api-methods.ts": api })) {
  const target = path.join(root, "sdk/src", name);
  if (!process.argv.includes("--check")) writeFileSync(target, text);
  else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
    console.error(`sdk/src/${name} is stale: run npm run generate`);
    process.exitCode = 1;
  }
}
