/** Example values for answers, made from the schemas of the finished document. */

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  examples?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
};

const exampleId = (last: number): string => `0199f0a0-0000-7000-8000-${String(last).padStart(12, "0")}`;

/** Typical values by field name; other values follow from the schema. A value that the schema rejects is not used. */
const samples: Record<string, unknown> = {
  number: "T-1001",
  orderNumber: "T-1001",
  order_number: "T-1001",
  ref: "T-1001",
  name: "Main warehouse",
  title: "Main warehouse",
  email: "ada@example.com",
  phone: "+1 518 555 0100",
  company: "Example Supply",
  address1: "12 Main Street",
  city: "Albany",
  province: "New York",
  provinceCode: "NY",
  state: "NY",
  zip: "12207",
  postal_code: "12207",
  country: "US",
  countryCode: "US",
  country_code: "US",
  currency: "USD",
  timezone: "America/New_York",
  cron: "0 6 * * *",
  sku: "MUG-11",
  tags: ["vip"],
  carrier: "demo",
  service: "ground",
  trackingNumber: "1Z999AA10123456784",
  tracking_number: "1Z999AA10123456784",
  taskName: "import_orders",
  task_name: "import_orders",
  connector: "rest",
  url: "https://example.com/hub-events",
  imageUrl: "https://example.com/mug.jpg",
  environment: "live",
  code: "invalid_state",
  message: "The order is already shipped.",
  summary: "An order was updated",
  requestId: "req_5f1d7a84c02b4c8e9d3b6a10",
  cursor: "12345-9f3ac01b",
  sequence: 12_345,
  hash: "9f3ac01b".repeat(8),
  previousHash: "1c0ab2f4".repeat(8),
  version: 7,
  page: 1,
  pages: 1,
  limit: 25,
  total: 1,
  hasMore: false,
  has_more: false,
  unit: "lb",
};
const moment = "2026-11-02T09:30:00.000Z";
const formats: Record<string, string> = {
  "date-time": moment,
  "date-or-date-time": moment,
  date: "2026-11-02",
  time: "09:30:00",
  email: "ada@example.com",
  uri: "https://example.com/hub-events",
  uuid: exampleId(5),
};
const texts = [
  "2026-11-02",
  "09:30",
  "US",
  "USD",
  "NY",
  "12207",
  "1001",
  "example",
  "example.com",
  "demo",
  "#1f6feb",
  "1 day",
  "A-1",
];

/** Deeper than this only required members are filled in, so that recursive schemas end. */
const maxDepth = 8;

export type ExampleMaker = (schema: unknown) => unknown;

export function createExamples(schemas: Record<string, unknown>): ExampleMaker {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolve(schemas[schema.$ref.split("/").at(-1)!] as Schema);

  function valueOf(given: Schema, name: string, depth: number): unknown {
    const schema = resolve(given);
    if (schema.examples) return schema.examples[0];
    if (schema.const !== undefined) return schema.const;
    if (schema.allOf) {
      const parts = schema.allOf.map((part) => valueOf(part, name, depth) as object);
      return Object.assign({}, ...parts);
    }
    const alternatives = schema.oneOf ?? schema.anyOf;
    if (alternatives)
      return depth > maxDepth ? shallow(alternatives, name, depth) : valueOf(alternatives[0]!, name, depth);
    const types = [schema.type ?? []].flat();
    if (schema.enum) return schema.enum.includes(samples[name]) ? samples[name] : schema.enum[0];
    if (depth > maxDepth && types.includes("null")) return null;
    return ofType(types[0], schema, name, depth);
  }

  function shallow(alternatives: Schema[], name: string, depth: number): unknown {
    return alternatives.some(({ type }) => type === "null") ? null : valueOf(alternatives[0]!, name, depth);
  }

  function ofType(type: string | undefined, schema: Schema, name: string, depth: number): unknown {
    switch (type) {
      case "object":
        return objectOf(schema, depth);
      case "array": {
        if (depth > maxDepth && (schema.minItems ?? 0) === 0) return [];
        if (name === "tags") return samples[name];
        return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () =>
          valueOf(schema.items ?? {}, singular(name), depth + 1),
        );
      }
      case "integer":
      case "number":
        return numberOf(schema, name);
      case "boolean":
        return typeof samples[name] === "boolean" ? samples[name] : true;
      case "null":
        return null;
      case "string":
        return textOf(schema, name);
      default:
        return samples[name] ?? "example";
    }
  }

  function objectOf(schema: Schema, depth: number): Record<string, unknown> {
    const { properties = {}, additionalProperties, propertyNames } = schema;
    const members = Object.entries(properties).map(([name, part]) => [name, valueOf(part, name, depth + 1)]);
    if (members.length === 0 && typeof additionalProperties === "object" && depth <= maxDepth) {
      const key = propertyNames ? textOf(resolve(propertyNames), "") : "example";
      members.push([key, valueOf(additionalProperties, "", depth + 1)]);
    }
    return Object.fromEntries(members);
  }

  return (schema) => valueOf(schema as Schema, "", 0);
}

const singular = (name: string): string => name.replace(/s$/, "");

function numberOf({ minimum = 0, maximum = Infinity, type }: Schema, name: string): number {
  const sample = samples[name];
  const isWhole = [type].flat().includes("integer");
  if (typeof sample === "number" && sample >= minimum && sample <= maximum) return sample;
  const typical = isWhole ? 1 : 12.5;
  return Math.min(maximum, Math.max(minimum, typical));
}

function textOf({ format, pattern, minLength = 0, maxLength = Infinity }: Schema, name: string): string {
  const fits = (text: unknown): text is string =>
    typeof text === "string" &&
    text.length >= minLength &&
    text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, "u").test(text));
  if (format !== undefined && Object.hasOwn(formats, format)) return formats[format]!;
  if (/(?:At|_at)$/.test(name) && fits(moment)) return moment;
  return (
    [samples[name], ...texts.toSorted((a, b) => Number(b === "example") - Number(a === "example"))].find(fits) ??
    "x".repeat(minLength)
  );
}
