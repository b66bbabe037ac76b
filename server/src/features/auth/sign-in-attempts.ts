import { createHmac } from "node:crypto";
import { HubError } from "../../core/errors.ts";
import type { Actor } from "../../core/actor.ts";
import type { Ctx, World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { recordEventsAcrossOrgs } from "../../events/record-event.ts";
import * as store from "./sign-in-attempts.store.ts";
import { signInLimiter } from "./sign-in-limiter.ts";

const minute = 60_000;
/** At most one event per account in this time, so that an attacker cannot fill the audit log. */
const reportEveryMs = 15 * minute;
const keepMs = 2 * 60 * minute;

/** An attempt to authenticate as a user. Call exactly one of its functions. */
export type Attempt = {
  /** Set during a pause. Only users who signed in from this network before may then pass. */
  retryAfterSeconds: number | undefined;
  succeeded(): Promise<void>;
  /** Incomplete, such as without the required code. Does not reset earlier failures. */
  withdrawn(): Promise<void>;
  /** Returns the error to respond with. Takes the same time whether or not the address has an account. */
  failed(rejection: HubError): Promise<HubError>;
};

/**
 * Attempts are limited per client address, which stops one client that tries many accounts, and per account, which stops
 * many clients that try one account.
 */
export async function startAttempt(
  ctx: Ctx,
  { email, userIds }: { email: string; userIds: string[] },
  address: string,
): Promise<Attempt> {
  const uncount = signInLimiter(ctx).start(address);
  const account = accountHash(ctx, email);
  const at = ctx.clock.real();
  // An email address may have accounts in several organizations, so the table is closed to requests of one organization.
  const db = ctx.db.acrossOrgs;
  const row = await store.startAttemptAcrossOrgs(db, { account, userIds, id: ctx.newId(), at });
  const pauseMs = row.isCounted ? 0 : row.blockedUntil.getTime() - at.getTime();
  const retryAfterSeconds = row.isCounted ? undefined : Math.max(1, Math.ceil(pauseMs / 1000));
  return {
    retryAfterSeconds,
    async succeeded() {
      uncount();
      // Not during a pause: the user who passes is not the attacker who caused it.
      if (row.isCounted) await store.resetFailuresAcrossOrgs(db, account);
    },
    async withdrawn() {
      uncount();
      if (row.isCounted) await store.uncountAttemptAcrossOrgs(db, account);
    },
    async failed(rejection) {
      await store.countFailureAcrossOrgs(db, account, address);
      ctx.log.info({ address, userIds, requestId: ctx.requestId }, "sign-in failed");
      reporter(ctx)();
      if (retryAfterSeconds === undefined) return rejection;
      return new HubError("rate_limited", "Too many failed sign-ins to this account.", { retryAfterSeconds });
    },
  };
}

/** A keyed hash, so that the table reveals no email addresses and cannot be searched for one. */
function accountHash(world: World, email: string): Buffer {
  const key = accountKey(world);
  return createHmac("sha256", key).update(email.normalize("NFKC").toLowerCase()).digest();
}
const accountKey = perWorld(({ secrets }) => secrets.derive("sign-in-attempts"));

/** Runs outside of the request, so that the response time does not reveal whether the address has an account. */
const reporter = perWorld((world) => {
  let running = false;
  let isRequested = false;
  return function requestReport(): void {
    isRequested = true;
    if (running) return;
    running = true;
    void (async () => {
      while (isRequested) {
        isRequested = false;
        await reportFailedSignIns(world);
      }
    })()
      .catch((error: unknown) => world.log.warn({ err: error }, "recording failed sign-ins failed; it is retried"))
      .finally(() => (running = false));
  };
});

const actor: Actor = { type: "system", name: "sign-in" };

/** Also called periodically, for failures that came after the last event of an account. */
export async function reportFailedSignIns(world: World): Promise<void> {
  const now = world.clock.real();
  await world.db.transaction(async (tx) => {
    const failed = await store.takeUnreportedAcrossOrgs(tx, new Date(now.getTime() - reportEveryMs), now);
    recordEventsAcrossOrgs(
      tx,
      world,
      failed.map(({ orgId, userId, failures, addresses }) => ({
        type: "session.sign_in_failed" as const,
        objectId: userId,
        data: { failures, addresses },
        orgId,
        actor,
        requestId: "system:sign-in",
      })),
    );
  });
}

export async function purgeOldAttempts(world: World): Promise<void> {
  await reportFailedSignIns(world);
  await store.deleteOldAttemptsAcrossOrgs(world.db, new Date(world.clock.real().getTime() - keepMs));
}
