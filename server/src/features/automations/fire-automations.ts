import { HubError } from "../../core/errors.ts";
import type { Ctx, World } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { WorkKind } from "../../queue/work.ts";
import type { OpenPipeline, RunCause } from "../operations/operations.ts";
import { openPipeline, preflightOrders, queueRun, selectOrders } from "../operations/operations.ts";
import { readFilter } from "../orders/orders.ts";
import { nextTime, scheduleNow } from "../schedules/schedules.ts";
import { contextOf, findRights } from "./automation-maker.ts";
import type { AutomationRow, OrderEvent, Progress } from "./automation-work.store.ts";
import * as store from "./automation-work.store.ts";
import type { Reason } from "./automations.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";
import { lockAutomation } from "./automations.store.ts";
import { findOrdersFor } from "./find-orders-for.ts";
import { anyTime, pause, pipelineChanged } from "./pause-automation.ts";

/** Events and orders per invocation, so that its run is short. */
const maxEvents = 100;
const maxOrders = 1_000;
/** Automations can trigger each other up to this depth. */
const maxDepth = 3;
const hourMs = 3_600_000;

/**
 * Each automation reads the event log with its own cursor. The run (or preflight summary) and the cursor are committed together, so
 * each event is processed once even if a process dies.
 */
export const automationWork: WorkKind<World, AutomationRow> = {
  name: "automations",
  leases: store.automationLeases,
  wakeOn: ["events", "automation", "clock"],
  pollIntervalMs: 10_000,
  maxAttempts: 5,
  poll: ({ db, clock }) => store.isAnyReadyAcrossOrgs(db, clock.now()),
  async run(world, row, { owner }) {
    const own = ownOf(world, row, owner);
    const refused = await fire(own);
    if (refused) await settle(own, (tx) => stop(tx, own, refused));
    return "done";
  },
  async giveUp(world, row) {
    const own = ownOf(world, row, "");
    const message = "Processing failed several times. The hub's log has the reason.";
    await own.ctx.db.transaction((tx) => stop(tx, own, { code: "internal_error", message }));
  },
};

/** An automation that this process has leased. */
type LeasedAutomation = { automation: StoredAutomation; ctx: Ctx; owner: string };

function ownOf(world: World, row: AutomationRow, owner: string): LeasedAutomation {
  const automation = store.toAutomation(row);
  return { automation, ctx: contextOf(world, row.org_id, automation), owner };
}

/** Processes the next events, or returns why the automation must be paused. */
async function fire(own: LeasedAutomation): Promise<Reason | undefined> {
  const { automation } = own;
  const rights = await findRights(own.ctx, automation);
  if (rights.blocked_reason) return rights.blocked_reason;
  own.ctx = { ...own.ctx, principal: { ...own.ctx.principal, scopes: rights.scopes } };
  try {
    const open = await openPipeline(own.ctx, automation.pipeline_id, automation.when);
    if (open.digest !== automation.pipeline_digest) return pipelineChanged;
    const found = automation.event_types === null ? await findByClock(own, open) : await findByEvents(own);
    if (!found) return undefined;
    await handle(own, open, found);
    return undefined;
  } catch (error) {
    // For example, a record its pipeline refers to was deleted.
    if (error instanceof HubError && error.status < 500) return { code: error.code, message: reasonOf(error) };
    throw error;
  }
}

function reasonOf({ message, details }: HubError): string {
  const [first] = details.errors ?? [];
  return first ? `${first.pointer}: ${first.message}` : message;
}

/** The orders of an invocation, and the progress to save with it. */
type Found = {
  orderIds: string[];
  cause: RunCause;
  key: string;
  goesOn: Pick<Progress, "cursor" | "nextRunAt" | "dueAt">;
};

/** Consecutive events with the same automation path, so that the run has one cause. */
async function findByEvents(own: LeasedAutomation): Promise<Found | undefined> {
  const { automation, ctx } = own;
  const wanted = { types: automation.event_types!, after: automation.cursor, limit: maxEvents };
  const events = await store.listOrderEvents(ctx.db, ctx.orgId, wanted);
  const [first] = events;
  if (!first) return undefined;
  const pastOf = ({ cause }: OrderEvent): string => (cause?.automationPath ?? []).join();
  const orderIds = new Set<string>();
  let last = first;
  for (const event of events) {
    const isMore = orderIds.size > 0 && orderIds.size + event.order_ids.length > maxOrders;
    if (isMore || pastOf(event) !== pastOf(first)) break;
    for (const id of event.order_ids) orderIds.add(id);
    last = event;
  }
  const past = first.cause?.automationPath ?? [];
  const goesOn = { cursor: last.sequence, nextRunAt: null, dueAt: anyTime };
  const [from_sequence, to_sequence] = [first, last].map(({ sequence }) => String(sequence).padStart(16, "0"));
  const cause = {
    automation_id: automation.id,
    from_sequence: from_sequence!,
    to_sequence: to_sequence!,
    scheduled_for: null,
    depth: past.length + 1,
    automation_path: [...past, automation.id],
  };
  // An automation is never triggered by its own changes, directly or through others.
  if (past.includes(automation.id)) {
    await settle(own, (tx) =>
      store.saveProgress(tx, ctx.orgId, automation.id, { ...goesOn, evaluated: 0, matched: 0 }),
    );
    return undefined;
  }
  return { orderIds: [...orderIds], cause, key: from_sequence!, goesOn };
}

/** Missed times are made up once. */
async function findByClock({ automation, ctx }: LeasedAutomation, { pipeline }: OpenPipeline): Promise<Found> {
  const { cron, timezone, filter } = automation.trigger as { cron: string; timezone: string; filter: object };
  const now = await scheduleNow(ctx, ctx.db);
  const scheduled_for = automation.next_run_at ?? new Date(now).toISOString();
  // A process whose clock is ahead must not schedule the same time again.
  const nextRunAt = nextTime({ cron, timezone }, Math.max(now, Date.parse(scheduled_for))).toISOString();
  const cause = { automation_id: automation.id, from_sequence: null, to_sequence: null, scheduled_for };
  return {
    orderIds: await selectOrders(ctx, filter, pipeline),
    cause: { ...cause, depth: 1, automation_path: [automation.id] },
    key: scheduled_for,
    goesOn: { cursor: automation.cursor, nextRunAt, dueAt: nextRunAt },
  };
}

async function handle(
  own: LeasedAutomation,
  open: OpenPipeline,
  { orderIds, cause, key, goesOn }: Found,
): Promise<void> {
  const { automation, ctx } = own;
  const { evaluated, matched } = await findOrdersFor(ctx, automation.trigger, open.pipeline, orderIds);
  // Recorded as an invocation, so that users see why no run was started.
  const kind = cause.depth > maxDepth ? "depth_exceeded" : automation.mode === "preflight" ? "preflight" : "run";
  const report =
    kind === "preflight" && matched.length > 0 ? await preflightOrders(ctx, open.pipeline, matched, 0) : undefined;
  await settle(own, async (tx) => {
    const at = ctx.clock.now();
    const used = await store.countOrdersSince(tx, ctx.orgId, automation.id, new Date(at.getTime() - hourMs));
    if (kind !== "depth_exceeded" && matched.length > 0 && used + matched.length > automation.max_orders_per_hour) {
      return await stop(tx, own, tooMany(automation, used, matched.length));
    }
    await store.saveProgress(tx, ctx.orgId, automation.id, { ...goesOn, evaluated, matched: matched.length });
    if (matched.length === 0) return;
    const { trigger, when: condition } = automation;
    const filter = trigger.filter ? readFilter(ctx, trigger.filter) : null;
    const about = { orderIds: matched, cause, condition, filter, note: `Automation ${automation.name}` };
    const run_id = kind === "run" ? await queueRun(tx, ctx, open, about) : null;
    await store.insertInvocation(tx, ctx.orgId, automation.id, {
      id: ctx.newId(),
      kind,
      cause,
      key,
      order_count: matched.length,
      run_id,
      preflight_summary: report?.summary ?? null,
      errors_by_code: report?.errors_by_code ?? null,
      invoked_at: at,
    });
  });
}

function tooMany({ max_orders_per_hour }: StoredAutomation, used: number, more: number): Reason {
  const message =
    `The limit is ${max_orders_per_hour} orders per hour; ${used} were processed and ${more} more matched. ` +
    "Resume from the last position or from now; raise max_orders_per_hour if this volume is expected.";
  return { code: "hourly_limit_reached", message };
}

/** Only while the automation is unchanged and this process still holds its lease. */
async function settle({ ctx, automation, owner }: LeasedAutomation, work: (tx: Tx) => Promise<void>): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (await store.lockOwn(tx, ctx.orgId, automation, owner)) await work(tx);
  });
}

async function stop(tx: Tx, { ctx, automation }: LeasedAutomation, reason: Reason): Promise<void> {
  const current = await lockAutomation(tx, ctx.orgId, automation.id);
  await store.endLease(tx, ctx.orgId, automation.id);
  if (current.is_active) await pause(tx, ctx, current, reason);
}

/** After the preview clock was set back: computes the next times again. */
export async function rewindAutomations(world: World): Promise<void> {
  await world.db.transaction(async (tx) => {
    const now = await scheduleNow(world, tx);
    const later = await store.lockLaterAcrossOrgs(tx, new Date(now));
    const times = later.map(({ event_types, trigger }) =>
      event_types === null ? nextTime({ cron: trigger.cron!, timezone: trigger.timezone! }, now).toISOString() : null,
    );
    await store.saveDueAcrossOrgs(
      tx,
      later.map(({ id }) => id),
      times.map((time) => time ?? anyTime),
      times,
    );
  });
}
