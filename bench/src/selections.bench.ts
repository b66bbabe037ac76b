import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import { createdAtOf } from "./bench-order.ts";
import { actions, runToTheEnd } from "./bulk-runs.ts";
import { withDataDir } from "./hub-process.ts";
import { time } from "./interleaved.ts";
import type { OrderHub } from "./order-hub.ts";
import { withOrders } from "./order-hub.ts";
import { watchMemory } from "./watch-memory.ts";

const few = 10_000;
const many = 100_000;
const rounds = 3;
/** Two percent are archived and some are on hold, which the runs skip. */
const shareSelected = 0.97;

export const selectionsBench: Bench = {
  name: "selections",
  bar: "100,000 orders by filter x 5 actions: run and preflight <= 11x of 10,000, and <= 150 MB more memory",
  run: () => withDataDir((dataDir) => withOrders(dataDir, storedFor(few) * rounds + storedFor(many), measure)),
};

function storedFor(selected: number): number {
  return Math.ceil(selected / shareSelected);
}

type Filter = { createdFrom: string; createdTo: string; statusNot: string };

/** Each measurement uses orders that no run has touched, oldest first. */
async function measure(place: OrderHub): Promise<Figure[]> {
  let next = 1;
  const take = async (selected: number): Promise<Filter> => {
    const createdFrom = createdAtOf(next);
    next += storedFor(selected);
    // The exact boundary for this number of orders.
    const { rows } = await place.db.query<{ at: Date }>(
      `select created_at as at from orders where org_id = $1 and created_at >= $2 and not is_archived and not on_hold
        order by created_at offset $3 limit 1`,
      [place.client.orgId, createdFrom, selected],
    );
    return { createdFrom, createdTo: rows[0]!.at.toISOString(), statusNot: "on_hold" };
  };
  const times = { run: [] as number[], preflight: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const { run, preflight } = await take(few).then((filter) => timeBoth(place, filter, few));
    times.run.push(run);
    times.preflight.push(preflight);
  }
  const filter = await take(many);
  const memory = watchMemory(place.pid);
  const large = await timeBoth(place, filter, many);
  const grown = await memory.stop();
  const limit = { on: "ratio", atMost: 11 } as const;
  return [
    { what: "run by filter, 100 k : 10 k", unit: "ms", ours: large.run, floor: median(times.run), limit },
    {
      what: "preflight by filter, 100 k : 10 k",
      unit: "ms",
      ours: large.preflight,
      floor: median(times.preflight),
      limit,
    },
    { what: "memory of hub and helper for 100 k", unit: "MB", ours: grown, limit: { on: "ours", atMost: 150 } },
  ];
}

async function timeBoth(
  { client }: OrderHub,
  filter: Filter,
  expected: number,
): Promise<{ run: number; preflight: number }> {
  const preflight = await time(async () => {
    const { summary } = await client.post<{ summary: { ok: number } }>("/operations/preflight", { filter, actions });
    if (summary.ok !== expected) throw new Error(`the preflight has ${summary.ok} orders`);
  });
  // The steps do not change the filtered fields, except the hold, which is set in the same batch.
  const run = await time(() => runToTheEnd(client, { filter }));
  return { run, preflight };
}
