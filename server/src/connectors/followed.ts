import { RemoteError } from "../core/remote-error.ts";
import { shortHash } from "./short-hash.ts";

/** Where a pass through the pages has led so far: a place that comes again would be gone round for ever. */
export type Followed = { has(place: string): boolean; add(place: string): void };

export function createFollowed(first: string | undefined): Followed {
  // Places can be long addresses, and there can be many.
  const known = new Set(first === undefined ? [] : [shortHash(first)]);
  return { has: (place) => known.has(shortHash(place)), add: (place) => known.add(shortHash(place)) };
}

/** `hint`: what can be done about it. */
export function pagesRepeat(hint = ""): RemoteError {
  const message = `The other side answers the same page again and again. ${hint}`.trim();
  return new RemoteError("pagination_loop", message, { retryable: true });
}
