import { RemoteError } from "../core/remote-error.ts";
import { shortHash } from "./short-hash.ts";

/** The positions visited in a pass: one that comes again would loop forever. */
export type Followed = { has(position: string): boolean; add(position: string): void };

export function createFollowed(first: string | undefined): Followed {
  // Positions can be long URLs, and there can be many.
  const known = new Set(first === undefined ? [] : [shortHash(first)]);
  return { has: (position) => known.has(shortHash(position)), add: (position) => known.add(shortHash(position)) };
}

/** `hint`: how to fix it. */
export function paginationLoop(hint = ""): RemoteError {
  const message = `The API returns the same page again and again. ${hint}`.trim();
  return new RemoteError("pagination_loop", message, { retryable: true });
}
