import { HubError } from "../../core/errors.ts";
import type { World } from "../../context.ts";
import type { WorkKind } from "../../queue/work.ts";
import { selectOrders } from "../operations/operations.ts";
import { nextTime, scheduleNow } from "../schedules/schedules.ts";
import type { OpenBranch } from "./automation-branches.ts";
import { branchesOf, openBranches } from "./automation-branches.ts";
import * as chain from "./automation-chain.store.ts";
import { contextOf, findRights } from "./automation-maker.ts";
import type { AutomationRow } from "./automation-work.store.ts";
import * as store from "./automation-work.store.ts";
import type { Reason } from "./automations.schemas.ts";
import { findOrdersFor } from "./find-orders-for.ts";
import type { LeasedAutomation, Occasion } from "./leased-automation.ts";
import { settle, stop } from "./leased-automation.ts";
import type { NextEvents } from "./next-events.ts";
import { readNextEvents } from "./next-events.ts";
import { findOrdersOf } from "./orders-of-events.ts";
import { anyTime, pipelineChanged } from "./pause-automation.ts";
import { queueEventTasks } from "./queue-event-tasks.ts";
import { prepareRuns, startRuns } from "./start-runs.ts";
import { beginWaits, settleWaits } from "./settle-waits.ts";

/**
 * Each automation reads the event log with its own cursor. The run (or preflight summary) and the cursor are committed together, so
 * each event is processed once even if a process dies. An automation does not read further than the automations before it.
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

function ownOf(world: World, row: AutomationRow, owner: string): LeasedAutomation {
  const automation = store.toAutomation(row);
  return { automation, ctx: contextOf(world, row.org_id, automation), owner };
}

/** Processes the waiting orders that are due, or the next events. Returns why the automation must be paused. */
async function fire(own: LeasedAutomation): Promise<Reason | undefined> {
  const { automation } = own;
  const rights = await findRights(own.ctx, automation);
  if (rights.blocked_reason) return rights.blocked_reason;
  own.ctx = { ...own.ctx, principal: { ...own.ctx.principal, scopes: rights.scopes } };
  try {
    const { branches, digest } = await openBranches(own.ctx, branchesOf(automation));
    if (digest !== automation.pipeline_digest) return pipelineChanged;
    if (automation.event_types === null) await handle(own, branches, await findByClock(own, branches));
    else if (automation.wait === null || !(await settleWaits(own, branches))) await fireOnEvents(own, branches);
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

async function fireOnEvents(own: LeasedAutomation, branches: OpenBranch[]): Promise<void> {
  const events = await readNextEvents(own);
  if (!events) return;
  if (own.automation.task !== null) await queueEventTasks(own, events);
  else await handle(own, branches, await withOrders(own, events));
}

/** Orders with the reason why they are processed. */
type Found = Occasion & {
  orderIds: string[];
  /** Of events: the orders of each event, and the last event before orders were read. */
  pairs: chain.Pair[];
  head: number;
};

/** The orders of events, without those that an earlier automation has stopped. */
async function withOrders({ automation, ctx }: LeasedAutomation, events: NextEvents): Promise<Found> {
  const orders = await findOrdersOf(ctx, events.items, automation.trigger.orders ?? "all");
  const all = [...orders].flatMap(([{ sequence }, ids]) => ids.map((orderId) => ({ sequence, orderId })));
  const nameOf = ({ sequence, orderId }: chain.Pair): string => `${sequence} ${orderId}`;
  const stopped = new Set((await chain.listStopped(ctx.db, ctx.orgId, automation.position, all)).map(nameOf));
  const pairs = all.filter((pair) => !stopped.has(nameOf(pair)));
  return { ...events, pairs, orderIds: [...new Set(pairs.map(({ orderId }) => orderId))] };
}

/** Missed times are made up once. */
async function findByClock({ automation, ctx }: LeasedAutomation, [first]: OpenBranch[]): Promise<Found> {
  const { cron, timezone, filter } = automation.trigger as { cron: string; timezone: string; filter: object };
  const now = await scheduleNow(ctx, ctx.db);
  const scheduled_for = automation.next_run_at ?? new Date(now).toISOString();
  // A process whose clock is ahead must not schedule the same time again.
  const nextRunAt = nextTime({ cron, timezone }, Math.max(now, Date.parse(scheduled_for))).toISOString();
  const cause = { automation_id: automation.id, from_sequence: null, to_sequence: null, scheduled_for };
  return {
    orderIds: await selectOrders(ctx, filter, first!.open.pipeline),
    pairs: [],
    head: automation.cursor,
    cause: { ...cause, depth: 1, automation_path: [automation.id] },
    key: scheduled_for,
    goesOn: { cursor: automation.cursor, nextRunAt, dueAt: nextRunAt },
  };
}

async function handle(own: LeasedAutomation, branches: OpenBranch[], found: Found): Promise<void> {
  const { automation, ctx } = own;
  const pipelines = branches.map(({ open }) => open.pipeline);
  const { evaluated, matched } = await findOrdersFor(ctx, automation.trigger, pipelines, found.orderIds);
  const all = new Set(matched.flat());
  const isWaiting = automation.wait !== null && all.size > 0;
  const waits = isWaiting ? await beginWaits(own, [...all], found) : undefined;
  const prepared = isWaiting ? undefined : await prepareRuns(own, branches, matched, found);
  await settle(own, async (tx) => {
    if (waits) await waits(tx);
    const refused = prepared && (await startRuns(tx, own, prepared, found));
    if (refused) return await stop(tx, own, refused);
    await store.saveProgress(tx, ctx.orgId, automation.id, { ...found.goesOn, evaluated, matched: all.size });
    // A preflight changes nothing, not even what other automations do.
    if (!automation.stop_further_rules || automation.mode !== "run") return;
    const pairs = found.pairs.filter(({ orderId }) => all.has(orderId));
    await chain.insertStops(tx, ctx.orgId, automation.id, pairs, ctx.clock.now());
  });
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
