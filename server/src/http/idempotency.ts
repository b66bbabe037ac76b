import { createHash, createHmac } from "node:crypto";
import { callerKey } from "../core/actor.ts";
import { HubError, validationFailed } from "../core/errors.ts";
import type { Ctx } from "../context.ts";
import type { Tx } from "../db/database.ts";
import * as store from "./idempotency.store.ts";

const leaseMs = 60_000;
const keyShape = /^[\x21-\x7e]{1,255}$/;

type Replay = { status: number; answer: string };

/** One attempt at a request with an Idempotency-Key. */
export type Attempt = {
  /** Set when an earlier attempt finished: answer this, do nothing. */
  replay?: Replay;
  /** Stores the answer; inside a transaction it is committed with the change or not at all. */
  keep(db: Tx | Ctx["db"], status: number, answer: string): Promise<void>;
  /** The attempt failed on our side: the same key may be tried again at once. */
  release(): Promise<void>;
};

type IdempotentRequest = { key: string; method: string; url: string; bodyDigest: string; isSealed: boolean };

export async function startAttempt(ctx: Ctx, request: IdempotentRequest): Promise<Attempt> {
  if (!keyShape.test(request.key)) {
    const message = "An Idempotency-Key has 1 to 255 visible ASCII characters.";
    throw validationFailed([{ pointer: "header/idempotency-key", code: "format", message }]);
  }
  const owner = { orgId: ctx.orgId, caller: callerKey(ctx.actor), key: request.key };
  const sealContext = `idempotency:${owner.orgId}:${owner.caller}:${owner.key}`;
  const [fingerprint, ...earlier] = fingerprintsOf(ctx, request) as [Buffer, ...Buffer[]];
  const claim = ctx.newId();
  const now = ctx.clock.real();
  const held = await store.claimKey(
    ctx.db,
    owner,
    [fingerprint, ...earlier],
    claim,
    now,
    new Date(now.getTime() + leaseMs),
  );

  if (![fingerprint, ...earlier].some((known) => known.equals(held.fingerprint)))
    throw new HubError("idempotency_key_reused");
  if (held.status === null && held.claim !== claim) {
    throw new HubError("idempotency_key_in_use", undefined, { retryAfterSeconds: 1 });
  }
  const open = (answer: string): string => {
    if (!request.isSealed) return answer;
    try {
      return ctx.secrets.open(answer, sealContext);
    } catch {
      throw new HubError(
        "conflict",
        "The request was done, but its answer was sealed with a key this hub no longer has.",
      );
    }
  };
  return {
    ...(held.status === null ? {} : { replay: { status: held.status, answer: open(held.answer ?? "") } }),
    async keep(db, status, answer) {
      const text = request.isSealed ? ctx.secrets.seal(answer, sealContext) : answer;
      // Committing without the key would let its new holder do the work a second time.
      if (!(await store.keepAnswer(db, owner, claim, status, text))) throw new HubError("idempotency_key_in_use");
    },
    release: () => store.releaseKey(ctx.db, owner, claim),
  };
}

/**
 * Keyed, because bodies contain passwords: with a plain hash, a reader of the database could test passwords against it.
 * The first fingerprint is stored; the others are those of previous secret keys and of earlier versions.
 */
function fingerprintsOf(ctx: Ctx, { method, url, bodyDigest }: IdempotentRequest): Buffer[] {
  const text = `${method} ${url}\n${bodyDigest}`;
  const keyed = ctx.secrets
    .deriveAll("idempotency")
    .map(({ bytes }) => createHmac("sha256", bytes).update(text).digest());
  return [...keyed, createHash("sha256").update(text).digest()];
}

export async function removeOldIdempotencyKeys(world: Pick<Ctx, "db" | "clock">, keptHours = 24): Promise<void> {
  await store.deleteOldKeysAcrossOrgs(world.db, new Date(world.clock.real().getTime() - keptHours * 3_600_000));
}

/** Only when no other process can use this database: requests that died with a process may be repeated at once. */
export async function freeAllIdempotencyKeys(world: Pick<Ctx, "db">): Promise<void> {
  await store.releaseAllAcrossOrgs(world.db);
}
