/**
 * Durable work waits in the table it is about: task executions, runs, comparisons, pickups, webhook deliveries. Such a table
 * has the columns
 *   due_at       the earliest time the row may be claimed; null: nothing to do
 *   lease_owner  the claim that holds the row. Each claim is a new owner, so a worker that lost its lease cannot pass for the
 *                one that holds it now
 *   lease_until  end of the lease by the database's clock, the only one all nodes share
 * and a counter of claims since the row last made progress. Processing a row ends the lease, and sets the next due time if
 * there is one, in the transaction of the work itself. An expired lease is taken over by the next claim.
 *
 * The table needs an index on (<queue column>, due_at, <tie-break>) where due_at is not null; with a concurrency limit, another on
 * (<queue column>) where lease_owner is not null.
 */
export type LeaseSpec = {
  table: string;
  /** Columns returned by a claim. */
  columns: string;
  /** Name of the counter column. */
  attempts: string;
  /**
   * The queue a row belongs to. Default: its organization (a tenant queue), without a concurrency limit. `limit` is the maximum
   * number of leased rows per queue on all nodes together, an expression over a row `t`. So is `isFailing`: rows of failing queues
   * have a quota of their own, so that the other queues of the organization go on. `columns` must then have it as "isFailing".
   */
  queue?: { column: string; limit(now: string): string; isFailing?: string };
  /** Column that orders rows of a queue with the same due time. Default: id. */
  tieBreak?: string;
  /** Additional assignments of a claim; `value(1)` is the placeholder of the first of the claim's `values`. */
  onClaim?: (value: (position: number) => string) => string;
  /** Additional condition on a row at this time. */
  isReady?: (now: string) => string;
  /** Clock that due times are compared with: the hub's, which can be set in the preview, or the database's. */
  clock: "hub" | "database";
  leaseMs: number;
};
