import { hash } from "node:crypto";
import type { Principal } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import type { Credential } from "../features/auth/auth.ts";

const maxEntries = 10_000;

/**
 * Digests of credentials that were valid recently, and bridges and carrier accounts that received a validly signed webhook recently. Each request is
 * authenticated again; this only decides whether it has to queue with anonymous callers for that.
 */
export function createVerifiedCredentials() {
  const credentials = new Set<string>();
  const receivers = new Set<string>();
  /** Authentications under way: many requests at once with a new token are authenticated once. */
  const underWay = new Map<string, Promise<Principal>>();

  function digestOf({ authorization, cookie }: Credential): string {
    return hash("sha256", authorization ?? (cookie === undefined ? "" : `cookie ${cookie}`), "base64");
  }

  function add(entries: Set<string>, entry: string): void {
    entries.add(entry);
    if (entries.size > maxEntries) entries.delete(entries.values().next().value!);
  }

  async function verifyOnce(digest: string, authenticate: () => Promise<Principal>): Promise<Principal> {
    try {
      const principal = await authenticate();
      add(credentials, digest);
      return principal;
    } finally {
      underWay.delete(digest);
    }
  }

  async function verify(credential: Credential, authenticate: () => Promise<Principal>): Promise<Principal> {
    const digest = digestOf(credential);
    const other = underWay.get(digest);
    if (!other) {
      const own = verifyOnce(digest, authenticate);
      underWay.set(digest, own);
      return await own;
    }
    try {
      return await other;
    } catch (error) {
      // Another failure, such as a client that disconnected, says nothing about the token.
      if (error instanceof HubError && error.status === 401) throw error;
      return await verify(credential, authenticate);
    }
  }

  return {
    verify,
    has: (credential: Credential): boolean =>
      (credential.authorization ?? credential.cookie) !== undefined && credentials.has(digestOf(credential)),
    addReceiver: (id: string): void => add(receivers, id.toLowerCase()),
    hasReceiver: (id: string): boolean => receivers.has(id.toLowerCase()),
  };
}
