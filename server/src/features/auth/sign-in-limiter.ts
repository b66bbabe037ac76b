import { HubError } from "../../core/errors.ts";
import { networkOf } from "../../core/network-of.ts";
import { perWorld } from "../../context.ts";

const windowMs = 5 * 60_000;
/** Beyond this, the addresses that have been quiet for longest are dropped. Dropping all at once would let an attacker reset the limits. */
export const maxAddresses = 50_000;

/**
 * Counts failed sign-ins per address. An attempt counts from its start, so that concurrent attempts cannot exceed the limit.
 * A success removes only itself: otherwise an attacker could reset the count with an account of their own.
 */
export const signInLimiter = perWorld(({ clock, settings }) => {
  const attempts = new Map<string, number[]>();

  return {
    /** Throws 429 past the limit; call the result when the sign-in succeeded. */
    start(from: string): () => void {
      const address = networkOf(from);
      const now = clock.real().getTime();
      const recent = (attempts.get(address) ?? []).filter((at) => at > now - windowMs);
      if (recent.length >= settings.maxSignInFailures) {
        const retryAfterSeconds = Math.ceil((recent[0]! + windowMs - now) / 1000);
        throw new HubError("rate_limited", "Too many failed sign-ins from this address.", { retryAfterSeconds });
      }
      // Re-inserted at the end, so that the map is ordered by the last attempt.
      attempts.delete(address);
      if (attempts.size >= maxAddresses) attempts.delete(attempts.keys().next().value!);
      attempts.set(address, [...recent, now]);
      return () => {
        const counted = attempts.get(address) ?? [];
        const own = counted.indexOf(now);
        if (own !== -1) attempts.set(address, counted.toSpliced(own, 1));
      };
    },
  };
});
