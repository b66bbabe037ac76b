import { HubError } from "../../core/errors.ts";
import { networkOf } from "../../core/network-of.ts";
import { perWorld } from "../../context.ts";

const windowMs = 5 * 60_000;
/** Of those who have been quiet for longest no more is known then: never of all at once, which an attacker could bring about. */
export const maxAddresses = 50_000;

/**
 * Counts failed sign-ins per address. A try counts from its start, so that many at once cannot slip past. One that succeeds
 * takes back only itself: with an account of one's own one could else guess the passwords of others without end.
 */
export const signInLimiter = perWorld(({ clock, settings }) => {
  const tries = new Map<string, number[]>();

  return {
    /** Throws 429 past the limit; call the result when the sign-in succeeded. */
    start(from: string): () => void {
      const address = networkOf(from);
      const now = clock.real().getTime();
      const recent = (tries.get(address) ?? []).filter((at) => at > now - windowMs);
      if (recent.length >= settings.maxSignInFailures) {
        const retryAfterSeconds = Math.ceil((recent[0]! + windowMs - now) / 1000);
        throw new HubError("rate_limited", "Too many failed sign-ins from this address.", { retryAfterSeconds });
      }
      // Put behind all others, so that the first one is who has been quiet for longest.
      tries.delete(address);
      if (tries.size >= maxAddresses) tries.delete(tries.keys().next().value!);
      tries.set(address, [...recent, now]);
      return () => {
        const counted = tries.get(address) ?? [];
        const own = counted.indexOf(now);
        if (own !== -1) tries.set(address, counted.toSpliced(own, 1));
      };
    },
  };
});
