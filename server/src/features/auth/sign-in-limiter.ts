import { HubError } from "../../core/errors.ts";
import { perWorld } from "../../context.ts";

const windowMs = 5 * 60_000;
const maxAddresses = 50_000;

/** Counts failed sign-ins per address. A try counts from its start, so that many at once cannot slip past. */
export const signInLimiter = perWorld(({ clock, settings }) => {
  const tries = new Map<string, number[]>();

  return {
    /** Throws 429 past the limit; call the result when the sign-in succeeded. */
    start(address: string): () => void {
      const now = clock.real().getTime();
      const recent = (tries.get(address) ?? []).filter((at) => at > now - windowMs);
      if (recent.length >= settings.maxSignInFailures) {
        const retryAfterSeconds = Math.ceil((recent[0]! + windowMs - now) / 1000);
        throw new HubError("rate_limited", "Too many failed sign-ins from this address.", { retryAfterSeconds });
      }
      if (tries.size >= maxAddresses) tries.clear();
      tries.set(address, [...recent, now]);
      return () => {
        tries.delete(address);
      };
    },
  };
});
