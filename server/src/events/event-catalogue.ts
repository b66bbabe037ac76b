import type { Static, TProperties } from "typebox";
import { Type } from "../core/type.ts";
import { Count, DateTime, Id, Nullable, optional, Version } from "../core/schema.ts";
import { defineEvent, Private } from "./define-event.ts";
import { exceptionEvents } from "./exception-events.ts";
import { hubEvents } from "./hub-events.ts";
import { pipelineEvents } from "./pipeline-events.ts";
import { webhookEvents } from "./webhook-events.ts";

const personal = { isPersonal: true };
const patch = { isPatch: true };

const Text = Type.String();
const Names = Type.Array(Text);
const Email = Private(Text);
const Anything = Type.Record(Text, Type.Unknown());
const version = { version: Version };
const named = { name: Text, ...version };

const user = { name: Text, role: Text, status: Text, passwordChanged: Type.Boolean() };

const condition = { name: Text, description: Text, matching: Text };
const values = { valueCount: Count, version: Version };
const location = {
  name: Text,
  type: Text,
  address: Nullable(Anything),
  is_default: Type.Boolean(),
  is_active: Type.Boolean(),
  metadata: Nullable(Anything),
  locked_fields: Names,
};
const bridge = { name: Text, isActive: Type.Boolean() };
const transformation = {
  ...named,
  bridgeId: Id,
  taskName: Text,
  direction: Text,
  isActive: Type.Boolean(),
};
const schedule = {
  name: Nullable(Text),
  bridgeId: Id,
  taskName: Text,
  cron: Text,
  timezone: Text,
  input: Private(Anything),
  isActive: Type.Boolean(),
  overlap: Text,
  missed: Text,
};
const execution = { bridgeId: Id, taskName: Text };
const ended = { ...execution, attempts: Count };
const account = { name: Text, isActive: Type.Boolean() };
const card = {
  rateCardId: Id,
  version: Type.Integer({ description: "Of the rate card" }),
  name: Text,
  effectiveFrom: Text,
  effectiveTo: Nullable(Text),
  isActive: Type.Boolean(),
};
const order = { number: Text, version: Version };
function batch<Properties extends TProperties>(properties: Properties) {
  return {
    count: Type.Integer({ minimum: 1, description: "So many are in `items`" }),
    source: Type.String({ description: "bulk, csv, bridge, fulfillment or run" }),
    items: Type.Array(Type.Object({ id: Id, version: Version, ...properties }), {
      description: "At most 200; a change of more is told by several events with the same objectId",
    }),
    firstIds: Type.Array(Id, { description: "The first 100 of `items`" }),
  };
}
const orders = {
  ...batch({ number: Text }),
  bridgeId: Type.Optional(Id),
  runId: Type.Optional(Id),
};
const shipment = { trackingNumber: Nullable(Text), version: Version };
const parcel = { ...shipment, carrier: Nullable(Text), orderNumber: Nullable(Text), status: Text };
const label = {
  status: Text,
  carrier: Text,
  service: Nullable(Text),
  orderId: Nullable(Id),
  shipmentId: Nullable(Id),
  trackingNumber: Nullable(Text),
  cost: Nullable(Type.Number()),
  version: Version,
};
const pickup = {
  status: Text,
  carrier: Text,
  confirmationNumber: Nullable(Text),
  pickupDate: Text,
  readyAt: DateTime,
  closeAt: DateTime,
  version: Version,
};
const comparison = { revision: Count, version: Version };
const compared = { ...comparison, counts: Anything, totals: Anything };
const view = { ...named, list: Text };
const importPreset = { ...named };
const safety = { requiresTotp: Type.Boolean(), requiresStepUp: Type.Boolean() };

/** Everything that the hub writes into its log of events, by its type. */
export const eventCatalogue = {
  "organization.created": defineEvent("organization", "An organization was created", named),
  "organization.updated": defineEvent("organization", "An organization was updated", {
    ...named,
    ...optional({ outboundHosts: Names, emailDomains: Names, timezone: Text, ...safety }),
  }),

  "user.created": defineEvent("user", "A user was created", { email: Email, role: Text, ...version }, personal),
  "user.updated": defineEvent(
    "user",
    "A user was updated",
    { ...optional(user), ...version },
    { ...personal, ...patch },
  ),
  "user.deleted": defineEvent("user", "A user was deleted", { email: Email, ...version }, personal),

  "user.oidc_linked": defineEvent(
    "user",
    "A user signed in through the identity provider for the first time",
    { email: Email },
    personal,
  ),

  "user.totp_enabled": defineEvent("user", "Two-factor sign-in was turned on", {}),
  "user.totp_disabled": defineEvent("user", "Two-factor sign-in was turned off", {}),
  "user.recovery_codes_replaced": defineEvent("user", "New recovery codes were generated", {}),

  "session.started": defineEvent("user", "A user signed in", {}),
  "session.reauthenticated": defineEvent("user", "A user re-authenticated", {}),
  "session.ended": defineEvent("user", "A user signed out", {}),
  "session.revoked": defineEvent("user", "Sessions were revoked", {
    count: Count,
  }),
  "session.sign_in_failed": defineEvent(
    "user",
    "A sign-in failed (at most one event per account in 15 minutes)",
    { failures: Count, addresses: Private(Type.Array(Text, { description: "First 20 client addresses" })) },
    personal,
  ),
  "session.token_reuse_detected": defineEvent("user", "A refresh token was reused and its session revoked", {}),

  "api_key.created": defineEvent("api_key", "An API key was created", {
    name: Text,
    scopes: Names,
    expiresAt: Nullable(DateTime),
  }),
  "api_key.rotated": defineEvent("api_key", "An API key was rotated", { replacedBy: Id, expiresAt: DateTime }),
  "api_key.deleted": defineEvent("api_key", "An API key was deleted, or revoked with its creator", {
    name: Text,
    ...optional({ creatorId: Id }),
  }),
  "api_key.scopes_reduced": defineEvent("api_key", "An API key lost scopes its creator no longer has", {
    name: Text,
    scopes: Names,
    creatorId: Id,
  }),

  "condition_set.created": defineEvent("condition_set", "A condition set was made", { ...condition, version: Version }),
  "condition_set.updated": defineEvent(
    "condition_set",
    "A condition set was changed",
    {
      ...optional(condition),
      ...version,
    },
    patch,
  ),
  "condition_set.deleted": defineEvent("condition_set", "A condition set was deleted", { ...named, valueCount: Count }),
  "condition_set.values_added": defineEvent("condition_set", "Values were added", { added: Count, ...values }),
  "condition_set.values_removed": defineEvent("condition_set", "Values were removed", { removed: Count, ...values }),
  "condition_set.values_cleared": defineEvent("condition_set", "All values were removed", {
    removed: Count,
    ...values,
  }),

  "location.created": defineEvent("location", "A location was made", { ...named, type: Text }),
  "location.updated": defineEvent(
    "location",
    "A location was changed",
    { ...optional(location), ...version },
    { ...personal, ...patch },
  ),
  "location.deleted": defineEvent("location", "A location was deleted", named),
  "locations.synced": defineEvent("bridge", "The locations of a bridge were compared with ours", {
    fetched: Count,
    created: Count,
    updated: Count,
    unchanged: Count,
    deactivated: Count,
    failed: Count,
  }),

  "bridge.created": defineEvent("bridge", "A bridge was made", { ...bridge, connector: Text, version: Version }),
  "bridge.updated": defineEvent(
    "bridge",
    "A bridge was changed",
    {
      ...optional({
        ...bridge,
        settings: Nullable(Anything),
        concurrency: Nullable(Count),
        numberPrefix: Nullable(Text),
        credentialsReplaced: Type.Boolean(),
      }),
      version: Version,
    },
    patch,
  ),
  "bridge.deleted": defineEvent("bridge", "A bridge was deleted, and what had used it was ended", {
    ...named,
    ...optional({ pausedSchedules: Count, deactivatedTransformations: Count, cancelledExecutions: Count }),
  }),

  "transformation.created": defineEvent("transformation", "A transformation was made", transformation),
  "transformation.updated": defineEvent("transformation", "A transformation was changed", transformation),
  "transformation.deleted": defineEvent("transformation", "A transformation was deleted", transformation),

  "task_execution.queued": defineEvent("task_execution", "A task was queued", { ...execution, trigger: Text }),
  "task_execution.cancelled": defineEvent("task_execution", "A task was cancelled", {
    ...execution,
    ...optional({ trigger: Text, attempts: Count }),
  }),
  "task_execution.succeeded": defineEvent("task_execution", "A task was done", ended),
  "task_execution.completed_with_errors": defineEvent(
    "task_execution",
    "A task was done, and part of it failed",
    ended,
  ),
  "task_execution.failed": defineEvent("task_execution", "A task failed for good", ended),
  "task_execution.timed_out": defineEvent("task_execution", "A task took too long", ended),
  "task_execution.expired": defineEvent("task_execution", "A task was not begun in time", {
    ...execution,
    ...optional({ attempts: Count }),
  }),

  "schedule.created": defineEvent("schedule", "A schedule was made", { ...optional(schedule), version: Version }),
  "schedule.updated": defineEvent(
    "schedule",
    "A schedule was changed",
    { ...optional(schedule), version: Version },
    patch,
  ),
  "schedule.deleted": defineEvent("schedule", "A schedule was deleted", {
    name: Nullable(Text),
    taskName: Text,
    version: Version,
  }),
  "schedule.paused": defineEvent("schedule", "A schedule was paused", {
    ...optional({ reason: Text, bridgeId: Id }),
    version: Version,
  }),
  "schedule.resumed": defineEvent("schedule", "A schedule goes on", {
    nextRunAt: Nullable(DateTime),
    version: Version,
  }),
  "schedule.triggered": defineEvent("schedule", "A schedule was run once, out of turn", { executionId: Id }),
  "schedule.backfilled": defineEvent("schedule", "Past runs of a schedule were queued", {
    from: Text,
    to: Text,
    queued: Count,
  }),
  "schedule.runs_skipped": defineEvent("schedule", "Runs of a schedule were left out", {
    skippedOverlap: Count,
    missed: Count,
    ran: Count,
    lastSkipped: Nullable(Type.Object({ scheduledFor: DateTime, reason: Text, message: Text })),
  }),

  "carrier_account.created": defineEvent("carrier_account", "A carrier account was made", {
    ...account,
    carrier: Text,
    version: Version,
  }),
  "carrier_account.updated": defineEvent(
    "carrier_account",
    "A carrier account was changed",
    {
      ...optional({
        ...account,
        description: Text,
        settings: Anything,
        credentialFields: Names,
        pickupRules: Nullable(Anything),
        serviceAliases: Anything,
      }),
      version: Version,
    },
    patch,
  ),
  "carrier_account.deleted": defineEvent("carrier_account", "A carrier account was deleted", named),
  "carrier_account.rate_card_uploaded": defineEvent("carrier_account", "A rate card was uploaded", card),
  "carrier_account.rate_card_activated": defineEvent("carrier_account", "A rate card was put into use", card),
  "carrier_account.rate_card_deactivated": defineEvent("carrier_account", "A rate card was taken out of use", card),
  "carrier_account.zone_chart_uploaded": defineEvent("carrier_account", "A zone chart was uploaded", {
    name: Text,
    version: Type.Integer({ description: "Of the zone chart" }),
    rowCount: Count,
  }),
  "carrier_account.zone_chart_deleted": defineEvent("carrier_account", "The zone chart was deleted", {}),

  "order.created": defineEvent("order", "An order was created", { ...order, status: Text }),
  "order.updated": defineEvent("order", "An order was changed", { ...order, status: Text, fields: Names }),
  "order.deleted": defineEvent("order", "A draft was deleted", order),
  "order.delivered": defineEvent("order", "Everything of an order has arrived", order),
  "order.hold_released": defineEvent("order", "The time of a hold was over", {
    ...order,
    handles: Names,
    onHold: Type.Boolean({ description: "Another hold is left" }),
  }),
  "orders.created": defineEvent("order_batch", "Several orders were created", orders),
  "orders.updated": defineEvent("order_batch", "Several orders were changed", {
    ...orders,
    fields: Type.Optional(Type.Array(Text, { description: "What was changed in any of them" })),
  }),
  "orders.deleted": defineEvent("order_batch", "Several orders were deleted", orders),

  "shipment.created": defineEvent("shipment", "A shipment was recorded", parcel),
  "shipment.updated": defineEvent("shipment", "A shipment was corrected", { ...shipment, fields: Names }),
  "shipment.voided": defineEvent("shipment", "A shipment was voided", { ...shipment, from: Text }),
  "shipment.status_changed": defineEvent("shipment", "A shipment got another status", {
    ...parcel,
    from: Type.Optional(Text),
  }),
  "shipment.tracking_updated": defineEvent(
    "shipment",
    "There is news of a shipment, and its status is the same",
    parcel,
  ),
  "shipments.created": defineEvent(
    "shipment_batch",
    "Several shipments were recorded",
    batch({ trackingNumber: Nullable(Text) }),
  ),

  "label.requested": defineEvent("label", "A label was ordered", label),
  "label.bought": defineEvent("label", "A carrier sold a label", label),
  "label.failed": defineEvent("label", "A carrier did not sell a label", label),
  "label.unanswered": defineEvent("label", "A carrier did not answer; it is asked again", label),
  "label.void_requested": defineEvent("label", "A label is to be given back", label),
  "label.void_refused": defineEvent("label", "A carrier did not take a label back", label),
  "label.voided": defineEvent("label", "A label was given back", label),

  "pickup.requested": defineEvent("pickup", "A pickup was asked for", pickup),
  "pickup.scheduled": defineEvent("pickup", "A carrier will come", pickup),
  "pickup.confirmed": defineEvent("pickup", "Somebody told the carrier, and wrote down its number", pickup),
  "pickup.failed": defineEvent("pickup", "A carrier will not come", pickup),
  "pickup.unanswered": defineEvent("pickup", "A carrier did not answer; it is asked again", pickup),
  "pickup.change_requested": defineEvent("pickup", "Another time was asked for", pickup),
  "pickup.change_refused": defineEvent("pickup", "A carrier keeps to the former time", pickup),
  "pickup.cancel_requested": defineEvent("pickup", "A pickup is to be cancelled", pickup),
  "pickup.cancel_refused": defineEvent("pickup", "A carrier did not cancel a pickup", pickup),
  "pickup.cancelled": defineEvent("pickup", "A pickup was cancelled", pickup),
  "pickup.dispatched": defineEvent("pickup", "A driver is on the way", pickup),
  "pickup.completed": defineEvent("pickup", "A carrier came", pickup),
  "pickup.missed": defineEvent("pickup", "Nobody came", pickup),
  "pickup.former_called_off": defineEvent("pickup", "What a change had replaced was called off", pickup),
  "pickup.former_forgotten": defineEvent("pickup", "What a change had replaced cannot be called off any more", pickup),

  "rate_comparison.created": defineEvent("rate_comparison", "A comparison was made", {
    ...named,
    carrierAccountId: Id,
    itemCount: Count,
  }),
  "rate_comparison.deleted": defineEvent("rate_comparison", "A comparison was deleted", {
    ...named,
    status: Text,
    itemCount: Count,
  }),
  "rate_comparison.processing_started": defineEvent("rate_comparison", "A comparison is to be priced", {
    ...comparison,
    rateCardId: Nullable(Id),
    rateCardVersion: Nullable(Type.Integer()),
    options: Private(Anything),
  }),
  "rate_comparison.started_over": defineEvent("rate_comparison", "Prices changed meanwhile; it begins anew", {
    revision: Count,
    processed: Count,
  }),
  "rate_comparison.completed": defineEvent("rate_comparison", "All items were priced", compared),
  "rate_comparison.completed_with_errors": defineEvent("rate_comparison", "Some items have no price", compared),
  "rate_comparison.failed": defineEvent("rate_comparison", "A comparison could not be priced", {
    ...comparison,
    error: Private(Type.Object({ code: Text, message: Text })),
  }),

  "import_preset.created": defineEvent("import_preset", "Somebody saved how files are read", importPreset),
  "import_preset.updated": defineEvent("import_preset", "How files are read was changed", importPreset),
  "import_preset.deleted": defineEvent("import_preset", "A preset for files was deleted", importPreset),

  ...exceptionEvents,

  "view.created": defineEvent("view", "A saved view was created", view),
  "view.updated": defineEvent("view", "A saved view was updated", view),
  "view.deleted": defineEvent("view", "A saved view was deleted", view),

  ...pipelineEvents,

  ...webhookEvents,

  ...hubEvents,
};

export type EventType = keyof typeof eventCatalogue;

/** All kinds of things that events are about. */
export const objectTypes = [...new Set(Object.values(eventCatalogue).map(({ objectType }) => objectType))].toSorted();

export function typesAbout(objectType: string): string[] {
  return Object.entries(eventCatalogue).flatMap(([type, event]) => (event.objectType === objectType ? [type] : []));
}

/** What can happen to one kind of object, such as `bought` to a `label`. */
export type Happening<Family extends string> = EventType extends infer Each
  ? Each extends `${Family}.${infer What}`
    ? What
    : never
  : never;

/** What happened to `objectId`; the data are those of its type in the catalogue. */
export type NewEvent = {
  [Each in EventType]: { type: Each; objectId: string } & DataOf<Static<(typeof eventCatalogue)[Each]["data"]>>;
}[EventType];

type DataOf<Data> = keyof Data extends never ? { data?: Record<string, never> } : { data: Data };
