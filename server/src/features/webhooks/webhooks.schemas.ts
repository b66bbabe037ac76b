import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Count, DateTime, Id, Nullable, OneOf, optional, pageQuery, Strict, Version } from "../../core/schema.ts";
import { EventEnvelope } from "../../events/event-envelope.ts";

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "Where to deliver, by https; plain http only where the hub may call private addresses",
});
const Types = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  description:
    "Types of events (`order.updated`, which stands for `orders.updated` as well, and the other way round) or families " +
    "(`order.*`, with what they will have later); GET /events/types has all. " +
    "Only what the caller may read",
});
const Description = Type.String({ maxLength: 500 });
const Headers = Type.Record(
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.String({ minLength: 1, maxLength: 1_000 }),
  { description: "Sent with every delivery, say for a proxy in front; stored sealed, never answered. At most 20" },
);
const Ordering = OneOf(["none", "strict"], {
  description:
    "none: begun in the order of events, several at a time; compare versions. strict: one at a time, the next when the one " +
    "before was taken or given up",
});
const MaxInFlight = Type.Integer({
  minimum: 1,
  maximum: 32,
  description: "Deliveries under way at a time; in strict order always one",
});
const Signing = OneOf(["hmac", "ed25519"], {
  description: "hmac: `v1`, with a secret that both sides know. ed25519: `v1a`, verified with a public key",
});

const settings = { url: Url, types: Types, description: Description, ordering: Ordering, maxInFlight: MaxInFlight };

export const WebhookRequest = Strict(
  {
    url: Url,
    types: Types,
    ...optional({ description: Description, headers: Headers, ordering: Ordering, signing: Signing }),
    maxInFlight: Type.Optional({ ...MaxInFlight, default: 8 }),
  },
  { examples: [{ url: "https://erp.example.com/hooks/orders", types: ["order.*", "shipment.updated"] }] },
);
export type WebhookRequest = Static<typeof WebhookRequest>;

export const WebhookPatch = Strict(
  { ...optional(settings), headers: Type.Optional(Nullable(Headers)) },
  {
    examples: [{ description: "Orders for the ERP", maxInFlight: 4 }],
  },
);
export type WebhookPatch = Static<typeof WebhookPatch>;

const Failure = Type.Object({ code: Type.String(), message: Type.String() });

const webhookStatuses = ["active", "paused", "disabled"] as const;

export const Webhook = Type.Object({
  id: Id,
  url: Type.String(),
  description: Type.String(),
  types: Type.Array(Type.String()),
  headerNames: Type.Array(Type.String(), {
    description: "Of the headers that are sent; their values are not answered",
  }),
  ordering: Ordering,
  maxInFlight: Type.Integer(),
  signing: Signing,
  publicKey: Nullable(Type.String({ description: "`whpk_…`, of ed25519" })),
  previousPublicKey: Nullable(Type.String({ description: "Signs as well until `previousSecretUntil`" })),
  previousSecretUntil: Nullable(DateTime),
  status: OneOf(webhookStatuses, {
    description: "paused: by somebody. disabled: by the hub, see `disabledReason`. Both lose nothing: POST …/enable",
  }),
  disabledReason: Nullable(
    OneOf(["gone", "failing"], { description: "It answered 410, or took nothing for five days" }),
  ),
  cursor: Type.String({ description: "Everything up to here in the event log is for others, or has a delivery" }),
  waiting: Type.Integer({
    minimum: 0,
    description: "Deliveries that wait or are under way; behind `cursor` no more than 1,000 are counted",
  }),
  health: Type.Object({
    status: OneOf(["unknown", "healthy", "failing"]),
    consecutiveFailures: Count,
    failingSince: Nullable(DateTime),
    nextProbeAt: Nullable({ ...DateTime, description: "Nothing is sent before, while it fails or asked for a pause" }),
    lastSuccessAt: Nullable(DateTime),
    lastFailureAt: Nullable(DateTime),
    lastError: Nullable(Failure),
  }),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type Webhook = Static<typeof Webhook>;

const secret = {
  secret: Nullable(
    Type.String({ description: "`whsec_…`, shown this once; null with ed25519, which has a public key" }),
  ),
};
export const NewWebhook = Type.Object({ ...Webhook.properties, ...secret });
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookQuery = pageQuery({
  status: Type.Optional(OneOf(webhookStatuses)),
  search: Type.Optional(Type.String({ maxLength: 100, description: "Part of the address or description" })),
});
export type WebhookQuery = Static<typeof WebhookQuery>;

export const EnableRequest = Strict(
  {
    from: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          "stopped (default): nothing is left out. now: what waits is skipped. A cursor of the feed: what follows it, except " +
          "for what was delivered already",
      }),
    ),
  },
  { examples: [{ from: "stopped" }] },
);
export type EnableRequest = Static<typeof EnableRequest>;

export const RotateRequest = Strict(
  {
    overlapHours: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 168, description: "For so long both sign; default 24" }),
    ),
  },
  { examples: [{ overlapHours: 24 }] },
);
export type RotateRequest = Static<typeof RotateRequest>;

export const TestRequest = Strict(
  {
    type: Type.Optional(Type.String({ maxLength: 100, description: "Of the event; default: the first of its types" })),
  },
  { examples: [{ type: "order.updated" }] },
);
export type TestRequest = Static<typeof TestRequest>;

const Answered = Type.Object({
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String({ description: "The first 4 KiB" }),
});

export const Exchange = Type.Object({
  ok: Type.Boolean({ description: "It answered 2xx" }),
  durationMs: Type.Number(),
  request: Type.Object({
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String(), { description: "Without the values of the webhook's own ones" }),
    body: Type.String(),
  }),
  response: Nullable(Answered),
  error: Nullable(Failure),
});
export type Exchange = Static<typeof Exchange>;

const deliveryStatuses = ["waiting", "delivered", "failed", "skipped"] as const;

const delivery = {
  id: Id,
  eventId: Type.String({ format: "uuid", description: "Also the `webhook-id` that is sent" }),
  type: Type.String(),
  sequence: Type.String({ description: "Of the event, 16 digits" }),
  status: OneOf(deliveryStatuses, {
    description:
      "waiting: to be sent, or under way. failed: given up after 13 tries in three days. skipped: by `enable` from now on",
  }),
  attemptCount: Count,
  nextAttemptAt: Nullable(DateTime),
  lastStatus: Nullable(Type.Integer({ description: "HTTP status of the last answer" })),
  lastError: Nullable(Failure),
  createdAt: DateTime,
  endedAt: Nullable(DateTime),
};

export const Delivery = Type.Object(delivery);
export type Delivery = Static<typeof Delivery>;

const Attempt = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  at: DateTime,
  durationMs: Type.Integer({ minimum: 0 }),
  status: Nullable(Type.Integer()),
  error: Nullable(Failure),
  headers: Nullable(Type.Record(Type.String(), Type.String(), { description: "Of the answer; kept for a week" })),
  answer: Nullable(Type.String({ description: "The first 4 KiB; kept for a week" })),
});

export const DeliveryDetail = Type.Object({
  ...delivery,
  attempts: Type.Array(Attempt),
  event: Type.Unsafe<EventEnvelope | null>({
    ...Nullable(EventEnvelope),
    description: "What is sent; null without `events:read` and the scope of its type, or when the log has it no more",
  }),
});
export type DeliveryDetail = Static<typeof DeliveryDetail>;

export const DeliveryQuery = pageQuery({
  status: Type.Optional(OneOf(deliveryStatuses)),
  type: Type.Optional(Type.String({ maxLength: 100 })),
  eventId: Type.Optional(Type.String({ format: "uuid" })),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

export const ResendRequest = Strict(
  {
    from: { ...DateTime, description: "Events of this moment or later" },
    to: Type.Optional({ ...DateTime, description: "Events before this moment; default: now" }),
    types: Type.Optional(Types),
    only: Type.Optional(
      OneOf(["failed", "all"], {
        description: "failed (default): what was given up. all: everything that the webhook is for, delivered or not",
      }),
    ),
  },
  { examples: [{ from: "2026-11-01T00:00:00Z", only: "all" }] },
);
export type ResendRequest = Static<typeof ResendRequest>;

export const ResendAnswer = Type.Object({
  id: Id,
  estimate: Type.Integer({ minimum: 1, description: "So many, or a few more or less" }),
  estimateIsCapped: Type.Boolean({ description: "There are more: it was not counted further" }),
});
export type ResendAnswer = Static<typeof ResendAnswer>;
