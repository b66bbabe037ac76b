import type { PushTask, Sent } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { isConnectionLoss } from "../../../db/database.ts";
import type { TaskFailure } from "../../bridges/bridge-tasks.ts";
import { describeFailure } from "../../bridges/bridge-tasks.ts";
import type { Order, OrderShipment } from "../../orders/order.ts";
import { presentOrder } from "../../orders/order.ts";
import type { AttemptWork } from "./attempt.ts";
import { superseded } from "./attempt.ts";
import type { Push } from "./effect-claims.ts";
import { claimNewRevision, claimRevision, conclude, knownEffect, waitForHolder } from "./effect-claims.ts";
import type { DesiredEffect } from "./effect-steps.ts";
import { digestOf, nextStep } from "./effect-steps.ts";
import type { EffectRow, Sending } from "./effects.store.ts";
import { listEarlierIds } from "./effects.store.ts";
import type { Mapped } from "./task-mappings.ts";

/** What an effect sends: an order as a whole, or one of its shipments. */
export type EffectSubject = { order: Order; shipment?: OrderShipment };

type PushStatus = "sent" | "updated" | "already_sent" | "in_progress" | "failed" | "outcome_unknown" | "skipped";

export type EffectResult = {
  status: PushStatus;
  externalId?: string | undefined;
  /** When it was sent, if the order was changed later and the change is not sent. */
  changedSince?: string;
  /** Why it was skipped. */
  reason?: "recalled";
  error?: { code: string; message: string };
};

export type EffectOutcome = EffectResult & { retry?: RemoteError };

/** A subject with the request body made of it. */
type PreparedEffect = { subject: EffectSubject; desired: DesiredEffect; record: Record<string, unknown> };

const partOf = ({ shipment }: EffectSubject): string => shipment?.id ?? "";

function recordOf({ order, shipment }: EffectSubject): Record<string, unknown> {
  return shipment ? { ...presentOrder(order), shipments: [shipment] } : presentOrder(order);
}

function mapSubject({ work }: Push, subject: EffectSubject) {
  const record = recordOf(subject);
  const { outbound } = work.mappings;
  const mapped: Mapped = outbound?.map(record) ?? { ok: true, output: record };
  // Content is compared with the clock fixed: a mapping that writes the current time must not make it look changed.
  const comparable: Mapped = outbound?.mapTimeless?.(record) ?? mapped;
  return { record, mapped, comparable };
}

/**
 * Sends at most once: the intent is stored first, under a key that every process computes the same way. What was sent is not sent
 * again, and what may have been sent is looked up.
 */
export async function pushEffect(push: Push, subject: EffectSubject): Promise<EffectOutcome> {
  const { work, sampler } = push;
  const { order } = subject;
  const { record, mapped, comparable } = mapSubject(push, subject);
  const desired = desiredEffect(push, subject, comparable);
  for (;;) {
    work.call.signal.throwIfAborted();
    const row = knownEffect(push, order.id, partOf(subject));
    const step = nextStep(row, desired);
    if (step === "done") return alreadySent(row!);
    if (step === "done_before_change") return alreadySent(row!, row!.concludedAt);
    if (step === "recalled") return { status: "skipped", reason: "recalled" };
    if (step === "wait") {
      if (await waitForHolder(push, order.id)) continue;
      return { status: "in_progress", error: inProgress, retry: retryOf({ ...inProgress, retryAfterMs: 5_000 }) };
    }
    if (!mapped.ok) {
      sampler.add(record, mapped);
      return { status: "failed", error: notMapped };
    }
    const outcome = await perform(push, { subject, desired, record: mapped.output }, row, step);
    if (!outcome) continue;
    sampler.add(record, mapped);
    return outcome;
  }
}

/** Undefined: another attempt was first, or the look-up found it. The caller decides again with the stored state. */
async function perform(
  push: Push,
  prepared: PreparedEffect,
  row: EffectRow | undefined,
  step: "begin" | "retry" | "look_up" | "update",
): Promise<EffectOutcome | undefined> {
  if (step === "update") return await updateRemote(push, prepared, row!);
  if (step === "look_up") return await lookUpAndSend(push, prepared, row!);
  const sending = sendingOf(prepared);
  const { subject } = prepared;
  const identity = { orderId: subject.order.id, part: partOf(subject), previous: row };
  const claim =
    step === "begin"
      ? await claimNewRevision(push, { ...identity, sending })
      : await claimRevision(push, row!, "intent", sending);
  return claim && (await send(push, prepared, claim, false));
}

function sendingOf({ subject: { order, shipment }, desired: { content } }: PreparedEffect): Sending {
  return { content, orderVersion: order.version, shipment: shipment ?? null };
}

/** A shipment is compared by what the order lists about it, so other changes of the order do not resend it. */
function desiredEffect({ work, task, site }: Push, subject: EffectSubject, mapped: Mapped): DesiredEffect {
  const { order, shipment } = subject;
  const { effect_root: root, input } = work.execution;
  const { resendPolicy, update } = task;
  const compared = shipment ?? (mapped.ok ? contentOf(work, task, mapped.output) : undefined);
  const content = compared === undefined ? null : digestOf(compared);
  const isResend = input.forceResend === true;
  return { root, isResend, site, content, order, resendPolicy, canUpdate: update !== undefined };
}

/** Undefined: no request can be built; sending it reports why. */
function contentOf({ call }: AttemptWork, task: PushTask, record: Record<string, unknown>): unknown {
  const { version: _version, updatedAt: _updatedAt, ...rest } = record;
  try {
    return task.contentOf ? task.contentOf(call, record) : rest;
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

/** False: the execution was cancelled. Nothing may be awaited between this check and the request. */
function mayBegin({ work }: Push): boolean {
  // If the process was frozen after the claim, its lease has ended and another worker may have sent it.
  if (!work.mayStart()) throw superseded();
  // The cancel request was answered with the promise that nothing starts any more.
  return !work.call.signal.aborted;
}

async function send(
  push: Push,
  prepared: PreparedEffect,
  row: EffectRow,
  mayHaveArrived: boolean,
): Promise<EffectOutcome> {
  const { call } = push.work;
  if (!mayBegin(push)) {
    const error = { code: "cancelled", message: "It was not sent." };
    if (!mayHaveArrived) await conclude(push, row, { status: "failed", error });
    call.signal.throwIfAborted();
  }
  const outcome = await settle(push.task.send(call, prepared.record, row.key));
  if ("error" in outcome) return await handleFailure(push, row, outcome.error, mayHaveArrived);
  const sent = outcome.response;
  await conclude(push, row, { status: "done", sent, ...sendingOf(prepared) });
  return { status: "sent", externalId: sent.externalId };
}

/** A rejection proves nothing about an earlier request that may have arrived. */
async function handleFailure(
  push: Push,
  row: EffectRow,
  cause: unknown,
  mayHaveArrived: boolean,
): Promise<EffectOutcome> {
  const { task, work } = push;
  const { signal } = work.call;
  const failure = describeFailure(cause, signal);
  const error = publicError(failure);
  const isCut = failure.mayHaveHappened === true || signal.aborted;
  const isUncertain = isCut || mayHaveArrived;
  // An uncertain effect keeps its intent, so that the next attempt or execution looks it up.
  if (!isUncertain) await conclude(push, row, { status: "failed", error });
  if (isUncertain && task.find === undefined && !task.idempotent) return await concludeUnknown(push, row, failure);
  signal.throwIfAborted();
  const status = isUncertain ? "outcome_unknown" : "failed";
  return { status, error, ...(failure.retryable || isCut ? { retry: retryOf(failure) } : {}) };
}

async function concludeUnknown(push: Push, row: EffectRow, failure?: TaskFailure): Promise<EffectOutcome> {
  const error = unknownOutcome(failure?.code === "unexpected_response" ? failure.message : "The connection broke.");
  await conclude(push, row, { status: "unknown", error });
  return { status: "outcome_unknown", error };
}

async function lookUpAndSend(
  push: Push,
  prepared: PreparedEffect,
  seen: EffectRow,
): Promise<EffectOutcome | undefined> {
  const { task, work } = push;
  const { call } = work;
  const row = await claimRevision(push, seen, "intent");
  if (!row) return undefined;
  const asSent = recordAsSent(push, prepared, row);
  if (!asSent) return { status: "outcome_unknown", error: notMapped };
  const outcome = await settle(task.find?.(call, asSent, row.key));
  if ("error" in outcome) {
    call.signal.throwIfAborted();
    const failure = describeFailure(outcome.error, call.signal);
    const retry = failure.retryable ? { retry: retryOf(failure) } : {};
    return { status: "outcome_unknown", error: publicError(failure), ...retry };
  }
  const found = outcome.response;
  const { content } = prepared.desired;
  if (found === "in part" && row.content !== content) return await completeAsSent(push, prepared, row, asSent);
  const isWhole = found !== undefined && found !== "in part";
  // A record found under an earlier key says nothing about this revision.
  const isEarlier = isWhole && row.revision > 1 && (await isOfEarlierKey(push, row, found));
  if (isWhole && !isEarlier) {
    await conclude(push, row, { status: "done", sent: found });
    return undefined;
  }
  if (!task.idempotent && (!task.find || isEarlier)) return await concludeUnknown(push, row);
  const mayHaveArrived = task.find === undefined || isEarlier;
  // The look-up took time, so the claim is renewed: the attempt may have been superseded since.
  const claim = await claimRevision(push, row, "intent", mayHaveArrived ? row : sendingOf(prepared));
  return claim && (await send(push, prepared, claim, mayHaveArrived));
}

/** Completes a partly sent effect with the content it was begun with; changes made since then become an update. */
async function completeAsSent(
  push: Push,
  { subject, desired }: PreparedEffect,
  seen: EffectRow,
  record: Record<string, unknown>,
): Promise<EffectOutcome | undefined> {
  const row = await claimRevision(push, seen, "intent");
  if (!row) return undefined;
  const { content, shipment } = row;
  const begun = { subject: { ...subject, shipment: shipment ?? undefined }, desired: { ...desired, content }, record };
  const outcome = await send(push, begun, row, true);
  return outcome.status === "sent" ? undefined : outcome;
}

/** The other side knows a shipment by the tracking number it had when it was sent. */
function recordAsSent(push: Push, { subject: { order }, record }: PreparedEffect, { shipment }: EffectRow) {
  if (!shipment) return record;
  const { mapped } = mapSubject(push, { order, shipment });
  return mapped.ok ? mapped.output : undefined;
}

async function isOfEarlierKey({ work }: Push, row: EffectRow, { externalId }: Sent): Promise<boolean> {
  const earlier = await listEarlierIds(work.world.db, work.execution, row.key);
  return externalId !== undefined && earlier.includes(externalId);
}

async function updateRemote(push: Push, prepared: PreparedEffect, seen: EffectRow): Promise<EffectOutcome | undefined> {
  const { call } = push.work;
  const row = await claimRevision(push, seen, "updating");
  if (!row) return undefined;
  if (!mayBegin(push)) call.signal.throwIfAborted();
  const key = digestOf([row.key, prepared.desired.content]);
  const outcome = await settle(push.task.update!(call, prepared.record, row.sent ?? {}, key));
  if ("error" in outcome) {
    const failure = describeFailure(outcome.error, call.signal);
    const isUncertain = failure.mayHaveHappened === true || call.signal.aborted;
    // With the status `updating` it is updated again.
    if (!isUncertain) await conclude(push, row, { status: "done" });
    call.signal.throwIfAborted();
    const retry = failure.retryable || isUncertain ? { retry: retryOf(failure) } : {};
    return { status: "failed", error: publicError(failure), ...retry };
  }
  const sent = outcome.response;
  if (!sent) {
    await conclude(push, row, { status: "done" });
    return alreadySent(row, seen.concludedAt);
  }
  await conclude(push, row, { status: "done", sent, ...sendingOf(prepared) });
  return { status: "updated", externalId: sent.externalId };
}

function alreadySent({ sent }: EffectRow, changedSince?: Date): EffectOutcome {
  const since = changedSince ? { changedSince: changedSince.toISOString() } : {};
  return { status: "already_sent", externalId: sent?.externalId, ...since };
}

/** The response of the other side, or the error. */
async function settle<T>(response: T | Promise<T>): Promise<{ response: T } | { error: unknown }> {
  try {
    return { response: await response };
  } catch (error) {
    // The hub lost its own database before the request was sent: the other side has rejected nothing.
    if (!(error instanceof RemoteError) && isConnectionLoss(error)) throw error;
    return { error };
  }
}

function retryOf({ code, message, retryAfterMs }: Omit<TaskFailure, "retryable">): RemoteError {
  return new RemoteError(code, message, { retryable: true, retryAfterMs });
}

function publicError({ code, message }: TaskFailure): { code: string; message: string } {
  return { code, message };
}

const notMapped = {
  code: "transformation_failed",
  message: "The outbound transformation could not map the order.",
};

const inProgress = { code: "in_progress", message: "Another execution is sending it." };

function unknownOutcome(reason: string): { code: string; message: string } {
  const message =
    `It may have arrived. ${reason} The other side cannot be asked. Check there; if it is missing, ` +
    "execute the task with `forceResend`: a retry does not send it again.";
  return { code: "outcome_unknown", message };
}
