import { earlierOf } from "../../../connectors/shape.ts";
import type { Ctx } from "../../../context.ts";
import type { OrderEnv } from "../order.ts";

/** An order as a bridge delivers it: the body of a request, and its identity and age there. */
export type PulledOrder = { externalId: string; updatedAt: string | undefined; body: Record<string, unknown> };

/** `conflicts`: orders that were changed here, and which of their fields stayed so or did not. */
export type PulledOutcome = {
  counts: Record<string, number>;
  failures: unknown[];
  conflicts: unknown[];
  /** When the oldest of those that failed was changed at its source. */
  failedSince: string | undefined;
};

export function envOf(ctx: Ctx): OrderEnv {
  return { now: ctx.clock.now().toISOString(), actor: ctx.actor, newId: ctx.newId };
}

export function fail(
  outcome: PulledOutcome,
  item: PulledOrder,
  code: string,
  message: string,
  errors: unknown[],
): void {
  outcome.counts.failed!++;
  outcome.failedSince = earlierOf(outcome.failedSince, item.updatedAt);
  outcome.failures.push({ externalId: item.externalId, code, message, errors });
}
