import type { Logger } from "pino";
import type { Actor, Principal } from "./core/actor.ts";
import type { Cause } from "./core/cause.ts";
import type { SettableClock } from "./core/clock.ts";
import { HubError } from "./core/errors.ts";
import type { MailServer } from "./core/mail-server.ts";
import type { PasswordCost } from "./core/passwords.ts";
import type { Secrets } from "./core/secrets.ts";
import type { Database, Tx } from "./db/database.ts";
import type { Signals } from "./db/signals.ts";
import type { Sealer } from "./events/sealer.ts";

export type Environment = "live" | "preview";

/** Dependencies of one environment (live or preview). At most ten members and no features: not a service container. */
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
export type RetainedKind =
  | "runs"
  | "executions"
  | "exceptions"
  | "comparisons"
  | "pickups"
  | "labelFiles"
  | "deliveries"
  | "deliveryResponses"
  | "invocations"
  | "requests";

/** The configuration that verbs need at run time; everything else stays in main/. */
export type Settings = {
  /** External identity provider. */
  oidc?: {
    issuer: string;
    /** Tokens of the issuer with this audience are accepted besides the hub's own. */
    audience?: string | undefined;
    /** OIDC client of the hub, which enables browser sign-in through the issuer. */
    client?: { id: string; secret?: string | undefined } | undefined;
  };
  /** Origins of this environment, first the one that other systems are given. */
  publicUrls?: readonly string[];
  /** Ports of both environments, where the preview is served; the console links from one to the other. */
  ports?: Record<Environment, number>;
  outbound: {
    /** Bridges may call private addresses, such as an ERP in the same network. */
    allowPrivate: boolean;
    /** Bridges and carriers of the preview may call other systems, too. */
    allowFromPreview: boolean;
    /** Folder that bridges may read and write files in; without it they may not. */
    filesRoot?: string;
    /** Sends the mails of bridges that have no mail server of their own. */
    mailServer?: MailServer;
  };
  /** By kind of record; kinds that are not named are kept forever. */
  retentionDays?: Partial<Record<RetainedKind, number>>;
  /** How far back the event feed goes; forever without it. The audit log behind it is never cut. */
  eventRetentionDays?: number;
  /** Maximum orders of a selection. */
  maxSelectionOrders?: number;
  /** Maximum open streams per port and process; default 1,000. */
  maxStreams?: number;
  /** Failed sign-ins allowed per client address in five minutes. */
  maxSignInFailures: number;
  /** Default: the recommended cost. For tests only, which sign in thousands of times. */
  passwordCost?: PasswordCost;
};

/** Context of a verb: the world, the caller and the organization. */
export type Ctx = World & {
  orgId: string;
  actor: Actor;
  principal: Principal;
  requestId: string;
  /** Set for work triggered by an automation. */
  cause?: Cause | undefined;
  /** Set for requests with an Idempotency-Key: stores the response in the transaction of the change. */
  keepAnswer?: (tx: Tx, answer: unknown) => Promise<void>;
  /** Set while a request runs: releases its slot during a wait. */
  withoutSlot?: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Set while a request runs: a signal that is aborted when the client disconnects. */
  untilDisconnect?: () => AbortSignal;
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
 * Runs a change in a transaction. `work` returns the response: the change, its event and the response stored for a repeated
 * Idempotency-Key commit together or not at all. An error that must be stored with a change is returned, not thrown; it is
 * thrown after the commit.
 */
export async function change<T>(ctx: Ctx, work: (tx: Tx) => Promise<T | HubError>): Promise<T> {
  const response = await ctx.db.transaction(async (tx) => {
    const result = await work(tx);
    await ctx.keepAnswer?.(tx, result);
    return result;
  });
  if (response instanceof HubError) throw response;
  return response;
}

/**
 * For verbs that make changes through other verbs or in several transactions: each transaction stores the response that
 * `answerOf` derives from its result.
 */
export function keepingAs(ctx: Ctx, answerOf: (tx: Tx, result: unknown) => Promise<unknown>): Ctx {
  const { keepAnswer } = ctx;
  if (!keepAnswer) return ctx;
  return { ...ctx, keepAnswer: async (tx, result) => await keepAnswer(tx, await answerOf(tx, result)) };
}

/** For work without an HTTP request: first start, background work, commands. */
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

/** State of one environment, such as a cache, created at the first call. */
export function perWorld<T>(create: (world: World) => T): (world: World) => T {
  const values = new WeakMap<Database, T>();
  return (world) => {
    // The first caller may be a request, which sees only its organization; the value is shared by all organizations.
    const db = world.db.acrossOrgs;
    let value = values.get(db);
    if (value === undefined) values.set(db, (value = create({ ...world, db })));
    return value;
  };
}
