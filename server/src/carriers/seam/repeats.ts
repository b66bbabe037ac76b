import type { CarrierCall, CarrierData } from "./carrier.ts";
import { RemoteError } from "./http.ts";
import { asText } from "./read.ts";

/** Purchases and bookings after a lost response: a repeat looks them up before it sends anything again. */

/** Longer than a request may take: after it, what the carrier does not find did not happen. */
const settledMs = 120_000;

/**
 * Sends a purchase or booking to a carrier without idempotency keys. The time is noted before, so that the next attempt knows what
 * may have happened. A refusal that passes, such as too many requests, is noted as well: nothing happened then.
 */
export async function sendOnce<Answer>(
  call: CarrierCall,
  send: () => Promise<Answer>,
  noted: CarrierData = {},
): Promise<Answer> {
  await call.note({ ...noted, sentAt: call.now().toISOString() });
  try {
    return await send();
  } catch (error) {
    if (error instanceof RemoteError && error.retryable && !error.mayHaveHappened) await call.note(noted);
    throw error;
  }
}

/** An earlier attempt sent the request and may have succeeded. */
export function wasSent({ noted }: CarrierCall): boolean {
  return asText(noted?.sentAt) !== undefined;
}

/**
 * Looks up what an earlier attempt did. A look-up that fails leaves open whether it happened: it never counts as a rejection, and
 * never as nothing.
 */
export async function lookUp<Found>(carrier: string, what: string, find: () => Promise<Found>): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const { code, message, retryable, retryAfterMs } = error;
    if (retryable) throw new RemoteError(code, message, { retryable, mayHaveHappened: true, retryAfterMs });
    throw cannotFindOut(carrier, what, message);
  }
}

/** A person has to check at the carrier. `why`: the carrier's words about the look-up. */
export function cannotFindOut(carrier: string, what: string, why = ""): RemoteError {
  const message = `${carrier} may have carried out an earlier attempt at this ${what}, and the look-up failed. Check it at ${carrier}.`;
  return new RemoteError("outcome_unknown", why === "" ? message : `${message} (${why})`, { mayHaveHappened: true });
}

/** A request that is still running at the carrier is not found yet. Sending it again now could buy or book twice. */
export function refuseWhileOpen({ noted, now }: CarrierCall, carrier: string, what: string): void {
  const sentAt = Date.parse(asText(noted?.sentAt) ?? "");
  const leftMs = sentAt + settledMs - now().getTime();
  if (!(leftMs > 0)) return;
  const message = `${carrier} does not report the ${what} of an earlier attempt yet. It is looked up again.`;
  throw new RemoteError("in_progress", message, { retryable: true, mayHaveHappened: true, retryAfterMs: leftMs });
}
