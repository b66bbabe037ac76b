import { createHmac } from "node:crypto";
import { HubError } from "../../core/errors.ts";
import type { Actor } from "../../core/actor.ts";
import type { Ctx, World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { recordEventsAcrossOrgs } from "../../events/record-event.ts";
import * as store from "./sign-in-attempts.store.ts";
import { signInLimiter } from "./sign-in-limiter.ts";

const minute = 60_000;
/** One event about an account in so long, however many try: nobody fills the log of somebody else. */
const reportEveryMs = 15 * minute;
const keepMs = 2 * 60 * minute;

/** A try to show that one is the holder of an account. Exactly one of its verbs is called. */
export type Attempt = {
  /** Set during a pause: only who was here before may pass, and only with everything right. */
  retryAfterSeconds: number | undefined;
  succeeded(): Promise<void>;
  /** Neither right nor wrong: something is still missing. It does not take back what was wrong before. */
  withdrawn(): Promise<void>;
  /** What the caller is answered. Costs the same whether or not anybody has the address. */
  failed(refusal: HubError): Promise<HubError>;
};

/**
 * Tries are limited by where they come from and by whom they are about: the first stops one who tries many accounts, the
 * second many who try one.
 */
export async function startAttempt(
  ctx: Ctx,
  { email, userIds }: { email: string; userIds: string[] },
  address: string,
): Promise<Attempt> {
  const fromHere = signInLimiter(ctx).start(address);
  const account = accountOf(ctx, email);
  const at = ctx.clock.real();
  // An address may have accounts in several organizations, so that requests of one have no access to the table.
  const db = ctx.db.acrossOrgs;
  const row = await store.startAttemptAcrossOrgs(db, { account, userIds, id: ctx.newId(), at });
  const pauseMs = row.isCounted ? 0 : row.blockedUntil.getTime() - at.getTime();
  const retryAfterSeconds = row.isCounted ? undefined : Math.max(1, Math.ceil(pauseMs / 1000));
  return {
    retryAfterSeconds,
    async succeeded() {
      fromHere();
      // Not during a pause: who is let through then says nothing about those who made it necessary.
      if (row.isCounted) await store.forgetFailuresAcrossOrgs(db, account);
    },
    async withdrawn() {
      fromHere();
      if (row.isCounted) await store.takeBackAttemptAcrossOrgs(db, account);
    },
    async failed(refusal) {
      await store.noteFailureAcrossOrgs(db, account, address);
      ctx.log.info({ address, userIds, requestId: ctx.requestId }, "a sign-in failed");
      reporter(ctx)();
      if (retryAfterSeconds === undefined) return refusal;
      return new HubError("rate_limited", "Too many failed sign-ins to this account.", { retryAfterSeconds });
    },
  };
}

/** Nobody can tell from the table who tried to sign in, nor try out addresses on it. */
function accountOf(world: World, email: string): Buffer {
  const key = accountKey(world);
  return createHmac("sha256", key).update(email.normalize("NFKC").toLowerCase()).digest();
}
const accountKey = perWorld(({ secrets }) => secrets.derive("sign-in-attempts"));

/** Beside the request, not in it: what is recorded for accounts that exist must not show in how long the answer takes. */
const reporter = perWorld((world) => {
  let running = false;
  let isAskedAgain = false;
  return function nudge(): void {
    isAskedAgain = true;
    if (running) return;
    running = true;
    void (async () => {
      while (isAskedAgain) {
        isAskedAgain = false;
        await reportFailedSignIns(world);
      }
    })()
      .catch((error: unknown) => world.log.warn({ err: error }, "failed sign-ins are not recorded yet"))
      .finally(() => (running = false));
  };
});

const actor: Actor = { type: "system", name: "sign-in" };

/** Also by the clock: what came after the last event of an account is told when its time is over. */
export async function reportFailedSignIns(world: World): Promise<void> {
  const now = world.clock.real();
  await world.db.transaction(async (tx) => {
    const failed = await store.takeUnreportedAcrossOrgs(tx, new Date(now.getTime() - reportEveryMs), now);
    recordEventsAcrossOrgs(
      tx,
      world,
      failed.map(({ orgId, userId, failures, addresses }) => ({
        type: "session.failed" as const,
        objectId: userId,
        data: { failures, addresses },
        orgId,
        actor,
        requestId: "system:sign-in",
      })),
    );
  });
}

export async function forgetOldAttempts(world: World): Promise<void> {
  await reportFailedSignIns(world);
  await store.deleteOldAttemptsAcrossOrgs(world.db, new Date(world.clock.real().getTime() - keepMs));
}
