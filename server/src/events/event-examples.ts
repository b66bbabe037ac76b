import type { TSchema } from "typebox";
import type { EventEnvelope, SealedEvent } from "./event-envelope.ts";
import { envelopeOf } from "./event-envelope.ts";
import type { EventDefinition } from "./define-event.ts";
import type { EventType } from "./event-catalogue.ts";
import { eventCatalogue } from "./event-catalogue.ts";

const id = (last: number): string => `0199f0a0-0000-7000-8000-${String(last).padStart(12, "0")}`;

/** What stands under these names in examples; anything else is made up from its schema. */
const samples: Record<string, unknown> = {
  number: "T-1001",
  version: 7,
  status: "ready",
  from: "pending",
  fields: ["tags"],
  trackingNumber: "1Z999AA10123456784",
  carrier: "demo",
  service: "ground",
  taskName: "import_orders",
  source: "bulk",
  count: 1,
  pickupDate: "2026-11-03",
  timezone: "America/New_York",
  cron: "0 6 * * *",
  role: "operator",
  scopes: ["orders:read"],
};

/** One that every reader can be tried with: the same on every hub, and valid for its schema. */
export function exampleOf(type: EventType): EventEnvelope {
  const { objectType, data }: EventDefinition = eventCatalogue[type];
  const event: SealedEvent = {
    orgId: id(1),
    sequence: 12_345,
    hash: Buffer.from("9f3ac01b".repeat(8), "hex"),
    id: id(2),
    type,
    objectType,
    objectId: id(3),
    actor: { type: "api_key", id: id(4), name: "" },
    requestId: "req-example",
    data: valueOf(data, "") as Record<string, unknown>,
    occurredAt: new Date("2026-11-02T09:30:00.000Z"),
  };
  return envelopeOf("live", event);
}

type Plain = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  anyOf?: TSchema[];
  items?: TSchema;
  properties?: Record<string, TSchema>;
};

function valueOf(schema: TSchema, name: string): unknown {
  if (Object.hasOwn(samples, name)) return samples[name];
  const { type, format, minimum, anyOf, items, properties, ...rest }: Plain = schema;
  if (anyOf) return valueOf(anyOf[0]!, name);
  if (rest.const !== undefined) return rest.const;
  if (rest.enum) return rest.enum[0];
  switch ([type].flat()[0]) {
    case "object":
      return Object.fromEntries(Object.entries(properties ?? {}).map(([key, part]) => [key, valueOf(part, key)]));
    case "array":
      return [valueOf(items!, name)];
    case "integer":
    case "number":
      return Math.max(1, minimum ?? 0);
    case "boolean":
      return true;
    default:
      return textOf(format, name);
  }
}

function textOf(format: string | undefined, name: string): string {
  if (format === "uuid") return id(5);
  return format === "date-time" ? "2026-11-02T09:30:00.000Z" : `some ${name}`.trim();
}
