import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { openCondition } from "../operations/operations.ts";
import type { RunCause } from "../operations/operations.ts";
import { presentToConditions } from "../orders/order.ts";
import { readOrders } from "../orders/orders.ts";
import { findTimeZone } from "../organizations/organizations.ts";
import type { OpenBranch } from "./automation-branches.ts";
import type { Pair } from "./automation-chain.store.ts";
import type { Wait } from "./automation-parts.schemas.ts";
import type { NewWait, WaitRow } from "./automation-waits.store.ts";
import * as store from "./automation-waits.store.ts";
import { insertInvocation, saveProgress } from "./automation-work.store.ts";
import { itemsOf } from "./event-items.ts";
import { findOrdersFor } from "./find-orders-for.ts";
import type { LeasedAutomation, Occasion } from "./leased-automation.ts";
import { settle, stop } from "./leased-automation.ts";
import { anyTime } from "./pause-automation.ts";
import { prepareRuns, startRuns } from "./start-runs.ts";
import { listTriggerEvents } from "./trigger-events.store.ts";
import { orderTypes } from "./trigger-types.ts";
import { endOfWait } from "./wait-until.ts";

const maxEvents = 100;
const maxOrders = 1_000;
/** A condition can also depend on the time, which no event reports. */
const checkEveryMs = 15 * 60_000;

/** When an order with a wait that ends then is checked next. */
function nextCheck({ when }: Wait, endsAt: Date, now: Date): Date {
  return when === undefined ? endsAt : new Date(Math.min(endsAt.getTime(), now.getTime() + checkEveryMs));
}

/** The ends of waits that began at these times. Orders without the date they wait for are missing. */
async function findEnds(ctx: Ctx, wait: Wait, since: ReadonlyMap<string, Date>): Promise<Map<string, Date>> {
  const zone = await findTimeZone(ctx, ctx.orgId);
  const orders = await readOrders(ctx.db, ctx.orgId, [...since.keys()]);
  const ends = orders.map((order) => [
    order.id,
    endOfWait(wait, since.get(order.id)!, presentToConditions(order), zone),
  ]);
  return new Map(ends.filter((end): end is [string, Date] => end[1] !== undefined));
}

/** Lets orders wait. A condition that is met already is found by the first check, right away. */
export async function beginWaits(
  { automation, ctx }: LeasedAutomation,
  orderIds: string[],
  { pairs, head, cause }: { pairs: Pair[]; head: number; cause: RunCause },
): Promise<(tx: Tx) => Promise<void>> {
  const wait = automation.wait!;
  const since = ctx.clock.now();
  const ends = await findEnds(ctx, wait, new Map(orderIds.map((id) => [id, since])));
  const sequences = new Map(pairs.map(({ orderId, sequence }) => [orderId, sequence]));
  const { automation_path } = cause;
  const waits = [...ends].map(([order_id, ends_at]): NewWait => {
    const due_at = wait.when === undefined ? ends_at : since;
    return { id: ctx.newId(), order_id, sequence: sequences.get(order_id)!, automation_path, since, ends_at, due_at };
  });
  return (tx) => store.insertWaits(tx, ctx.orgId, automation.id, waits, head);
}

/** Checks the waiting orders that are due or have changed. Returns false if there are none. */
export async function settleWaits(own: LeasedAutomation, branches: OpenBranch[]): Promise<boolean> {
  const { automation, ctx } = own;
  if (!(await store.hasWaits(ctx.db, ctx.orgId, automation.id))) return false;
  await noticeChanges(own);
  const rows = await store.listDueWaits(ctx.db, ctx.orgId, automation.id, ctx.clock.now(), maxOrders);
  if (rows.length === 0) return false;
  const { matched, gone, expired, later, ready } = await sortWaits(own, branches, rows);
  // A run has one cause. Orders with another one stay due.
  const [first = rows[0]!] = ready;
  const starting = ready.filter((row) => row.automation_path.join() === first.automation_path.join());
  const occasion = occasionOf(own, first);
  const orderIds = new Set(starting.map(({ order_id }) => order_id));
  const startingOf = matched.map((ids) => ids.filter((id) => orderIds.has(id)));
  const prepared = await prepareRuns(own, branches, startingOf, occasion);
  await settle(own, async (tx) => {
    const refused = await startRuns(tx, own, prepared, occasion);
    if (refused) return await stop(tx, own, refused);
    const ended = [...gone, ...expired];
    await store.deleteWaits(
      tx,
      ctx.orgId,
      [...starting, ...ended].map(({ id }) => id),
    );
    if (later.length > 0) await store.postponeWaits(tx, ctx.orgId, later);
    if (ended.length > 0) await recordEnded(tx, own, { no_longer_matches: gone, wait_expired: expired });
    await saveProgress(tx, ctx.orgId, automation.id, { ...occasion.goesOn, evaluated: 0, matched: 0 });
  });
  return true;
}

/** Makes the waits of orders due that have changed since the last time. */
async function noticeChanges(own: LeasedAutomation): Promise<void> {
  const { automation, ctx } = own;
  const wanted = { types: orderTypes, after: automation.wait_cursor, limit: maxEvents, needsData: false };
  const events = await listTriggerEvents(ctx.db, ctx.orgId, wanted);
  const last = events.at(-1);
  if (!last) return;
  const orderIds = [...new Set(events.flatMap(itemsOf).map(({ objectId }) => objectId))];
  const changed = { orderIds, cursor: last.sequence, now: ctx.clock.now() };
  await settle(own, (tx) => store.checkChanged(tx, ctx.orgId, automation.id, changed));
}

type Later = { id: string; ends_at: Date; due_at: Date };
type Sorted = {
  /** Orders that still match, for each branch. */
  matched: string[][];
  /** Orders that no longer match, or were deleted. */
  gone: WaitRow[];
  /** Orders that did not meet the condition in time. */
  expired: WaitRow[];
  later: Later[];
  ready: WaitRow[];
};

async function sortWaits(own: LeasedAutomation, branches: OpenBranch[], rows: WaitRow[]): Promise<Sorted> {
  const { automation, ctx } = own;
  const wait = automation.wait!;
  const now = ctx.clock.now();
  const orderIds = rows.map(({ order_id }) => order_id);
  const pipelines = branches.map(({ open }) => open.pipeline);
  const { matched } = await findOrdersFor(ctx, automation.trigger, pipelines, orderIds);
  const still = new Set(matched.flat());
  const waitedFor = wait.when && [await openCondition(ctx, wait.when)];
  const met = waitedFor && new Set((await findOrdersFor(ctx, {}, waitedFor, [...still])).matched[0]);
  const ends = await findEnds(ctx, wait, new Map(rows.map(({ order_id, since }) => [order_id, since])));
  const sorted: Sorted = { matched, gone: [], expired: [], later: [], ready: [] };
  for (const row of rows) {
    const endsAt = ends.get(row.order_id);
    if (!still.has(row.order_id) || endsAt === undefined) sorted.gone.push(row);
    else if (met ? met.has(row.order_id) : endsAt <= now) sorted.ready.push(row);
    else if (endsAt <= now) sorted.expired.push(row);
    else sorted.later.push({ id: row.id, ends_at: endsAt, due_at: nextCheck(wait, endsAt, now) });
  }
  return sorted;
}

/** The run of a wait has no range of events: automations after it do not wait for the end of the wait. */
function occasionOf({ automation }: LeasedAutomation, { id, automation_path, ends_at }: WaitRow): Occasion {
  return {
    goesOn: { cursor: automation.cursor, nextRunAt: null, dueAt: anyTime },
    key: `wait ${id}`,
    cause: {
      automation_id: automation.id,
      from_sequence: null,
      to_sequence: null,
      scheduled_for: ends_at.toISOString(),
      depth: automation_path.length,
      automation_path,
    },
  };
}

async function recordEnded(tx: Tx, own: LeasedAutomation, ended: Record<string, WaitRow[]>): Promise<void> {
  const { automation, ctx } = own;
  const groups = Object.entries(ended).filter(([, rows]) => rows.length > 0);
  const { cause, key } = occasionOf(own, groups[0]![1][0]!);
  await insertInvocation(tx, ctx.orgId, automation.id, {
    id: ctx.newId(),
    kind: "wait_ended",
    cause,
    key: `${key} ended`,
    order_count: groups.reduce((sum, [, rows]) => sum + rows.length, 0),
    run_id: null,
    preflight_summary: null,
    errors_by_code: Object.fromEntries(groups.map(([code, rows]) => [code, rows.length])),
    invoked_at: ctx.clock.now(),
  });
}
