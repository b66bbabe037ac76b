import type pg from "pg";
import type { Figure } from "./bench.ts";
import { median } from "./bench.ts";
import { runFloor } from "./bulk-run-floor.ts";
import type { HubClient } from "./hub-client.ts";
import { time } from "./interleaved.ts";

const orderCount = 10_000;

export const actions = [
  { type: "add_tags", params: { tags: ["bench"] } },
  { type: "set_priority", params: { priority: "high" } },
  { type: "hold", params: { reason: "operator" } },
  { type: "add_note", params: { text: "measured" } },
  { type: "set_custom_field", params: { key: "bench", value: 1 } },
];

/** Interleaves run, preflight and floor on fresh orders each, so that none benefits from another's cache. */
export async function compareBulk(
  client: HubClient & { orgId: string },
  db: pg.Client,
  label: string,
  rounds = 5,
): Promise<Figure[]> {
  const times = { run: [] as number[], preflight: [] as number[], floor: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const ids = await pickOrders(db, client.orgId, orderCount);
    times.preflight.push(await time(() => client.post("/operations/preflight", { order_ids: ids, actions })));
    times.floor.push(await time(() => runFloor(db, client.orgId, ids)));
    await forget(db, client.orgId, ids);
    times.run.push(await time(() => runToTheEnd(client, { order_ids: ids })));
    await forget(db, client.orgId, ids);
  }
  const floor = median(times.floor);
  const ratioOf = (ours: number[]): number => median(ours.map((value, i) => value / times.floor[i]!));
  return [
    {
      what: `run 10 k x 5 (${label})`,
      unit: "ms",
      ours: median(times.run),
      floor,
      ratio: ratioOf(times.run),
      limit: { on: "ratio", atMost: 1.8 },
    },
    {
      what: `preflight 10 k x 5 (${label})`,
      unit: "ms",
      ours: median(times.preflight),
      floor,
      ratio: ratioOf(times.preflight),
      limit: { on: "ratio", atMost: 1 },
    },
  ];
}

/** Cost per order must not grow with the number of orders in a run. */
export async function measureGrowth(client: HubClient & { orgId: string }, db: pg.Client): Promise<Figure[]> {
  const rounds = 5;
  const perOrder: number[] = [];
  for (const size of [100, 1_000, 10_000]) {
    const samples: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ids = await pickOrders(db, client.orgId, size);
      samples.push((await time(() => runToTheEnd(client, { order_ids: ids }))) / size);
      await forget(db, client.orgId, ids);
    }
    perOrder.push(median(samples) * 1000);
  }
  return [
    {
      what: "run, us per order: 10,000 : 100 orders",
      unit: "us",
      ours: perOrder[2]!,
      floor: perOrder[0]!,
      limit: { on: "ratio", atMost: 1.5 },
    },
  ];
}

export async function runToTheEnd(
  client: HubClient,
  orders: { order_ids: string[] } | { filter: object },
): Promise<void> {
  type Run = { id: string; status: string };
  let run = await client.post<Run>("/operations/run", { ...orders, actions });
  if (run.status === "queued" || run.status === "running")
    run = await client.lastOf<Run>(`/operations/runs/${run.id}/watch`);
  if (run.status !== "succeeded") throw new Error(`the run ${run.status}`);
}

/** `which`: a further SQL condition. */
export async function pickOrders(db: pg.Client, orgId: string, count: number, which = "true"): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from orders where org_id = $1 and not on_hold and ${which} order by created_at desc, id desc limit $2`,
    [orgId, count],
  );
  if (rows.length < count) throw new Error(`only ${rows.length} orders are left`);
  return rows.map((row) => row.id);
}

/** Restores the orders of all runs. */
export async function restoreOrders(db: pg.Client, orgId: string): Promise<void> {
  const { rows } = await db.query<{ id: string }>("select id from orders where org_id = $1 and 'bench' = any(tags)", [
    orgId,
  ]);
  await forget(
    db,
    orgId,
    rows.map((row) => row.id),
  );
}

/** Restores the orders, so that every round starts from the same state. */
async function forget(db: pg.Client, orgId: string, ids: string[]): Promise<void> {
  await db.query(
    `update orders set on_hold = false, holds = '[]', tags = array_remove(tags, 'bench'), priority = 1, notes = '[]',
       custom_fields = '{}' where org_id = $1 and id = any($2::uuid[])`,
    [orgId, ids],
  );
  await db.query("delete from order_tags where org_id = $1 and tag = 'bench'", [orgId]);
  await db.query("delete from order_facets where org_id = $1 and facet like 'field:bench=%'", [orgId]);
  await db.query("delete from order_search where org_id = $1 and part = 1 and order_id = any($2::uuid[])", [
    orgId,
    ids,
  ]);
  await db.query("vacuum (analyze) orders, order_facets, order_search");
}
