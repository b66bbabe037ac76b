import type { Ctx, World } from "../../context.ts";
import { perWorld, systemContext } from "../../context.ts";
import { listTrackingAccountsAcrossOrgs } from "../carrier-accounts/carrier-accounts.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { askWhereabouts } from "./ask-whereabouts.ts";
import { applyTrackingRecords } from "./ingest-events.ts";
import { carrierKeyOf } from "./shipment.ts";
import { askEveryMs, askingAt } from "./tracking-turns.ts";
import * as store from "./tracking-turns.store.ts";

type Account = Awaited<ReturnType<typeof listTrackingAccountsAcrossOrgs>>[number];

const batchSize = 100;
/** The rest is for the next round, so that a large account does not keep the others waiting. */
const batchesPerRound = 10;
const accountsAtOnce = 4;

/**
 * Asks carriers about open shipments whose turn it is, each through the first active account of its organization with
 * that carrier. Returns how many there were.
 */
export async function followParcels(world: World, stopping?: AbortSignal): Promise<number> {
  const all = await listTrackingAccountsAcrossOrgs(world.db, null);
  const due = await findDue(world, all.filter(troublesOf(world).mayBeAsked));
  // One iterator for all of them: whoever has finished an account takes the next.
  const waiting = due.values();
  let asked = 0;
  const work = async (): Promise<void> => {
    for (const account of waiting) {
      if (stopping?.aborted) return;
      const count = await askAccount(world, account, stopping);
      asked += count;
    }
  };
  await Promise.all(Array.from({ length: accountsAtOnce }, work));
  return asked;
}

async function findDue(world: World, accounts: Account[]): Promise<Account[]> {
  const looks = looksOf(world);
  const now = world.clock.now();
  const worthLooking = accounts.filter(({ accountId }) => looks.isTime(accountId, now));
  if (worthLooking.length === 0) return [];
  const keyed = worthLooking.map(({ orgId, carrier }) => ({ orgId, carrierKey: carrierKeyOf(carrier) }));
  const firsts = await store.findFirstTurnsAcrossOrgs(world.db, keyed);
  return worthLooking.filter(({ accountId }, index) => {
    const first = firsts[index] ?? now;
    const isDue = first <= dueBefore(now);
    if (!isDue) looks.wait(accountId, now, first < now ? first : now);
    return isDue;
  });
}

/**
 * When it is worth looking whether an account has something to ask: what is recorded or asked about from now on has its
 * turn half an hour later, so that until then only the first turn that was found counts.
 */
const looksOf = perWorld(() => {
  const waits = new Map<string, { sinceMs: number; untilMs: number }>();
  return {
    isTime(accountId: string, now: Date): boolean {
      const wait = waits.get(accountId);
      // Before the beginning, the clock was set back.
      return wait === undefined || now.getTime() >= wait.untilMs || now.getTime() < wait.sinceMs;
    },
    wait(accountId: string, now: Date, first: Date): void {
      waits.set(accountId, { sinceMs: now.getTime(), untilMs: first.getTime() + askEveryMs });
    },
  };
});

/** Whatever is wrong with one account stays its own affair. */
async function askAccount(world: World, account: Account, stopping?: AbortSignal): Promise<number> {
  const troubles = troublesOf(world);
  const ctx = systemContext(world, account.orgId, "tracking");
  let asked = 0;
  try {
    for (let batch = 0; batch < batchesPerRound && !stopping?.aborted; batch++) {
      const count = await askBatch(ctx, account, stopping);
      asked += count;
      if (count < batchSize) break;
    }
    troubles.forget(account);
  } catch (error) {
    troubles.remember(account);
    const { orgId, accountId, carrier } = account;
    const about = { orgId, carrierAccountId: accountId, carrier };
    world.log.warn({ ...about, err: error }, "a carrier could not be asked about shipments; it will be asked again");
  }
  return asked;
}

async function askBatch(ctx: Ctx, { accountId, carrier }: Account, stopping?: AbortSignal): Promise<number> {
  // First, so that an account that cannot be used takes no turns.
  const open = await openCarrier(ctx, accountId);
  const now = ctx.clock.now();
  const asking = askingAt(now);
  const wanted = { carrierKey: carrierKeyOf(carrier), dueBefore: dueBefore(now), limit: batchSize };
  const turns = await store.takeDueTurns(ctx.db, ctx.orgId, asking, wanted);
  if (turns.length === 0) return 0;
  const said = await askWhereabouts(ctx, open, turns, stopping);
  if ("done" in said) {
    await ctx.db.transaction((tx) => applyTrackingRecords(tx, ctx, said.done));
    return turns.length;
  }
  if (stopping?.aborted) {
    await store.giveBackTurns(ctx.db, ctx.orgId, turns, asking.at);
    return 0;
  }
  // The turns stay taken: if one of these parcels is why the carrier fails, the others are asked about all the same.
  throw new Error("refused" in said ? `${said.refused.code}: ${said.refused.message}` : said.unknown);
}

function dueBefore(now: Date): Date {
  return new Date(now.getTime() - askEveryMs);
}

const firstPauseMs = 60_000;

/** Accounts that failed are left alone for a while, longer each time, so that they do not hold up the others. */
const troublesOf = perWorld(({ clock }) => {
  const pauses = new Map<string, { untilMs: number; pauseMs: number }>();
  return {
    mayBeAsked: ({ accountId }: Account): boolean => (pauses.get(accountId)?.untilMs ?? 0) <= clock.real().getTime(),
    forget: ({ accountId }: Account): void => void pauses.delete(accountId),
    remember({ accountId }: Account): void {
      const pauseMs = Math.min(2 * (pauses.get(accountId)?.pauseMs ?? firstPauseMs / 2), askEveryMs);
      pauses.set(accountId, { pauseMs, untilMs: clock.real().getTime() + pauseMs });
    },
  };
});
