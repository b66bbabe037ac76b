import type { FastifyReply } from "fastify";
import type { Principal } from "../core/actor.ts";
import { callerKey } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import { networkOf } from "../core/network-of.ts";

/** `perAddress`: requests without a token, or with one that has not been verified yet. */
export type RateLimits = { perOrganization: number; perCaller: number; perAddress: number };

export type RateLimiter = {
  authenticated(principal: Principal, reply: FastifyReply): void;
  /** `bucket` is counted separately, so that neither use exhausts the limit of the other. */
  anonymous(address: string, bucket?: string, perSecond?: number): void;
  /** Inbound webhooks for this organization, counted apart from its own requests. */
  inboundWebhook(orgId: string): void;
  stop(): void;
};

/** The other processes that serve the same port. */
export type SharedCounts = {
  broadcast(counts: WindowCounts): void;
  onBroadcast(listener: (counts: WindowCounts) => void): void;
};
export type WindowCounts = { second: number; counts: Record<string, number> };

const shareMs = 100;

/**
 * Requests per second for each organization, caller and address. Fixed windows of one second: all counts are dropped when the
 * second changes, so nothing has to be cleaned up. Several processes of a hub exchange their counts every 100 ms: a limit
 * holds for all of them together, give or take what arrives within that time.
 */
export function createRateLimiter(
  limits: RateLimits | undefined,
  now: () => number,
  shared?: SharedCounts,
): RateLimiter {
  if (!limits) return { authenticated() {}, anonymous() {}, inboundWebhook() {}, stop() {} };
  const policy = `"organization";q=${limits.perOrganization};w=1, "caller";q=${limits.perCaller};w=1`;
  let second = 0;
  let counts = new Map<string, number>();
  /** Counted here and not sent to the other processes yet. */
  let unsent = new Map<string, number>();

  function startWindow(): void {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, counts, unsent] = [current, new Map(), new Map()];
  }

  function count(key: string): number {
    startWindow();
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    if (shared) unsent.set(key, (unsent.get(key) ?? 0) + 1);
    return next;
  }

  shared?.onBroadcast((received) => {
    startWindow();
    if (received.second !== second) return;
    for (const [key, more] of Object.entries(received.counts)) counts.set(key, (counts.get(key) ?? 0) + more);
  });
  const sharing = shared
    ? setInterval(() => {
        if (unsent.size === 0) return;
        shared.broadcast({ second, counts: Object.fromEntries(unsent) });
        unsent = new Map();
      }, shareMs).unref()
    : undefined;

  return {
    authenticated(principal, reply) {
      const inOrganization = limits.perOrganization - count(principal.orgId);
      const ofCaller = limits.perCaller - count(callerKey(principal.actor));
      reply.header("ratelimit-policy", policy);
      const [name, left] = inOrganization < ofCaller ? ["organization", inOrganization] : ["caller", ofCaller];
      reply.header("ratelimit", `"${name}";r=${Math.max(0, left)};t=1`);
      if (left >= 0) return;
      const allowed = name === "organization" ? limits.perOrganization : limits.perCaller;
      throw rateLimited(`The limit is ${allowed} requests per second for each ${name}.`);
    },
    anonymous(address, bucket = "", perSecond = limits.perAddress) {
      if (count(bucket + networkOf(address)) <= perSecond) return;
      throw rateLimited(`The limit is ${perSecond} requests per second without a valid token for each address.`);
    },
    inboundWebhook(orgId) {
      if (count(`webhooks of ${orgId}`) <= limits.perOrganization) return;
      throw rateLimited(`The limit is ${limits.perOrganization} inbound webhooks per second for each organization.`);
    },
    stop: () => clearInterval(sharing),
  };
}

function rateLimited(detail: string): HubError {
  return new HubError("rate_limited", `${detail} Try again in a second.`, { retryAfterSeconds: 1 });
}
