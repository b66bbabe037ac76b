import type { FastifyReply } from "fastify";
import type { Principal } from "../core/actor.ts";
import { callerKey } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import { networkOf } from "../core/network-of.ts";

/** `perAddress`: of requests without a token, or with one that was not seen to be good yet. */
export type RateLimits = { perOrganization: number; perCaller: number; perAddress: number };

export type RateLimiter = {
  known(principal: Principal, reply: FastifyReply): void;
  /** `apart`: what is counted by itself, so that neither keeps the other out; `most` of it in a second. */
  strangers(address: string, apart?: string, most?: number): void;
  /** What shops send to this organization, beside what its people and programs ask. */
  notices(orgId: string): void;
};

/**
 * Requests a second, per organization, caller and address, counted in this process. Windows of one second: the whole
 * count is thrown away when the second changes, so nothing has to be cleaned up.
 */
export function createRateLimiter(limits: RateLimits | undefined, now: () => number): RateLimiter {
  if (!limits) return { known() {}, strangers() {}, notices() {} };
  const policy = `"organization";q=${limits.perOrganization};w=1, "caller";q=${limits.perCaller};w=1`;
  let second = 0;
  let counts = new Map<string, number>();

  function count(key: string): number {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, counts] = [current, new Map()];
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  }

  const known: RateLimiter["known"] = (principal, reply) => {
    const inOrganization = limits.perOrganization - count(principal.orgId);
    const ofCaller = limits.perCaller - count(callerKey(principal.actor));
    reply.header("ratelimit-policy", policy);
    const [name, left] = inOrganization < ofCaller ? ["organization", inOrganization] : ["caller", ofCaller];
    reply.header("ratelimit", `"${name}";r=${Math.max(0, left)};t=1`);
    if (left < 0) {
      const allowed = name === "organization" ? limits.perOrganization : limits.perCaller;
      throw new HubError("rate_limited", `This ${name} may send ${allowed} requests a second. Wait a second.`, {
        retryAfterSeconds: 1,
      });
    }
  };

  const strangers: RateLimiter["strangers"] = (address, apart = "", most = limits.perAddress) => {
    if (count(apart + networkOf(address)) <= most) return;
    const detail = `An address may send ${most} requests a second without a valid token. Wait a second.`;
    throw new HubError("rate_limited", detail, { retryAfterSeconds: 1 });
  };

  const notices: RateLimiter["notices"] = (orgId) => {
    if (count(`notices of ${orgId}`) <= limits.perOrganization) return;
    const detail = `An organization may be sent ${limits.perOrganization} notices a second. Wait a second.`;
    throw new HubError("rate_limited", detail, { retryAfterSeconds: 1 });
  };

  return { known, strangers, notices };
}
