import type { FastifyReply } from "fastify";
import type { Principal } from "../core/actor.ts";
import { callerKey } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";

export type RateLimits = { perOrganization: number; perCaller: number };

/**
 * Requests a second, per organization and per caller, counted in this process. Windows of one second: the whole
 * count is thrown away when the second changes, so nothing has to be cleaned up.
 */
export function createRateLimiter(limits: RateLimits | undefined, now: () => number) {
  if (!limits) return () => {};
  const policy = `"organization";q=${limits.perOrganization};w=1, "caller";q=${limits.perCaller};w=1`;
  let second = 0;
  let counts = new Map<string, number>();

  function count(key: string): number {
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  }

  return (principal: Principal, reply: FastifyReply): void => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, counts] = [current, new Map()];
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
}
