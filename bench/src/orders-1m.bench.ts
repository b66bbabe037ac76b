import type { Bench, Figure } from "./bench.ts";
import { compareBulk } from "./bulk-runs.ts";
import { withDataDir } from "./hub-process.ts";
import { compareLists, measureSearches } from "./order-lists.ts";
import type { OrderHub } from "./order-hub.ts";
import { withOrders } from "./order-hub.ts";
import { toTable } from "./report.ts";
import { checkSample } from "./stored-sample.ts";

/** Some are on hold; runs need ten thousand others. */
const few = 10_100;
const many = 1_000_000;
const runRounds = 3;

export const manyOrdersBench: Bench = {
  name: "orders-1m",
  bar: "every list and a run: as fast with 1 M stored orders as with 10 k (<= 1.5x); searches: p95 <= 50 ms",
  run: () =>
    withDataDir((fewDir) =>
      withDataDir((manyDir) =>
        withOrders(fewDir, few, (small) => withOrders(manyDir, many, (large) => compare(large, small))),
      ),
    ),
};

async function compare(large: OrderHub, small: OrderHub): Promise<Figure[]> {
  await checkSample(small);
  await checkSample(large);
  console.error("orders are stored as the hub stores them; comparing lists");
  const lists = [...(await measureSearches(large)), ...(await compareLists(large, small))];
  console.error(toTable([{ bench: "orders-1m", figures: lists }]));
  const [runAtFew] = await compareBulk(small.client, small.db, "10 k stored", runRounds);
  const [runAtMany] = await compareBulk(large.client, large.db, "1 M stored", runRounds);
  const limit = { on: "ratio", atMost: 1.5 } as const;
  return [
    ...lists,
    { what: "run, 1 M : 10 k stored", unit: "ms", ours: runAtMany!.ours, floor: runAtFew!.ours, limit },
  ];
}
