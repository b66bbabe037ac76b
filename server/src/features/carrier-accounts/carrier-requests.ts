import type { Carrier, CarrierCall, CarrierData } from "../../carriers/carrier.ts";
import { HubError } from "../../core/errors.ts";
import { linePattern } from "../../core/schema.ts";
import { findUnstorableText } from "../../core/strict-json.ts";
import type { Ctx, World } from "../../context.ts";
import { change, systemContext } from "../../context.ts";
import type { Stored } from "../../db/columns.ts";
import type { Tx } from "../../db/database.ts";
import { isConnectionLoss } from "../../db/database.ts";
import type { LeasedRecords } from "../../queue/leased-records.ts";
import type { LeasedRow } from "../../queue/leases.ts";
import type { WorkKind } from "../../queue/work.ts";
import type { CarrierAnswer, Failure, OpenCarrier } from "./open-carrier.ts";
import { askCarrier, openCarrier } from "./open-carrier.ts";

/** What waits for a carrier's answer. `attempts`: how often it was asked, the time that is under way included. */
type Asked = { id: string; carrierAccountId: string | null; attempts: number };

/**
 * Something that is asked of a carrier for a record. The order is always the same: the wish is committed with the answer
 * to whoever wished it; then the carrier is asked, outside of any transaction, under a key that stays the same; then what
 * it said is written down, once, by whoever comes first. What stays unanswered is asked again later, and counts as failed
 * in the end.
 */
export type CarrierRequest<R extends Asked, T> = {
  /** Under this key it happens once, however often the carrier is asked for it. */
  effectKey(record: R): string;
  /** Looks at what the carrier answers, too: what cannot be kept is a RemoteError. */
  ask(ctx: Ctx, carrier: Carrier, call: CarrierCall, record: R): Promise<T>;
  lock(tx: Tx, ctx: Ctx, id: string): Promise<R>;
  /** False when somebody else has written the answer down, or something else is asked for by now. */
  isAwaited(current: R, asked: R): boolean;
  done(tx: Tx, ctx: Ctx, current: R, answer: T): Promise<R>;
  refused(tx: Tx, ctx: Ctx, current: R, failure: Failure): Promise<R>;
  unanswered(tx: Tx, ctx: Ctx, current: R, said: Unanswered): Promise<R>;
};

/** `retryAfterMs`: the carrier does not want to be asked sooner. */
export type Unanswered = { unknown: string; retryAfterMs?: number };

type Retryable = { status: string; failure: Failure | null; carrierAccountId: string | null };

export function nowOf({ clock }: Ctx): string {
  return clock.now().toISOString();
}

/** So often is a carrier asked for one thing, over some three hours; then somebody has to look there. */
export const maxAttempts = 24;

const minuteMs = 60_000;
const maxDelayMs = 10 * minuteMs;

/** When the carrier is asked again. Whoever asks it now has a minute at least to write down what it said. */
export function askAgainAt(now: string, attempts: number, retryAfterMs = 0): string {
  const delayMs = Math.min(maxDelayMs, minuteMs * 2 ** Math.min(Math.max(attempts - 1, 0), 10));
  return new Date(Date.parse(now) + Math.max(delayMs, retryAfterMs)).toISOString();
}

/** A carrier to ask, or what is known without asking it. */
export type Reached = OpenCarrier | { refused: Failure } | Unanswered;

/** For those whom nobody is waiting for: what keeps the carrier from being asked counts as no answer. */
export async function reachCarrier(ctx: Ctx, accountId: string | null): Promise<Reached> {
  if (accountId === null) {
    return { refused: { code: "carrier_account_not_found", message: "The carrier account was deleted." } };
  }
  try {
    return await openCarrier(ctx, accountId);
  } catch (error) {
    if (error instanceof HubError) return { unknown: error.message };
    throw error;
  }
}

/** Asks again for things of one kind that nobody is waiting for. */
export function carrierWork<R extends Asked>(
  name: string,
  pollIntervalMs: number,
  { leases, fromRow }: LeasedRecords<R>,
  askAgain: (ctx: Ctx, record: R, reached: Reached, stopping?: AbortSignal) => Promise<unknown>,
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
      await askAgain(ctx, record, await reachCarrier(ctx, record.carrierAccountId), signal);
      return "done";
    },
    async giveUp(world, row) {
      const silence = { unknown: "What the carrier said could not be written down." };
      await askAgain(systemContext(world, row.org_id, name), fromRow(row), silence);
    },
  };
}

/** Only what nobody knows the outcome of is asked for once more, under its key; what was refused is another wish. */
export function refuseUnlessUnanswered({ status, failure, carrierAccountId }: Retryable): void {
  if (status !== "failed" || failure?.code !== "outcome_unknown") {
    throw new HubError("invalid_state", "The carrier is asked once more only for what failed as `outcome_unknown`.");
  }
  if (carrierAccountId === null) throw new HubError("invalid_state", "The carrier account was deleted.");
}

/** Commits the wish, together with the answer that a repeated Idempotency-Key gets until the carrier has said something. */
export async function writeWish<R>(
  ctx: Ctx,
  write: (tx: Tx) => Promise<R>,
  answerOf: (wish: R, tx: Tx) => unknown,
): Promise<R> {
  let wish: R | undefined;
  await change(ctx, async (tx) => {
    wish = await write(tx);
    return await answerOf(wish, tx);
  });
  return wish!;
}

/**
 * Asks, and writes down what was said. What `answerOf` makes of it is what the caller is told; it is kept for a repeated
 * Idempotency-Key together with what was written down.
 */
export async function askAndAnswer<R extends Asked, T, A>(
  ctx: Ctx,
  request: CarrierRequest<R, T>,
  asked: R,
  open: OpenCarrier,
  answerOf: (settled: R, said: CarrierAnswer<T>, tx: Tx) => A | HubError | Promise<A | HubError>,
): Promise<A> {
  const key = request.effectKey(asked);
  const said = await askCarrier(ctx, open, key, (carrier, call) => request.ask(ctx, carrier, call, asked));
  try {
    return await change(ctx, async (tx) => await answerOf(await settle(tx, ctx, request, asked, said), said, tx));
  } catch (error) {
    if (error instanceof HubError || isConnectionLoss(error)) throw error;
    // No mistake of the caller's, whatever the database says about it. The carrier will be asked again.
    throw new Error("what a carrier said could not be written down", { cause: error });
  }
}

/** The same on the way to something else, or for those whom nobody is waiting for. */
export async function askAndSettle<R extends Asked, T>(
  ctx: Ctx,
  request: CarrierRequest<R, T>,
  asked: R,
  reached: Reached,
  stopping?: AbortSignal,
): Promise<R> {
  const ask = (carrier: Carrier, call: CarrierCall): Promise<T> => request.ask(ctx, carrier, call, asked);
  const key = request.effectKey(asked);
  const said = "carrier" in reached ? await askCarrier(ctx, reached, key, ask, stopping) : reached;
  // It was not for want of an answer: whoever comes next asks at once.
  if ("unknown" in said) stopping?.throwIfAborted();
  return await ctx.db.transaction((tx) => settle(tx, ctx, request, asked, said));
}

async function settle<R extends Asked, T>(
  tx: Tx,
  ctx: Ctx,
  request: CarrierRequest<R, T>,
  asked: R,
  said: CarrierAnswer<T>,
): Promise<R> {
  const current = await request.lock(tx, ctx, asked.id);
  if (!request.isAwaited(current, asked)) return current;
  if ("done" in said) return await request.done(tx, ctx, current, said.done);
  if ("refused" in said) return await request.refused(tx, ctx, current, said.refused);
  if (current.attempts < maxAttempts) return await request.unanswered(tx, ctx, current, said);
  return await request.refused(tx, ctx, current, outcomeUnknown(said));
}

export function outcomeUnknown({ unknown }: Unanswered): Failure {
  return { code: "outcome_unknown", message: unknown };
}

const maxDataBytes = 16 * 1024;
const line = new RegExp(linePattern, "u");

/** What a carrier answers is not ours to trust: what follows says of a part of it whether it can be kept. */
export function isStorableLine(text: unknown): text is string {
  return typeof text === "string" && text.length <= 100 && line.test(text) && findUnstorableText(text).length === 0;
}

export function isCents(cents: unknown): boolean {
  return Number.isSafeInteger(cents) && (cents as number) >= 0;
}

export function isCarrierData(data: unknown): data is CarrierData | undefined {
  if (data === undefined) return true;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return false;
  return Buffer.byteLength(JSON.stringify(data)) <= maxDataBytes && findUnstorableText(data).length === 0;
}
