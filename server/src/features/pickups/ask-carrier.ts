import type { PickupConfirmation, PickupState } from "../../carriers/carrier.ts";
import { CarrierError } from "../../carriers/carrier.ts";
import type { Ctx } from "../../context.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import type { Pickup } from "./pickup.ts";
import { effectKeyOf } from "./pickup.ts";
import { toOffsetText } from "./pickup-window.ts";

/** What a carrier said. `unknown`: perhaps it happened, perhaps not; ask again under the same key. */
export type Said<T> = { done: T } | { refused: { code: string; message: string } } | { unknown: string };

const timeoutMs = 20_000;

export function askToSchedule(
  ctx: Ctx,
  { carrier, call }: OpenCarrier,
  pickup: Pickup,
): Promise<Said<PickupConfirmation>> {
  const local = (at: string): string => toOffsetText(Temporal.Instant.from(at).toZonedDateTimeISO(pickup.timezone));
  const request = {
    address: pickup.address,
    readyTime: local(pickup.readyAt),
    closeTime: local(pickup.closeAt),
    packageCount: pickup.packageCount,
    ...(pickup.totalWeight === null ? {} : { totalWeight: pickup.totalWeight }),
    ...(pickup.instructions === null ? {} : { instructions: pickup.instructions }),
  };
  return ask(ctx, (signal) => carrier.schedulePickup!({ ...call(effectKeyOf(pickup)), signal }, request));
}

export async function askToCancel(
  ctx: Ctx,
  { carrier, call }: OpenCarrier,
  key: string,
  confirmationNumber: string,
  reason: string | null,
): Promise<Said<void>> {
  // A carrier that cannot be told is told by nobody coming to the door.
  if (!carrier.cancelPickup) return { done: undefined };
  const pickup = { confirmationNumber, ...(reason === null ? {} : { reason }) };
  return await ask(ctx, (signal) => carrier.cancelPickup!({ ...call(`${key}:cancel`), signal }, pickup));
}

export async function askWhatBecame(
  ctx: Ctx,
  { carrier, call }: OpenCarrier,
  pickup: Pickup,
): Promise<Said<PickupState | undefined>> {
  const { confirmationNumber, readyAt, closeAt } = pickup;
  if (!carrier.findPickup || confirmationNumber === null) return { done: undefined };
  const known = { confirmationNumber, readyTime: readyAt, closeTime: closeAt };
  return await ask(ctx, (signal) => carrier.findPickup!({ ...call(effectKeyOf(pickup)), signal }, known));
}

async function ask<T>(ctx: Ctx, work: (signal: AbortSignal) => Promise<T>): Promise<Said<T>> {
  const signal = AbortSignal.timeout(timeoutMs);
  const timedOut = new Promise<Said<T>>((resolve) => {
    signal.addEventListener("abort", () => resolve({ unknown: "The carrier did not answer in time." }), { once: true });
  });
  const answered = work(signal).then(
    (done): Said<T> => ({ done }),
    (error: unknown) => readError<T>(ctx, error),
  );
  return await Promise.race([answered, timedOut]);
}

function readError<T>(ctx: Ctx, error: unknown): Said<T> {
  if (error instanceof CarrierError) {
    const { code, message, retryable, mayHaveHappened } = error;
    return retryable || mayHaveHappened ? { unknown: message } : { refused: { code, message } };
  }
  ctx.log.error({ err: error }, "a carrier failed in a way it should not");
  return { unknown: "The carrier could not be asked." };
}
