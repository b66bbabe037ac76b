import type { Sent } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { isConnectionLoss } from "../../../db/database.ts";
import type { TaskFailure } from "../../bridges/bridge-tasks.ts";
import { describeFailure } from "../../bridges/bridge-tasks.ts";
import { superseded } from "./attempt.ts";
import type { Push } from "./effect-claims.ts";
import { claimNewRevision, claimRevision, conclude, knownEffect, waitForHolder } from "./effect-claims.ts";
import { digestOf, nextStep } from "./effect-steps.ts";
import type { EffectRow } from "./effects.store.ts";
import { listEarlierIds } from "./effects.store.ts";
import type { EffectOutcome } from "./effect-outcome.ts";
import { alreadySent, inProgress, notMapped, publicError, retryOf, unknownOutcome } from "./effect-outcome.ts";
import type { EffectSubject, PreparedEffect } from "./prepare-effect.ts";
import { desiredEffect, mapSubject, partOf, sendingOf } from "./prepare-effect.ts";

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
