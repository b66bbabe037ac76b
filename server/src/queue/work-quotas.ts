import type { LeasedRow } from "./leases.ts";
import type { Running } from "./keep-leases.ts";

const share = 3;

/**
 * An organization with no row running here gets at least one slot while any is free. At most half of the slots of an
 * organization go to failing queues, whose rows tend to hold a slot until they time out.
 */
export function quotasOf<Row extends LeasedRow>(running: Iterable<Running<Row>>, slots: number) {
  const [used, failing] = [new Map<string, number>(), new Map<string, number>()];
  let free = slots;
  for (const { row, isEnding } of running) {
    if (isEnding) continue;
    used.set(row.org_id, (used.get(row.org_id) ?? 0) + 1);
    if (row.isFailing) failing.set(row.org_id, (failing.get(row.org_id) ?? 0) + 1);
    free--;
  }
  const quotaFor = (count: number): number => Math.floor((share * free - count) / (share + 1));
  const byOrg = new Map([...used].map(([org, count]) => [org, Math.max(0, quotaFor(count))]));
  const failingByOrg = new Map(
    [...byOrg].map(([org, most]) => {
      const half = Math.max(1, Math.floor((used.get(org)! + most) / 2));
      return [org, Math.max(0, half - (failing.get(org) ?? 0))];
    }),
  );
  return { byOrg, others: Math.max(1, quotaFor(0)), failingByOrg };
}
