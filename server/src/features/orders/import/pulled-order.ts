import { earlierOf } from "../../../connectors/shape.ts";
import type { Partner } from "./recall-partners.ts";

/** An order as a bridge delivers it: the body of a request, and its identity and age there. */
export type PulledOrder = { externalId: string; updatedAt: string | undefined; body: Record<string, unknown> };

/** `conflicts`: orders that say something else here than there, and what was done about it. */
export type PulledOutcome = {
  counts: Record<string, number>;
  failures: unknown[];
  conflicts: unknown[];
  /** What is to be asked for as soon as all of it is written. */
  recalls: (Partner & { input: { orderIds: string[] } })[];
  /** When the oldest of those that failed was changed at its source. */
  failedSince: string | undefined;
};

type Failure = { code: string; message: string; errors: unknown[] };

export function fail(outcome: PulledOutcome, item: PulledOrder, { code, message, errors }: Failure): void {
  outcome.counts.failed!++;
  outcome.failedSince = earlierOf(outcome.failedSince, item.updatedAt);
  outcome.failures.push({ externalId: item.externalId, code, message, errors });
}
