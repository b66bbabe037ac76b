import type { Carrier, CarrierCall, CarrierOperation } from "../../carriers/seam/carrier.ts";
import { HubError } from "../../core/errors.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Ctx, World } from "../../context.ts";
import { change, systemContext } from "../../context.ts";
import type { Stored } from "../../db/columns.ts";
import type { Tx } from "../../db/database.ts";
import { isConnectionLoss } from "../../db/database.ts";
import type { EffectAttempt, EffectAttempts } from "../../queue/effect-attempts.ts";
import type { LeasedRecords } from "../../queue/leased-records.ts";
import type { LeasedRow } from "../../queue/leases.ts";
import type { WorkKind } from "../../queue/work.ts";
import type { CarrierResponse, Effect, Failure, OpenCarrier } from "./open-carrier.ts";
import { callCarrier, openCarrier, timeoutOf } from "./open-carrier.ts";
import { isCarrierData } from "./storable-answers.ts";

export { isCarrierData, isCharge, isStorableLine } from "./storable-answers.ts";

/** A record that waits for a carrier's response. `attempts` includes the current one. */
type RequestRecord = { id: string; carrierAccountId: string | null; attempts: number };

/**
 * A request to a carrier on behalf of a record, always in three steps: (1) the request is committed together with the
 * answer for a repeated Idempotency-Key; (2) the carrier is called outside of any transaction with a stable effect key;
 * (3) the response is settled in a transaction, by whichever process gets there first. A request without a response is
 * retried and finally fails with `outcome_unknown`.
 */
export type CarrierRequest<R extends RequestRecord, T> = {
  operation: CarrierOperation;
  effects: EffectAttempts;
  /** Idempotency key at the carrier: the same for every attempt. */
  effectKey(record: R): string;
  /** Calls the carrier and validates the response: one that cannot be stored is a RemoteError. */
  send(ctx: Ctx, carrier: Carrier, call: CarrierCall, record: R): Promise<T>;
  lock(tx: Tx, ctx: Ctx, id: string): Promise<R>;
  /** False if the response was settled already, or the record has a newer request by now. */
  isPending(current: R, sent: R): boolean;
  done(tx: Tx, ctx: Ctx, current: R, answer: T): Promise<R>;
  rejected(tx: Tx, ctx: Ctx, current: R, failure: Failure): Promise<R>;
  noResponse(tx: Tx, ctx: Ctx, current: R, response: NoResponse): Promise<R>;
};

/** `retryAfterMs`: the carrier's Retry-After. */
export type NoResponse = { unknown: string; retryAfterMs?: number };

type Retryable = { status: string; failure: Failure | null; carrierAccountId: string | null };

export function nowOf({ clock }: Ctx): string {
  return clock.now().toISOString();
}

/** Attempts per request, over about three hours. After that the user has to check with the carrier. */
export const maxAttempts = 24;

/** Response timeouts of carriers are at most 75 seconds; a test of the installed carriers checks it. */
const firstDelayMs = 90_000;
const maxDelayMs = 600_000;

/**
 * Time of the next attempt, with exponential backoff. The first delay is longer than any response timeout, so that two attempts do
 * not run at the same time.
 */
export function backoffUntil(now: string, attempts: number, retryAfterMs = 0, firstMs = firstDelayMs): string {
  const delayMs = Math.min(maxDelayMs, firstMs * 2 ** Math.min(Math.max(attempts - 1, 0), 10));
  return new Date(Date.parse(now) + Math.max(delayMs, retryAfterMs)).toISOString();
}

/** An opened carrier, or the outcome of the request if the carrier cannot be called. */
export type CarrierOrFailure = OpenCarrier | { rejected: Failure } | NoResponse;

/** For background requests: an error that prevents the call counts as a missing response. */
export async function tryOpenCarrier(ctx: Ctx, accountId: string | null): Promise<CarrierOrFailure> {
  if (accountId === null) {
    return { rejected: { code: "carrier_account_not_found", message: "The carrier account was deleted." } };
  }
  try {
    return await openCarrier(ctx, accountId);
  } catch (error) {
    if (error instanceof HubError) return { unknown: error.message };
    throw error;
  }
}

/** Background work that retries the requests of one kind of record. */
export function carrierWork<R extends RequestRecord>(
  name: string,
  pollIntervalMs: number,
  { leases, fromRow }: LeasedRecords<R>,
  resend: (ctx: Ctx, record: R, opened: CarrierOrFailure, stopping?: AbortSignal) => Promise<unknown>,
): WorkKind<World, LeasedRow & Stored<R>> {
  return {
    name,
    leases,
    wakeOn: ["clock"],
    pollIntervalMs,
    maxAttempts,
    async run(world, row, { signal }) {
      const ctx = systemContext(world, row.org_id, name);
      const record = fromRow(row);
      await resend(ctx, record, await tryOpenCarrier(ctx, record.carrierAccountId), signal);
      return "done";
    },
    async giveUp(world, row) {
      const failure = { unknown: "The carrier's response could not be stored." };
      await resend(systemContext(world, row.org_id, name), fromRow(row), failure);
    },
  };
}

export function isOutcomeUnknown({ status, failure }: Pick<Retryable, "status" | "failure">): boolean {
  return status === "failed" && failure?.code === "outcome_unknown";
}

/** Only a request with an unknown outcome is retried, with the same key. A rejected request needs a new one. */
export function requireUnknownOutcome(record: Retryable): void {
  const { carrierAccountId } = record;
  if (!isOutcomeUnknown(record)) {
    throw new HubError("invalid_state", "Only requests that failed with `outcome_unknown` can be retried.");
  }
  if (carrierAccountId === null) throw new HubError("invalid_state", "The carrier account was deleted.");
}

/** Commits the request, together with the answer that a repeated Idempotency-Key gets until the carrier has responded. */
export async function commitRequest<R>(
  ctx: Ctx,
  write: (tx: Tx) => Promise<R>,
  answerOf: (record: R, tx: Tx) => unknown,
): Promise<R> {
  let record: R | undefined;
  await change(ctx, async (tx) => {
    record = await write(tx);
    return await answerOf(record, tx);
  });
  return record!;
}

/**
 * Sends the request and settles the response. Returns what `answerOf` makes of it, which is stored for a repeated
 * Idempotency-Key in the same transaction.
 */
export async function sendAndAnswer<R extends RequestRecord, T, A>(
  ctx: Ctx,
  request: CarrierRequest<R, T>,
  sent: R,
  open: OpenCarrier,
  answerOf: (settled: R, response: CarrierResponse<T>, tx: Tx) => A | HubError | Promise<A | HubError>,
): Promise<A> {
  const { response, attempt } = await send(ctx, request, sent, open);
  try {
    return await change(
      ctx,
      async (tx) => await answerOf(await settle(tx, ctx, request, sent, response, attempt), response, tx),
    );
  } catch (error) {
    if (error instanceof HubError || isConnectionLoss(error)) throw error;
    // Not an error of the caller, whatever the database reports. The request is retried in the background.
    throw new Error("a carrier's response could not be stored", { cause: error });
  }
}

/** Sends the request and settles the response without an answer to a caller: for retries, and as a step of another request. */
export async function sendAndSettle<R extends RequestRecord, T>(
  ctx: Ctx,
  request: CarrierRequest<R, T>,
  sent: R,
  opened: CarrierOrFailure,
  stopping?: AbortSignal,
): Promise<R> {
  const { response, attempt } =
    "carrier" in opened ? await send(ctx, request, sent, opened, stopping) : { response: opened, attempt: undefined };
  // Aborted because the hub stops, not for lack of a response: the next worker retries at once.
  if ("unknown" in response) stopping?.throwIfAborted();
  return await ctx.db.transaction((tx) => settle(tx, ctx, request, sent, response, attempt));
}

/** One attempt, counted before the call: if this process dies, the next attempt has a number above 1. */
async function send<R extends RequestRecord, T>(
  ctx: Ctx,
  request: CarrierRequest<R, T>,
  sent: R,
  open: OpenCarrier,
  stopping?: AbortSignal,
): Promise<{ response: CarrierResponse<T>; attempt: EffectAttempt }> {
  const { effects, operation } = request;
  const timeoutMs = timeoutOf(open.carrier, operation);
  const attempt = await effects.begin(ctx.db, ctx.orgId, sent.id, request.effectKey(sent), timeoutMs);
  const effect: Effect = {
    effectKey: attempt.key,
    attempt: attempt.number,
    noted: attempt.noted,
    isRecorded: true,
    async note(data) {
      if (!isCarrierData(data)) throw new Error("a carrier noted data that cannot be stored");
      if (await effects.note(ctx.db, ctx.orgId, sent.id, attempt, data)) return;
      throw new RemoteError("superseded", "A later attempt at this request has begun.", { retryable: true });
    },
  };
  const ask = (carrier: Carrier, call: CarrierCall): Promise<T> => request.send(ctx, carrier, call, sent);
  return { response: await callCarrier(ctx, open, operation, effect, ask, stopping), attempt };
}

async function settle<R extends RequestRecord, T>(
  tx: Tx,
  ctx: Ctx,
  request: CarrierRequest<R, T>,
  sent: R,
  response: CarrierResponse<T>,
  attempt: EffectAttempt | undefined,
): Promise<R> {
  const current = await request.lock(tx, ctx, sent.id);
  const isLatest = attempt === undefined || (await request.effects.end(tx, ctx.orgId, sent.id, attempt));
  if (!request.isPending(current, sent)) return current;
  // A rejection or a missing response of an earlier attempt says nothing about the later one, which is under way.
  if (!isLatest && !("done" in response)) return current;
  if ("done" in response) return await request.done(tx, ctx, current, response.done);
  if ("rejected" in response) return await request.rejected(tx, ctx, current, response.rejected);
  if (current.attempts < maxAttempts) return await request.noResponse(tx, ctx, current, response);
  return await request.rejected(tx, ctx, current, outcomeUnknown(response));
}

export function outcomeUnknown({ unknown }: NoResponse): Failure {
  return { code: "outcome_unknown", message: unknown };
}
