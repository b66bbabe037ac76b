import type { Static, TProperties } from "typebox";
import { Type } from "../core/type.ts";
import { Count, DateTime, Id, Nullable, optional, Version } from "../core/schema.ts";
import { defineEvent, Private } from "./define-event.ts";
import { exceptionEvents } from "./exception-events.ts";
import { handoverEvents } from "./handover-events.ts";
import { hubEvents } from "./hub-events.ts";
import { invoiceEvents } from "./invoice-events.ts";
import { labelEvents } from "./label-events.ts";
import { packingEvents } from "./packing-events.ts";
import { peopleEvents } from "./people-events.ts";
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

const user = { email: Text, name: Text, role: Text, status: Text, passwordChanged: Type.Boolean() };

const condition = { name: Text, description: Text, matching: Text };
const values = { valueCount: Count, version: Version };
const location = {
  name: Text,
  type: Text,
  address: Nullable(Anything),
  is_default: Type.Boolean(),
  is_active: Type.Boolean(),
  cutoff_time: Nullable(Text),
  timezone: Nullable(Text),
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
    count: Type.Integer({ minimum: 1, description: "Number of `items`" }),
    source: Type.String({ description: "bulk, csv, bridge, fulfillment or run" }),
    items: Type.Array(Type.Object({ id: Id, version: Version, ...properties }), {
      description: "At most 200; a larger change is recorded as several events with the same objectId",
    }),
    sampleIds: Type.Array(Id, { description: "Ids of the first 100 items" }),
  };
}
const orders = {
  ...batch({ number: Text }),
  bridgeId: Type.Optional(Id),
  runId: Type.Optional(Id),
};
const shipment = { trackingNumber: Nullable(Text), version: Version };
const parcel = { ...shipment, carrier: Nullable(Text), orderNumber: Nullable(Text), status: Text };
const comparison = { revision: Count, version: Version };
const rateScenario = { ...comparison, name: Text, scenarioId: Id };
const compared = { ...comparison, counts: Anything, totals: Anything };
const view = { ...named, list: Text };
const importPreset = { ...named };
const calendar = { workingDays: Names, holidays: Names, cutoffTime: Nullable(Text) };
const safety = { requiresTotp: Type.Boolean(), requiresStepUp: Type.Boolean() };

/** Everything that the hub writes into its log of events, by its type. */
export const eventCatalogue = {
  "organization.created": defineEvent("organization", "An organization was created", named),
  "organization.updated": defineEvent("organization", "An organization was updated", {
    ...named,
    ...optional({ outboundHosts: Names, emailDomains: Names, timezone: Text, ...calendar, ...safety }),
  }),
  "organization.print_settings_updated": defineEvent("organization", "The print settings were updated", {
    fields: Names,
    ...version,
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
    "The first sign-in of a user through the identity provider",
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
    ...optional({ maxOrdersPerRun: { ...Count, description: "Of an agent key" } }),
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

  "condition_set.created": defineEvent("condition_set", "A condition set was created", {
    ...condition,
    version: Version,
  }),
  "condition_set.updated": defineEvent(
    "condition_set",
    "A condition set was updated",
    {
      ...optional(condition),
      ...version,
    },
    patch,
  ),
  "condition_set.deleted": defineEvent("condition_set", "A condition set was deleted", { ...named, valueCount: Count }),
  "condition_set.values_added": defineEvent("condition_set", "Values were added to a condition set", {
    added: Count,
    ...values,
  }),
  "condition_set.values_removed": defineEvent("condition_set", "Values were removed from a condition set", {
    removed: Count,
    ...values,
  }),
  "condition_set.values_cleared": defineEvent("condition_set", "All values of a condition set were removed", {
    removed: Count,
    ...values,
  }),

  "location.created": defineEvent("location", "A location was created", { ...named, type: Text }),
  "location.updated": defineEvent(
    "location",
    "A location was updated",
    { ...optional(location), ...version },
    { ...personal, ...patch },
  ),
  "location.deleted": defineEvent("location", "A location was deleted", named),
  "locations.synced": defineEvent("bridge", "Locations were synced from a bridge", {
    fetched: Count,
    created: Count,
    updated: Count,
    unchanged: Count,
    deactivated: Count,
    failed: Count,
  }),

  "stock.updated": defineEvent("organization", "Stock levels were pulled from a bridge or set", {
    bridgeId: Nullable(Id),
    created: Count,
    updated: Count,
    unchanged: Count,
    outdated: Type.Integer({ minimum: 0, description: "Not stored: a level that was counted later is known" }),
    deleted: Type.Integer({ minimum: 0, description: "Levels that a complete pull no longer listed" }),
  }),

  "bridge.created": defineEvent("bridge", "A bridge was created", { ...bridge, connector: Text, version: Version }),
  "bridge.updated": defineEvent(
    "bridge",
    "A bridge was updated",
    {
      ...optional({
        ...bridge,
        settings: Nullable(Anything),
        concurrency: Nullable(Count),
        orderNumberPrefix: Nullable(Text),
        credentialsReplaced: Type.Boolean(),
      }),
      version: Version,
    },
    patch,
  ),
  "bridge.deleted": defineEvent("bridge", "A bridge was deleted and its dependents deactivated", {
    ...named,
    ...optional({ pausedSchedules: Count, deactivatedTransformations: Count, cancelledExecutions: Count }),
  }),

  "transformation.created": defineEvent("transformation", "A transformation was created", transformation),
  "transformation.updated": defineEvent("transformation", "A transformation was updated", transformation),
  "transformation.deleted": defineEvent("transformation", "A transformation was deleted", transformation),

  "task_execution.queued": defineEvent("task_execution", "A task was queued", { ...execution, trigger: Text }),
  "task_execution.cancelled": defineEvent("task_execution", "A task was cancelled", {
    ...execution,
    ...optional({ trigger: Text, attempts: Count }),
  }),
  "task_execution.succeeded": defineEvent("task_execution", "A task succeeded", ended),
  "task_execution.completed_with_errors": defineEvent("task_execution", "A task completed with errors", ended),
  "task_execution.failed": defineEvent("task_execution", "A task failed", ended),
  "task_execution.timed_out": defineEvent("task_execution", "A task timed out", ended),
  "task_execution.expired": defineEvent("task_execution", "A task expired before it started", {
    ...execution,
    ...optional({ attempts: Count }),
  }),

  "schedule.created": defineEvent("schedule", "A schedule was created", { ...optional(schedule), version: Version }),
  "schedule.updated": defineEvent(
    "schedule",
    "A schedule was updated",
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
  "schedule.resumed": defineEvent("schedule", "A schedule was resumed", {
    nextRunAt: Nullable(DateTime),
    version: Version,
  }),
  "schedule.triggered": defineEvent("schedule", "A schedule was triggered manually", { executionId: Id }),
  "schedule.backfilled": defineEvent("schedule", "Past runs were queued", {
    from: Text,
    to: Text,
    queued: Count,
  }),
  "schedule.runs_skipped": defineEvent("schedule", "Scheduled runs were skipped", {
    skippedForOverlap: Count,
    missed: Count,
    ran: Count,
    lastSkippedRun: Nullable(Type.Object({ scheduledFor: DateTime, reason: Text, message: Text })),
  }),

  "carrier_account.created": defineEvent("carrier_account", "A carrier account was created", {
    ...account,
    carrier: Text,
    version: Version,
  }),
  "carrier_account.updated": defineEvent(
    "carrier_account",
    "A carrier account was updated",
    {
      ...optional({
        ...account,
        description: Text,
        settings: Anything,
        comparisonOnly: Type.Boolean(),
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
  "carrier_account.rate_card_activated": defineEvent("carrier_account", "A rate card was activated", card),
  "carrier_account.rate_card_deactivated": defineEvent("carrier_account", "A rate card was deactivated", card),
  "carrier_account.zone_chart_uploaded": defineEvent("carrier_account", "A zone chart was uploaded", {
    name: Text,
    version: Type.Integer({ description: "Of the zone chart" }),
    rowCount: Count,
  }),
  "carrier_account.webhook_subscribed": defineEvent("carrier_account", "The carrier was asked to send webhooks", {
    url: Text,
  }),
  "carrier_account.zone_chart_deleted": defineEvent("carrier_account", "A zone chart was deleted", {}),

  "order.created": defineEvent("order", "An order was created", { ...order, status: Text }),
  "order.updated": defineEvent("order", "An order was updated", { ...order, status: Text, fields: Names }),
  "order.deleted": defineEvent("order", "A draft order was deleted", order),
  "order.delivered": defineEvent("order", "All shipments of an order were delivered", order),
  "order.hold_released": defineEvent("order", "A timed hold was released", {
    ...order,
    handles: Names,
    onHold: Type.Boolean({ description: "Whether another hold remains" }),
  }),
  "orders.created": defineEvent("order_batch", "Several orders were created", orders),
  "orders.updated": defineEvent("order_batch", "Several orders were updated", {
    ...orders,
    fields: Type.Optional(Type.Array(Text, { description: "Fields changed in any of them" })),
  }),
  "orders.deleted": defineEvent("order_batch", "Several orders were deleted", orders),

  "shipment.created": defineEvent("shipment", "A shipment was created", parcel),
  "shipment.updated": defineEvent("shipment", "A shipment was updated", { ...shipment, fields: Names }),
  "shipment.voided": defineEvent("shipment", "A shipment was voided", { ...shipment, from: Text }),
  "shipment.status_changed": defineEvent("shipment", "A shipment's status changed", {
    ...parcel,
    from: Type.Optional(Text),
  }),
  "shipment.tracking_updated": defineEvent("shipment", "New tracking events, same status", parcel),
  "shipments.created": defineEvent(
    "shipment_batch",
    "Several shipments were created",
    batch({ trackingNumber: Nullable(Text) }),
  ),

  ...labelEvents,

  ...handoverEvents,

  ...packingEvents,

  "rate_comparison.created": defineEvent("rate_comparison", "A rate comparison was created", {
    ...named,
    carrierAccountId: Id,
    itemCount: Count,
  }),
  "rate_comparison.deleted": defineEvent("rate_comparison", "A rate comparison was deleted", {
    ...named,
    status: Text,
    itemCount: Count,
  }),
  "rate_comparison.processing_started": defineEvent("rate_comparison", "Processing started", {
    ...comparison,
    rateCardId: Nullable(Id),
    rateCardVersion: Nullable(Type.Integer()),
    options: Private(Anything),
  }),
  "rate_comparison.restarted": defineEvent("rate_comparison", "Processing restarted because prices changed", {
    revision: Count,
    processed: Count,
  }),
  "rate_comparison.completed": defineEvent("rate_comparison", "All items were rated", compared),
  "rate_comparison.completed_with_errors": defineEvent("rate_comparison", "Some items could not be rated", compared),
  "rate_comparison.failed": defineEvent("rate_comparison", "Processing failed", {
    ...comparison,
    error: Private(Type.Object({ code: Text, message: Text })),
  }),
  "rate_comparison.scenario_created": defineEvent("rate_comparison", "A scenario was saved", rateScenario),
  "rate_comparison.scenario_updated": defineEvent("rate_comparison", "A scenario was priced again", rateScenario),
  "rate_comparison.scenario_deleted": defineEvent("rate_comparison", "A scenario was deleted", rateScenario),

  ...invoiceEvents,

  "import_preset.created": defineEvent("import_preset", "An import preset was created", importPreset),
  "import_preset.updated": defineEvent("import_preset", "An import preset was updated", importPreset),
  "import_preset.deleted": defineEvent("import_preset", "An import preset was deleted", importPreset),

  ...exceptionEvents,

  "view.created": defineEvent("view", "A saved view was created", view),
  "view.updated": defineEvent("view", "A saved view was updated", view),
  "view.deleted": defineEvent("view", "A saved view was deleted", view),

  ...pipelineEvents,

  ...webhookEvents,

  ...peopleEvents,

  ...hubEvents,
};

export type EventType = keyof typeof eventCatalogue;

/** All kinds of things that events are about. */
export const objectTypes = [...new Set(Object.values(eventCatalogue).map(({ objectType }) => objectType))].toSorted();

export function typesAbout(objectType: string): string[] {
  return Object.entries(eventCatalogue).flatMap(([type, event]) => (event.objectType === objectType ? [type] : []));
}

/** What can happen to one kind of object, such as `purchased` to a `label`. */
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
