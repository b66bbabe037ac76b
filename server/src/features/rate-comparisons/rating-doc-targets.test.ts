import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { comparisonFixture, lb } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";

/** The part of the page about several contracts: its cards and examples. */
const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/rating.md"), "utf8");
const part = page.split("\n## Several contracts\n")[1]!;
const blocks = [...part.matchAll(/\n(?:\*\*(.+?)\*\*[^`]*)?```json\n(.+?)\n```/gs)];

type Example = { scenario: object; targets?: number[]; bestMix?: number; ruleMix?: number; committedMix?: number };

const [cards, ...examples] = blocks.map(([, title, json]) => [title ?? "", JSON.parse(json!)] as const);

const hub = await startTestHub();
const org = await hub.org();
const { anAccount, aComparison } = await comparisonFixture(hub, org);
const accounts: string[] = [];
for (const card of cards![1] as RateCard[]) accounts.push(await anAccount(card));
const parcels = [1, 4, 4, 9].map((pounds, index) => ({
  trackingNumber: `P${index}`,
  netCost: [9, 12, 12, 15][index]!,
  serviceType: "Ground",
  originZip: "10001",
  destinationZip: "10001",
  weight: lb(pounds),
}));
const comparison = await aComparison(parcels, {
  carrierAccountId: undefined,
  targets: accounts.map((carrierAccountId) => ({ carrierAccountId })),
});
await org.post(`${comparison}/process`);
await workOff(hub.world, comparisonWork);

test("the table of the page is right", async () => {
  const { body } = await org.get(`${comparison}/mix`);
  const rows = [...part.matchAll(/^\| (\d+) lb +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+), (\w+)/gm)];
  const { text } = await org.get(`${comparison}/mix.csv`);
  const exported = text.trim().split(/\r?\n/).slice(1);
  expect(rows).toHaveLength(4);
  for (const [index, [, pounds, paid, river, hill, best]] of rows.entries()) {
    const [, , , weight, source, , first, , second, , cheapest] = exported[index]!.split(",");
    expect([weight, source, first, second, cheapest].map(Number)).toEqual(
      [pounds, paid, river, hill, best].map(Number),
    );
  }
  const total = /^\| Total +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+)/m.exec(part)!;
  const costs = body.targets.map(({ targetCost }: { targetCost: number }) => targetCost);
  expect([body.sourceCost, ...costs, body.bestMix.cost]).toEqual(total.slice(1, 5).map(Number));
});

test.each(examples)("the page is right about: %s", async (name, example: Example) => {
  const { status, body } = await org.post(`${comparison}/scenarios`, { name, ...example.scenario });
  expect(status).toBe(201);
  const { targets, bestMix, ruleMix, committedMix } = body.result;
  const found = {
    targets: targets.map(({ targetCost }: { targetCost: number }) => targetCost),
    bestMix: bestMix.cost,
    ruleMix: ruleMix?.cost,
    committedMix: committedMix?.cost,
  };
  const { scenario: _scenario, ...expected } = example;
  expect(found).toMatchObject(expected);
});
