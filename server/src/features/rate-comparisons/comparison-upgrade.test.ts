import { expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { openOldDatabase } from "../../testing/old-database.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { listShipDays } from "./rate-comparisons.store.ts";
import { comparisonWork, listItems } from "./rate-comparisons.ts";

test("comparisons of before keep their results, and what was at work is finished", async () => {
  const hub = await startTestHub();
  const { old, ctx, upgradeTo } = await openOldDatabase(hub.world, 23);
  const [done, waiting] = [hub.world.newId(), hub.world.newId()];
  const card = {
    name: "Contract",
    effectiveFrom: "2020-01-01",
    zoneScheme: "flat",
    services: [{ code: "G", level: "ground", weightBreaks: [{ upTo: null }], rates: { all: [7] } }],
  };
  for (const [id, status, shown, processed] of [
    [done, "completed", 1, 4],
    [waiting, "processing", null, 2],
  ]) {
    await old.query(
      `insert into rate_comparisons (id, org_id, name, carrier_account_id, carrier_account_name, source_carrier, currency,
         status, revision, shown_revision, listed_revision, options, item_count, processed, rate_card_name, card, rate_day,
         created_by, worker, lease_until, created_at, updated_at, inputs_digest)
       values ($1, $2, 'Old', $1, 'Account', 'UPS', 'USD', $3, 1, $4, $4, '{}', 4, $5, 'Contract', $6, '2026-01-01',
         '{"type":"system","name":"old"}', case when $3 = 'processing' then 'dead' end, now() + interval '1 hour', now(), now(),
         'other')`,
      [id, ctx.orgId, status, shown, processed, JSON.stringify(card)],
    );
    await old.query(
      `insert into rate_items (comparison_id, position, tracking_number, net_cents, service_type, pounds, input)
       select $1, p, 'T' || p, 1500, 'UPS Ground', 3,
         '[1500,"UPS Ground","07114",null,"10001",null,3,"lb",null,null,null,' || day || ',null,false]'
         from generate_series(0, 3) as p, lateral (select (array['null', '"2025-03-01"', '"2025-01-01"', '"2025-03-01"'])[p + 1] as day) as d`,
      [id],
    );
  }
  const insert = `insert into rate_results (comparison_id, revision, position, status, reason, zone, basis, target_cents,
    savings_cents, detail) values ($1, 1, $2, $3, $4, $5, $6, $7, $8, $9)`;
  const rated = "distance|700|4|ground|NAT_GROUND|2267962|1791|1899|4535924|base:1791 discount:-20 fuel:432";
  await old.query(insert, [done, 0, "rated", null, "5", "weight", 2203, -703, rated]);
  await old.query(insert, [
    done,
    1,
    "rated",
    null,
    "5",
    "weight",
    1000,
    500,
    "flat|||ground|G|4000000000||||base:1000",
  ]);
  await old.query(insert, [done, 2, "unrateable", "service_unmatched", null, null, null, null, "|||||||||"]);
  await old.query(insert, [done, 3, "excluded", "duplicate", null, null, null, null, "|||||||||"]);
  await old.query(insert, [waiting, 0, "rated", null, "all", "flat", 700, 800, "flat|||ground|G|0|700|700||base:700"]);

  await upgradeTo(Infinity);

  const ask = async (query: object) => await listItems(ctx, done, { page: 1, limit: 10, ...query });
  const { data } = await ask({});
  expect(data).toMatchObject([
    {
      status: "rated",
      zone: "5",
      basis: "weight",
      targetCost: 22.03,
      savings: -7.03,
      zoneSource: "distance",
      distanceMiles: 700,
      alternativeZone: "4",
      serviceLevel: "ground",
      targetService: "NAT_GROUND",
      ratedWeight: { value: 5 },
      targetLow: 17.91,
      targetHigh: 18.99,
      breakEvenWeight: { value: 10 },
      lines: [
        { code: "base", amount: 17.91 },
        { code: "discount", amount: -0.2 },
        { code: "fuel", amount: 4.32 },
      ],
    },
    { status: "rated", targetLow: null, distanceMiles: null, alternativeZone: null, ratedWeight: { value: 8818.49 } },
    { status: "unrateable", reason: "service_unmatched", zoneSource: null, targetCost: null, lines: [] },
    { status: "excluded", reason: "duplicate" },
  ]);
  expect(await listShipDays(old, ctx.orgId, done)).toEqual(["2025-01-01", "2025-03-01"]);
  const indexes = async (query: object) => (await ask(query)).data.map(({ index }) => index);
  expect(await indexes({ status: "rated" })).toEqual([0, 1]);
  expect(await indexes({ outcome: "loss" })).toEqual([0]);
  expect(await indexes({ reason: "duplicate,service_unmatched" })).toEqual([2, 3]);
  expect(await indexes({ status: "rated", page: 2, limit: 1 })).toEqual([1]);

  // Whoever was at work on it is not there any more.
  await comparisonWork.leases.endAllAcrossOrgs(old);
  await workOff({ ...hub.world, db: old }, comparisonWork);
  const { data: rest } = await listItems(ctx, waiting, { page: 1, limit: 10, status: "rated" });
  expect(rest.map(({ index, targetCost }) => [index, targetCost])).toEqual([0, 1, 2, 3].map((index) => [index, 7]));
});
