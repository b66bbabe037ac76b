import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Count, DateTime, Id, Nullable, OneOf, optional, pageQuery, Strict, Version } from "../../core/schema.ts";
import { EventEnvelope } from "../../events/event-envelope.ts";

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "Endpoint URL. https is required unless the hub may call private addresses",
});
const Types = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  description:
    "Event types (`order.updated` includes `orders.updated` and the other way round) or families (`order.*`, including types " +
    "added later); see GET /events/types. The caller must be allowed to read all of them",
});
const Description = Type.String({ maxLength: 500 });
const Headers = Type.Record(
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.String({ minLength: 1, maxLength: 1_000 }),
  { description: "Headers sent with every delivery, for example for a proxy. Encrypted and write-only. At most 20" },
);
const Ordering = OneOf(["none", "strict"], {
  description:
    "none: started in the order of events, several at a time; compare versions. strict: one at a time, each after the previous " +
    "one was delivered or has failed",
});
const MaxInFlight = Type.Integer({
  minimum: 1,
  maximum: 32,
  description: "Maximum number of concurrent requests; always 1 with strict ordering",
});
const Signing = OneOf(["hmac", "ed25519"], {
  description: "hmac: scheme `v1` with a shared secret. ed25519: scheme `v1a`, verified with a public key",
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
    description: "Names of the headers sent with deliveries; their values are write-only",
  }),
  ordering: Ordering,
  maxInFlight: Type.Integer(),
  signing: Signing,
  publicKey: Nullable(Type.String({ description: "`whpk_…`, with ed25519" })),
  previousPublicKey: Nullable(Type.String({ description: "Also valid until `previousSecretExpiresAt`" })),
  previousSecretExpiresAt: Nullable(DateTime),
  status: OneOf(webhookStatuses, {
    description:
      "paused: by a user. disabled: by the hub, see `disabledReason`. No event is lost: POST …/enable continues",
  }),
  disabledReason: Nullable(
    OneOf(["gone", "failing"], {
      description: "gone: the endpoint responded with 410. failing: no delivery has succeeded for five days",
    }),
  ),
  cursor: Type.String({
    description: "Position in the event log: all events up to here have a delivery or are of other types",
  }),
  pendingCount: Type.Integer({
    minimum: 0,
    description: "Deliveries that are pending or in flight; at most 1,000 events after `cursor` are counted",
  }),
  health: Type.Object({
    status: OneOf(["unknown", "healthy", "failing"]),
    consecutiveFailures: Count,
    failingSince: Nullable(DateTime),
    nextAttemptAt: Nullable({
      ...DateTime,
      description: "No request is sent before this time, after failures or a Retry-After header",
    }),
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
  secret: Nullable(Type.String({ description: "`whsec_…`, returned only once; null with ed25519" })),
};
export const NewWebhook = Type.Object({ ...Webhook.properties, ...secret });
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookQuery = pageQuery({
  status: Type.Optional(OneOf(webhookStatuses)),
  search: Type.Optional(Type.String({ maxLength: 100, description: "Part of the URL or description" })),
});
export type WebhookQuery = Static<typeof WebhookQuery>;

export const EnableRequest = Strict(
  {
    from: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          "last_position (default): no event is left out. now: pending deliveries are skipped. A cursor of the feed: events after " +
          "it that were not delivered yet",
      }),
    ),
  },
  { examples: [{ from: "last_position" }] },
);
export type EnableRequest = Static<typeof EnableRequest>;

export const RotateRequest = Strict(
  {
    overlapHours: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 168, description: "How long the previous secret stays valid; default 24" }),
    ),
  },
  { examples: [{ overlapHours: 24 }] },
);
export type RotateRequest = Static<typeof RotateRequest>;

export const TestRequest = Strict(
  {
    type: Type.Optional(
      Type.String({ maxLength: 100, description: "Event type; default: the first type of the webhook" }),
    ),
  },
  { examples: [{ type: "order.updated" }] },
);
export type TestRequest = Static<typeof TestRequest>;

const ResponseReceived = Type.Object({
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String({ description: "The first 4 KiB" }),
});

export const Exchange = Type.Object({
  ok: Type.Boolean({ description: "The endpoint responded with 2xx" }),
  durationMs: Type.Number(),
  request: Type.Object({
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String(), {
      description: "Values of the webhook's own headers are masked",
    }),
    body: Type.String(),
  }),
  response: Nullable(ResponseReceived),
  error: Nullable(Failure),
});
export type Exchange = Static<typeof Exchange>;

const deliveryStatuses = ["pending", "delivered", "failed", "skipped"] as const;

const delivery = {
  id: Id,
  eventId: Type.String({ format: "uuid", description: "Sent as the header `webhook-id`" }),
  type: Type.String(),
  sequence: Type.String({ description: "Sequence number of the event, 16 digits" }),
  status: OneOf(deliveryStatuses, {
    description:
      "pending: not sent yet, or in flight. failed: 13 attempts in three days did not succeed. skipped: by `enable` with `from: now`",
  }),
  attemptCount: Count,
  nextAttemptAt: Nullable(DateTime),
  lastResponseStatus: Nullable(Type.Integer({ description: "HTTP status of the last response" })),
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
  responseStatus: Nullable(Type.Integer()),
  error: Nullable(Failure),
  responseHeaders: Nullable(Type.Record(Type.String(), Type.String(), { description: "Kept for a week" })),
  responseBody: Nullable(Type.String({ description: "The first 4 KiB; kept for a week" })),
});

export const DeliveryDetail = Type.Object({
  ...delivery,
  attempts: Type.Array(Attempt),
  event: Type.Unsafe<EventEnvelope | null>({
    ...Nullable(EventEnvelope),
    description: "The event that is sent; null without `events:read` and the scope of its type",
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
    from: { ...DateTime, description: "Events at or after this time" },
    to: Type.Optional({ ...DateTime, description: "Events before this time; default: now" }),
    types: Type.Optional(Types),
    include: Type.Optional(
      OneOf(["failed", "all"], {
        description: "failed (default): failed deliveries. all: all events of the webhook's types, delivered or not",
      }),
    ),
  },
  { examples: [{ from: "2026-11-01T00:00:00Z", include: "all" }] },
);
export type ResendRequest = Static<typeof ResendRequest>;

export const ResendAnswer = Type.Object({
  id: Id,
  estimatedCount: Type.Integer({ minimum: 1, description: "Approximate number of deliveries" }),
  isCapped: Type.Boolean({ description: "There are more than were counted" }),
});
export type ResendAnswer = Static<typeof ResendAnswer>;
