import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Operation, OperationField } from "../cli/src/operation.ts";
import { isWrite } from "../cli/src/operation.ts";
import { methods } from "../sdk/src/api-methods.ts";

/** Writes the options of the commands from docs/openapi.json; with --check it only reports whether the file is fresh. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
};
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema; description?: string };
type Content = Record<string, { schema?: Schema }>;
type Documented = {
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses: Record<string, { content?: Content }>;
  "x-scope"?: string;
};
type Document = {
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, Schema> };
};

const root = path.join(import.meta.dirname, "..");
const document = JSON.parse(readFileSync(path.join(root, "docs/openapi.json"), "utf8")) as Document;

/** Sign-in and the own account, which an API key cannot change; `hub events tail` replaces the stream; shops and carriers call the last ones. */
const leftOut = /^auth\.|^me\.(?:totp|email|password|preferences)\.|^events\.stream$|\.inboundWebhooks\./;

const resolved = (schema: Schema): Schema =>
  schema.$ref ? resolved(document.components.schemas[schema.$ref.split("/").at(-1)!]!) : schema;

function fieldOf(name: string, given: Schema, required: boolean, description = given.description): OperationField {
  const schema = resolved(given);
  const alternatives = (schema.anyOf ?? [schema]).map(resolved);
  const types = alternatives.flatMap(({ type }) => type ?? []);
  const list = alternatives.find(({ type }) => [type].flat().includes("array"));
  const item = list ? resolved(list.items ?? {}) : undefined;
  const words = [...alternatives, item].flatMap((one) => one?.enum ?? []).filter((word) => typeof word === "string");
  const text = (description ?? schema.description)?.split(/(?<=\.)\s/)[0];
  return {
    name,
    type: typeOf(item ? [item.type ?? "object"].flat() : types),
    ...(list ? { isList: true } : {}),
    ...(required ? { isRequired: true } : {}),
    ...(words.length > 0 ? { values: [...new Set(words)] } : {}),
    ...(text ? { text } : {}),
  };
}

function typeOf(types: string[]): OperationField["type"] {
  const [first, ...others] = types.filter((type) => type !== "null" && type !== "array");
  if (others.some((type) => type !== first)) return others.includes("object") ? "json" : "string";
  if (first === "integer" || first === "number") return "number";
  return first === "boolean" || first === "string" ? first : "json";
}

function queryOf({ parameters = [] }: Documented): OperationField[] {
  const query = parameters.filter((one) => one.in === "query");
  return query.map(({ name, schema, required, description }) => fieldOf(name, schema, required ?? false, description));
}

function bodyOf({ requestBody }: Documented): OperationField[] {
  const schema = resolved(requestBody?.content?.["application/json"]?.schema ?? {});
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, field]) => fieldOf(name, field, required.has(name)));
}

/** What a change answers: --fields and -o are checked against it before the request is sent. */
function returnsOf({ responses }: Documented): Operation["returns"] {
  const contents = Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith("2") ? Object.entries(content ?? {}) : [],
  );
  if (contents.length > 0 && contents.every(([type]) => !/json|^text\//.test(type))) return "file";
  const records = contents.map(([, { schema }]) => resolved(schema ?? {}).properties);
  if (records.length === 0 || records.includes(undefined)) return undefined;
  return [...new Set(records.flatMap((properties) => entryFieldsOf(properties!)))];
}

/** Of an entry, if the answer is nothing but a list. */
function entryFieldsOf(properties: Record<string, Schema>): string[] {
  const { data, ...others } = properties;
  const entry = data && Object.keys(others).length === 0 ? resolved(resolved(data).items ?? {}) : undefined;
  return Object.keys(entry?.properties ?? properties);
}

function operationOf(kind: string, key: string, documented: Documented): Operation {
  const files = Object.keys(documented.requestBody?.content ?? {}).filter((type) => type !== "application/json");
  const [query, body] = [queryOf(documented), bodyOf(documented)];
  const scope = documented["x-scope"] ?? "any";
  const returns = isWrite({ key, scope }) ? returnsOf(documented) : undefined;
  return {
    kind: kind as Operation["kind"],
    key,
    summary: documented.summary,
    scope,
    ...(query.length > 0 ? { query } : {}),
    ...(body.length > 0 ? { body } : {}),
    ...(files.length > 0 ? { takesFile: true } : {}),
    ...(returns ? { returns } : {}),
  };
}

const operations: Record<string, Operation> = {};
for (const [url, byMethod] of Object.entries(document.paths)) {
  for (const [method, documented] of Object.entries(byMethod)) {
    const name = documented.operationId;
    const kind = methods[name]?.split(" ")[0];
    if (kind === undefined || leftOut.test(name)) continue;
    operations[name] = operationOf(kind, `${method.toUpperCase()} ${url}`, documented);
  }
}

const lines = Object.entries(operations).map(([name, one]) => `  ${JSON.stringify(name)}: ${JSON.stringify(one)}`);
const text = `{\n${lines.join(",\n")}\n}\n`;
const target = path.join(root, "cli/src/operations.json");
if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
  console.error("cli/src/operations.json is stale: run npm run generate");
  process.exitCode = 1;
}
