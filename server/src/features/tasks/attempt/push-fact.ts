import { setTimeout as delay } from "node:timers/promises";
import type { PushTask, Sent } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { isConnectionLoss } from "../../../db/database.ts";
import type { TaskFailure } from "../../bridges/bridge-tasks.ts";
import { describeFailure, siteOf } from "../../bridges/bridge-tasks.ts";
import type { Order, OrderShipment } from "../../orders/order.ts";
import { presentOrder } from "../../orders/order.ts";
import type { AttemptWork } from "./attempt.ts";
import { superseded } from "./attempt.ts";
import type { Wish } from "./effect-facts.ts";
import { digestOf, keyOf, nextStep } from "./effect-facts.ts";
import type { Conclusion, EffectRow } from "./effects.store.ts";
import * as store from "./effects.store.ts";
import type { Mapped } from "./task-mappings.ts";
import type { Sampler } from "./task-samples.ts";

/** Something about an order that another system is told: all of it, or one of its shipments. */
export type Fact = { order: Order; shipment?: OrderShipment };

type FactStatus = "sent" | "updated" | "already_sent" | "in_progress" | "failed" | "outcome_unknown" | "skipped";

export type FactResult = {
  status: FactStatus;
  externalId?: string | undefined;
  /** It is there as it was then; what was changed later is not. */
  changedSince?: string;
  /** Why it was skipped. */
  reason?: "taken_back";
  error?: { code: string; message: string };
};

export type FactOutcome = FactResult & { retry?: RemoteError };

/** What the facts of one attempt share. */
export type Push = {
  work: AttemptWork;
  task: PushTask;
  site: string;
  known: Map<string, EffectRow>;
  sampler: Sampler;
  patienceLeftMs: number;
};

const patienceMs = 10_000;
const lookAgainMs = 250;

export async function beginPush(
  work: AttemptWork,
  task: PushTask,
  orderIds: string[],
  sampler: Sampler,
): Promise<Push> {
  const site = siteOf(work.bridge);
  const push: Push = { work, task, site, known: new Map(), sampler, patienceLeftMs: patienceMs };
  await look(push, orderIds);
  return push;
}

const nameOf = (orderId: string, part: string): string => `${orderId} ${part}`;
const partOf = ({ shipment }: Fact): string => shipment?.id ?? "";

function recordOf({ order, shipment }: Fact): Record<string, unknown> {
  return shipment ? { ...presentOrder(order), shipments: [shipment] } : presentOrder(order);
}

function mapFact({ work }: Push, fact: Fact): { record: Record<string, unknown>; mapped: Mapped; told: Mapped } {
  const record = recordOf(fact);
  const { outbound } = work.mappings;
  const mapped = outbound?.map(record) ?? { ok: true, output: record };
  // A mapping may say what time it is, which makes nothing new of what was told before.
  return { record, mapped, told: outbound?.mapTimeless?.(record) ?? mapped };
}

async function look({ work: { world, execution }, known }: Push, orderIds: string[]): Promise<void> {
  for (const row of await store.listEffects(world.db, execution, orderIds)) {
    known.set(nameOf(row.orderId, row.part), row);
  }
}

/**
 * At most once: what is about to be sent is written down first, under a key that everybody computes alike. What was sent
 * is not sent again; what may have been sent is looked up.
 */
export async function pushFact(push: Push, fact: Fact): Promise<FactOutcome> {
  const { work, sampler } = push;
  const { order } = fact;
  const { record, mapped, told } = mapFact(push, fact);
  const wish = wishFor(push, fact, told);
  for (;;) {
    work.call.signal.throwIfAborted();
    const row = push.known.get(nameOf(order.id, partOf(fact)));
    const step = nextStep(row, wish);
    if (step === "done") return there(row!);
    if (step === "done_before_change") return there(row!, row!.concludedAt);
    if (step === "over") return { status: "skipped", reason: "taken_back" };
    if (step === "wait") {
      if (await waited(push, order.id)) continue;
      return { status: "in_progress", error: inProgress, retry: retryOf({ ...inProgress, retryAfterMs: 5_000 }) };
    }
    if (!mapped.ok) {
      sampler.add(record, mapped);
      return { status: "failed", error: notMapped };
    }
    const made = { fact, wish, record: mapped.output };
    const outcome = await act(push, made, row, step);
    if (!outcome) continue;
    sampler.add(record, mapped);
    return outcome;
  }
}

/** A fact, and what is made of it for the other side. */
type Made = { fact: Fact; wish: Wish; record: Record<string, unknown> };

function sendingOf({ fact: { order, shipment }, wish: { content } }: Made): store.Sending {
  return { content, orderVersion: order.version, shipment: shipment ?? null };
}

/** Undefined: somebody came first, or it was found; the fact has to be looked at again. */
async function act(
  push: Push,
  made: Made,
  row: EffectRow | undefined,
  step: "begin" | "again" | "ask" | "update",
): Promise<FactOutcome | undefined> {
  if (step === "update") return await correct(push, made, row!);
  if (step === "ask") return await askAndSend(push, made, row!);
  const mine = step === "begin" ? await begin(push, made, row) : await take(push, row!, "intent", sendingOf(made));
  return mine && (await send(push, made, mine, false));
}

/** A shipment is what the order lists about it, whatever else changes. */
function wishFor({ work, task, site }: Push, { order, shipment }: Fact, mapped: Mapped): Wish {
  const { effect_root: root, input } = work.execution;
  const { resendPolicy, update } = task;
  const told = shipment ?? (mapped.ok ? contentOf(work, task, mapped.output) : undefined);
  const digest = told === undefined ? null : digestOf(told);
  const isResend = input.resend === true;
  return { root, isResend, site, content: digest, order, resendPolicy, canUpdate: update !== undefined };
}

async function begin(push: Push, made: Made, last: EffectRow | undefined): Promise<EffectRow | undefined> {
  const { world, execution } = push.work;
  const { order } = made.fact;
  const { bridge_id: bridgeId, task_name: taskName } = execution;
  const about = { orderId: order.id, part: partOf(made.fact), generation: (last?.generation ?? 0) + 1 };
  const key = keyOf({ bridgeId, taskName, ...about });
  const effect = { key, ...about, site: push.site, ...sendingOf(made) };
  return await ours(push, order.id, await store.beginEffect(world.db, execution, effect, world.clock.now()));
}

async function take(
  push: Push,
  seen: EffectRow,
  status: "intent" | "updating",
  sending: store.Sending = seen,
): Promise<EffectRow | undefined> {
  const { world, execution } = push.work;
  const row = await store.takeEffect(world.db, execution, seen, status, sending, world.clock.now());
  return await ours(push, seen.orderId, row);
}

/** Ours from here on, unless somebody came first. */
async function ours(push: Push, orderId: string, row: EffectRow | undefined): Promise<EffectRow | undefined> {
  const { world, execution } = push.work;
  if (row) push.known.set(nameOf(orderId, row.part), row);
  else if (await store.isAttemptCurrent(world.db, execution)) await look(push, [orderId]);
  else throw superseded();
  return row;
}

async function conclude(
  { work: { world, execution }, task }: Push,
  row: EffectRow,
  outcome: Partial<Conclusion> & Pick<Conclusion, "status">,
): Promise<void> {
  const { content, orderVersion, shipment, sent } = row;
  const whole = { content, orderVersion, shipment, sent, error: null, ...outcome };
  const at = world.clock.now();
  Object.assign(row, whole, { concludedAt: at });
  await whenDatabaseAnswers(() => store.concludeEffect(world.db, execution, row.key, whole, task.opposite, at));
}

/** False: it was cancelled. Between here and the first byte nothing is waited for. */
function mayBegin({ work }: Push): boolean {
  // The answer may have lain there while this process was frozen, and somebody else has sent it meanwhile.
  if (!work.mayStart()) throw superseded();
  // Whoever cancelled was told that nothing starts any more.
  return !work.call.signal.aborted;
}

async function send(push: Push, made: Made, row: EffectRow, mayBeThere: boolean): Promise<FactOutcome> {
  const { call } = push.work;
  if (!mayBegin(push)) {
    const error = { code: "cancelled", message: "It was not sent." };
    if (!mayBeThere) await conclude(push, row, { status: "failed", error });
    call.signal.throwIfAborted();
  }
  const said = await heard(push.task.send(call, made.record, row.key));
  if ("error" in said) return await judgeFailure(push, row, said.error, mayBeThere);
  const sent = said.answer;
  await conclude(push, row, { status: "done", sent, ...sendingOf(made) });
  return { status: "sent", externalId: sent.externalId };
}

/** What may have arrived before may be there also when this time it was refused. */
async function judgeFailure(push: Push, row: EffectRow, cause: unknown, mayBeThere: boolean): Promise<FactOutcome> {
  const { task, work } = push;
  const { signal } = work.call;
  const failure = describeFailure(cause, signal);
  const error = shownOf(failure);
  const isCut = failure.mayHaveHappened === true || signal.aborted;
  const isUncertain = isCut || mayBeThere;
  // Otherwise the intent stays as it is: the next attempt, or execution, finds out.
  if (!isUncertain) await conclude(push, row, { status: "failed", error });
  if (isUncertain && task.find === undefined && !task.idempotent) return await giveUp(push, row, failure);
  signal.throwIfAborted();
  const status = isUncertain ? "outcome_unknown" : "failed";
  return { status, error, ...(failure.retryable || isCut ? { retry: retryOf(failure) } : {}) };
}

async function giveUp(push: Push, row: EffectRow, failure?: TaskFailure): Promise<FactOutcome> {
  const error = unknownOutcome(failure?.code === "unexpected_response" ? failure.message : "The connection broke.");
  await conclude(push, row, { status: "unknown", error });
  return { status: "outcome_unknown", error };
}

async function askAndSend(push: Push, made: Made, seen: EffectRow): Promise<FactOutcome | undefined> {
  const { task, work } = push;
  const { call } = work;
  const row = await take(push, seen, "intent");
  if (!row) return undefined;
  const asSent = recordAsSent(push, made, row);
  if (!asSent) return { status: "outcome_unknown", error: notMapped };
  const said = await heard(task.find?.(call, asSent, row.key));
  if ("error" in said) {
    call.signal.throwIfAborted();
    const failure = describeFailure(said.error, call.signal);
    const retry = failure.retryable ? { retry: retryOf(failure) } : {};
    return { status: "outcome_unknown", error: shownOf(failure), ...retry };
  }
  const found = said.answer;
  if (found === "in part" && row.content !== made.wish.content) return await completeAsSent(push, made, row, asSent);
  // What was sent under an earlier key says nothing about this one.
  const isWhole = found !== undefined && found !== "in part";
  const isEarlier = isWhole && row.generation > 1 && (await isOfEarlierKey(push, row, found));
  if (isWhole && !isEarlier) {
    await conclude(push, row, { status: "done", sent: found });
    return undefined;
  }
  if (!task.idempotent && (!task.find || isEarlier)) return await giveUp(push, row);
  const mayBeThere = task.find === undefined || isEarlier;
  // Time has passed: whether this attempt still counts is asked once more.
  const mine = await take(push, row, "intent", mayBeThere ? row : sendingOf(made));
  return mine && (await send(push, made, mine, mayBeThere));
}

/** The rest of what was begun belongs to it; what has changed since is then a correction of the whole. */
async function completeAsSent(
  push: Push,
  { fact, wish }: Made,
  seen: EffectRow,
  record: Record<string, unknown>,
): Promise<FactOutcome | undefined> {
  const row = await take(push, seen, "intent");
  if (!row) return undefined;
  const { content, shipment } = row;
  const asBegun = { fact: { ...fact, shipment: shipment ?? undefined }, wish: { ...wish, content }, record };
  const outcome = await send(push, asBegun, row, true);
  return outcome.status === "sent" ? undefined : outcome;
}

/** A shipment is known there by the number it had then. */
function recordAsSent(push: Push, { fact: { order }, record }: Made, { shipment }: EffectRow) {
  if (!shipment) return record;
  const { mapped } = mapFact(push, { order, shipment });
  return mapped.ok ? mapped.output : undefined;
}

async function isOfEarlierKey({ work }: Push, row: EffectRow, { externalId }: Sent): Promise<boolean> {
  const earlier = await store.listEarlierIds(work.world.db, work.execution, row.key);
  return externalId !== undefined && earlier.includes(externalId);
}

async function correct(push: Push, made: Made, seen: EffectRow): Promise<FactOutcome | undefined> {
  const { call } = push.work;
  const row = await take(push, seen, "updating");
  if (!row) return undefined;
  if (!mayBegin(push)) call.signal.throwIfAborted();
  const key = digestOf([row.key, made.wish.content]);
  const said = await heard(push.task.update!(call, made.record, row.sent ?? {}, key));
  if ("error" in said) {
    const failure = describeFailure(said.error, call.signal);
    const isUncertain = failure.mayHaveHappened === true || call.signal.aborted;
    // Left as it is, it is corrected once more.
    if (!isUncertain) await conclude(push, row, { status: "done" });
    call.signal.throwIfAborted();
    const retry = failure.retryable || isUncertain ? { retry: retryOf(failure) } : {};
    return { status: "failed", error: shownOf(failure), ...retry };
  }
  const sent = said.answer;
  if (!sent) {
    await conclude(push, row, { status: "done" });
    return there(row, seen.concludedAt);
  }
  await conclude(push, row, { status: "done", sent, ...sendingOf(made) });
  return { status: "updated", externalId: sent.externalId };
}

/** False: it takes too long. */
async function waited(push: Push, orderId: string): Promise<boolean> {
  if (push.patienceLeftMs <= 0) return false;
  push.patienceLeftMs -= lookAgainMs;
  await delay(lookAgainMs);
  await look(push, [orderId]);
  return true;
}

function there({ sent }: EffectRow, changedSince?: Date): FactOutcome {
  const since = changedSince ? { changedSince: changedSince.toISOString() } : {};
  return { status: "already_sent", externalId: sent?.externalId, ...since };
}

/** Undefined: it cannot be made into a request; why is said when it is sent. */
function contentOf({ call }: AttemptWork, task: PushTask, record: Record<string, unknown>): unknown {
  const { version: _version, updatedAt: _updatedAt, ...rest } = record;
  try {
    return task.contentOf ? task.contentOf(call, record) : rest;
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

const askAgainMs = 500;

/** What has happened outside must be written down: forgotten, it would be done once more. */
async function whenDatabaseAnswers(write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      await delay(askAgainMs);
    }
  }
}

function retryOf({ code, message, retryAfterMs }: Omit<TaskFailure, "retryable">): RemoteError {
  return new RemoteError(code, message, { retryable: true, retryAfterMs });
}

/** What is told of it; the rest is for whoever tries again. */
function shownOf({ code, message }: TaskFailure): { code: string; message: string } {
  return { code, message };
}

/** What the other side answered, or how it failed. */
async function heard<T>(answer: T | Promise<T>): Promise<{ answer: T } | { error: unknown }> {
  try {
    return { answer: await answer };
  } catch (error) {
    // The hub's own database was away on the way out: nobody has refused anything, and another attempt finds out.
    if (!(error instanceof RemoteError) && isConnectionLoss(error)) throw error;
    return { error };
  }
}

const notMapped = {
  code: "transformation_failed",
  message: "The outbound transformation could not map the order.",
};

const inProgress = { code: "in_progress", message: "Another execution is sending it at this moment." };

function unknownOutcome(why: string): { code: string; message: string } {
  const message =
    `It may have arrived. ${why} The other side cannot be asked. Look there; if it is missing, ` +
    "execute the task with `resend`: a retry does not send it again.";
  return { code: "outcome_unknown", message };
}
