import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Secrets } from "../core/secrets.ts";
import type { Database } from "./database.ts";
import type { StoredToken, TokenRow, TokenTable } from "./token-leases.ts";
import { tokenLeases } from "./token-leases.ts";

type Context = { db: Database; secrets: Pick<Secrets, "seal" | "open">; clock: { real(): Date } };

/** A token and the text under which it is stored. */
type Kept<T> = { token: T; renewAt: number; sealed: string };

export type TokenRequest<T> = TokenRow & {
  signal: AbortSignal;
  /** False for a token that was refused, or was issued for other credentials. Its time is checked besides. */
  isUsable(token: T): boolean;
  /** Requests a token. `previous`: the stored token, of which a part may still be of use. */
  issue(previous: T | undefined): Promise<{ token: T; lifetimeMs: number }>;
};

const maxRemembered = 1_000;
const pollMs = 200;
/** Renewed when a tenth of its lifetime, or five minutes, are left, so that requests do not outlive it. */
const renewBeforeMs = 5 * 60_000;

/**
 * Access tokens that all processes share: encrypted at rest, cached in each process, and fetched by one of them while the others
 * wait. Some servers invalidate the first of two tokens, and others count token requests.
 */
export function sharedTokens<T>(table: TokenTable, contextOf: (row: TokenRow) => string) {
  const leases = tokenLeases(table);
  const memories = new WeakMap<Database, { tokens: Map<string, Kept<T>>; flights: Map<string, Promise<Kept<T>>> }>();

  function memoryOf({ db }: Context) {
    // A request sees its organization only; the cache is shared by all of them.
    const key = db.acrossOrgs;
    const memory = memories.get(key) ?? {
      tokens: new Map<string, Kept<T>>(),
      flights: new Map<string, Promise<Kept<T>>>(),
    };
    memories.set(key, memory);
    return memory;
  }

  const isCurrent = ({ clock }: Context, request: TokenRequest<T>, { token, renewAt }: Kept<T>): boolean =>
    renewAt > clock.real().getTime() && request.isUsable(token);

  function remember(context: Context, row: TokenRow, kept: Kept<T>): Kept<T> {
    const { tokens } = memoryOf(context);
    const id = nameOf(row);
    tokens.delete(id);
    tokens.set(id, kept);
    if (tokens.size > maxRemembered) tokens.delete(tokens.keys().next().value!);
    return kept;
  }

  function open({ secrets }: Context, row: TokenRow, stored: StoredToken | undefined): Kept<T> | undefined {
    if (!stored?.sealed || !stored.renew_at) return undefined;
    const token = JSON.parse(secrets.open(stored.sealed, contextOf(row))) as T;
    return { token, renewAt: stored.renew_at.getTime(), sealed: stored.sealed };
  }

  /** One process at a time fetches a token; the others wait for it. */
  async function renew(context: Context, request: TokenRequest<T>): Promise<Kept<T>> {
    const owner = randomUUID();
    for (;;) {
      request.signal.throwIfAborted();
      const claimed = await leases.claim(context.db, request, owner);
      const kept = open(context, request, claimed ?? (await leases.find(context.db, request)));
      if (kept && isCurrent(context, request, kept)) {
        if (claimed) await leases.release(context.db, request, owner);
        return remember(context, request, kept);
      }
      if (claimed) return await fetchAndKeep(context, request, owner, kept);
      await delay(pollMs);
    }
  }

  async function fetchAndKeep(
    context: Context,
    request: TokenRequest<T>,
    owner: string,
    previous: Kept<T> | undefined,
  ): Promise<Kept<T>> {
    const { db, secrets, clock } = context;
    let isSaved = false;
    try {
      const { token, lifetimeMs } = await request.issue(previous?.token);
      const renewAt = clock.real().getTime() + lifetimeMs - Math.min(renewBeforeMs, lifetimeMs / 10);
      const sealed = secrets.seal(JSON.stringify(token), contextOf(request));
      await leases.save(db, request, owner, { sealed, renew_at: new Date(renewAt) });
      isSaved = true;
      return remember(context, request, { token, renewAt, sealed });
    } finally {
      if (!isSaved) await leases.release(db, request, owner);
    }
  }

  return {
    /** The token, reused until shortly before it expires. */
    async find(context: Context, request: TokenRequest<T>): Promise<Kept<T>> {
      const { tokens, flights } = memoryOf(context);
      const id = nameOf(request);
      const known = tokens.get(id);
      if (known && isCurrent(context, request, known)) return known;
      // A failure or cancellation of another caller does not apply to this one.
      const fetched = await flights.get(id)?.catch(() => undefined);
      if (fetched && isCurrent(context, request, fetched)) return fetched;
      const own = renew(context, request);
      flights.set(id, own);
      try {
        return await own;
      } finally {
        if (flights.get(id) === own) flights.delete(id);
      }
    },
    /** After the other side refused it. */
    async forget(context: Context, row: TokenRow, { sealed }: Kept<T>): Promise<void> {
      const { tokens } = memoryOf(context);
      if (tokens.get(nameOf(row))?.sealed === sealed) tokens.delete(nameOf(row));
      await leases.forget(context.db, row, sealed);
    },
  };
}

function nameOf({ orgId, key }: TokenRow): string {
  return [orgId, ...key].join(" ");
}
