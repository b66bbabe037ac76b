import type { Logger } from "pino";
import type { Actor, Principal } from "./core/actor.ts";
import type { Cause } from "./core/cause.ts";
import type { SettableClock } from "./core/clock.ts";
import { HubError } from "./core/errors.ts";
import type { PasswordCost } from "./core/passwords.ts";
import type { Secrets } from "./core/secrets.ts";
import type { Database, Tx } from "./db/database.ts";
import type { Signals } from "./db/signals.ts";
import type { Sealer } from "./events/sealer.ts";

export type Environment = "live" | "preview";

/** The outside world of one surface. At most ten members, none of them a feature: this is not a container. */
export type World = {
  environment: Environment;
  db: Database;
  clock: SettableClock;
  secrets: Secrets;
  signals: Signals;
  sealer: Sealer;
  log: Logger;
  newId(): string;
  settings: Settings;
};

/** Kinds of records that are deleted some time after they ended. Each has its own setting. */
export type Kept =
  | "runs"
  | "executions"
  | "exceptions"
  | "comparisons"
  | "pickups"
  | "labelFiles"
  | "deliveries"
  | "deliveryAnswers"
  | "firings"
  | "requests";

/** The configuration that verbs need at run time; everything else stays in main/. */
export type Settings = {
  /** An outside issuer. */
  oidc?: {
    issuer: string;
    /** Tokens of it that are made for this are accepted besides our own. */
    audience?: string | undefined;
    /** What the hub is there: with it people sign in through the issuer. */
    client?: { id: string; secret?: string | undefined } | undefined;
  };
  outbound: {
    /** Bridges may reach private addresses, say an ERP in the same network. */
    allowPrivate: boolean;
    /** Bridges and carriers of the preview may call the outside too. */
    allowFromPreview: boolean;
    /** Where bridges may read and write files; none may when it is not set. */
    filesRoot?: string;
  };
  /** By kind of record; kinds that are not named are kept forever. */
  retentionDays?: Partial<Record<Kept, number>>;
  /** How far back the event feed goes; forever without it. The audit log behind it is never cut. */
  eventRetentionDays?: number;
  /** Orders that a selection may have. */
  maxSelectionOrders?: number;
  /** Open streams per port and process; 1,000 without it. */
  maxStreams?: number;
  /** Failed sign-ins allowed per address in five minutes. */
  maxSignInFailures: number;
  /** What the recommended one is without it. No setting of a hub leads here: tests sign in thousands of times. */
  passwordCost?: PasswordCost;
};

/** What a verb works with: the world, who asks, and on behalf of which organization. */
export type Ctx = World & {
  orgId: string;
  actor: Actor;
  principal: Principal;
  requestId: string;
  /** Set while something is done for an automation. */
  cause?: Cause | undefined;
  /** Set while a request with an Idempotency-Key runs: stores the answer in the transaction of the change. */
  keepAnswer?: (tx: Tx, answer: unknown) => Promise<void>;
  /** Set while a request runs: releases its slot during a wait. */
  withoutSlot?: <T>(wait: () => Promise<T>) => Promise<T>;
};

/**
 * Releases the request's slot during a wait that needs nothing of the hub: on another system, which may take half a minute, or
 * on work that many requests share. Never in a transaction, which would keep its connection.
 */
export async function releaseSlotWhile<T>(
  { withoutSlot }: Pick<Ctx, "withoutSlot">,
  wait: () => Promise<T>,
): Promise<T> {
  return await (withoutSlot ? withoutSlot(wait) : wait());
}

/**
 * Every change goes through here. What `work` returns is what the route answers: the change, its event and the answer
 * kept for a repeated Idempotency-Key commit together or not at all. A refusal that changes something is returned, too:
 * it is kept with the change, then thrown.
 */
export async function change<T>(ctx: Ctx, work: (tx: Tx) => Promise<T | HubError>): Promise<T> {
  const answer = await ctx.db.transaction(async (tx) => {
    const given = await work(tx);
    await ctx.keepAnswer?.(tx, given);
    return given;
  });
  if (answer instanceof HubError) throw answer;
  return answer;
}

/**
 * For a verb whose changes are made by other verbs, or in several transactions: what is kept with each of them is what
 * `answerOf` makes of what that one answers.
 */
export function keepingAs(ctx: Ctx, answerOf: (tx: Tx, given: unknown) => Promise<unknown>): Ctx {
  const { keepAnswer } = ctx;
  if (!keepAnswer) return ctx;
  return { ...ctx, keepAnswer: async (tx, given) => await keepAnswer(tx, await answerOf(tx, given)) };
}

/** For work that nobody asked for by HTTP: first start, housekeeping, commands. */
export function systemContext(world: World, orgId: string, name: string): Ctx {
  const actor: Actor = { type: "system", name };
  return {
    ...world,
    orgId,
    actor,
    requestId: `system:${name}`,
    principal: { orgId, isHubOperator: false, actor, scopes: new Set(["admin"]) },
  };
}

/** State that lives as long as one surface, such as a cache; made when it is first asked for. */
export function perWorld<T>(create: (world: World) => T): (world: World) => T {
  const made = new WeakMap<Database, T>();
  return (world) => {
    // Whoever asks first may be a request, which sees its own organization only: what outlives it works for all of them.
    const db = world.db.acrossOrgs;
    let value = made.get(db);
    if (value === undefined) made.set(db, (value = create({ ...world, db })));
    return value;
  };
}
