import { describe, expect, test } from "vitest";
import { demoCards } from "../../carriers/demo/demo-cards.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { comparisonFixture } from "../../testing/comparison-fixture.ts";
import { createRandom, randomCard, randomItems } from "../../testing/random-parcels.ts";
import { slowPrice } from "../../testing/slow-rater.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const { anAccount, processed } = await comparisonFixture(hub, org);

// The long form: RATING_ITEMS=100000 npm test -- rating-oracle
const itemsPerCard = Number(process.env["RATING_ITEMS"] ?? 700);

const cards: [string, RateCard][] = [
  ...demoCards().map(({ account, card }): [string, RateCard] => [account, card]),
  ...[1, 2, 3, 4, 5, 6].map((seed): [string, RateCard] => [`random ${seed}`, randomCard(createRandom(seed))]),
];

async function allItems(path: string): Promise<Answer["body"][]> {
  const found = [];
  for (let page = 1; ; page++) {
    const { body } = await org.get(`${path}/items?limit=500&page=${page}`);
    found.push(...body.data);
    if (!body.pagination.hasMore) return found;
  }
}

const cents = (amount: number): number => Math.round(amount * 100);
const sum = <T>(list: T[], read: (one: T) => number): number => list.reduce((total, one) => total + read(one), 0);

describe.each(cards)("with the card %s", async (name, card) => {
  const carrierAccountId = await anAccount(card);
  const items = randomItems(createRandom(name.length + 100), itemsPerCard);
  const path = await processed(items, { carrierAccountId }, { rateDate: "2026-03-15" });
  const found = await allItems(path);
  const { body: summary } = await org.get(`${path}/summary`);
  const compared = found.filter((item) => item.targetCost !== null);

  test("the price of every item equals, line by line, a slow and simple reference calculation", () => {
    expect(found).toHaveLength(items.length);
    const ours = found.map(({ zone, targetCost, lines, reason }) => ({
      zone,
      reason,
      cents: targetCost === null ? null : cents(targetCost),
      lines: Object.fromEntries(lines.map((line: { code: string; amount: number }) => [line.code, cents(line.amount)])),
    }));
    const theirs = items.map((item) => slowPrice(card, item, "2026-03-15"));
    expect(ours).toEqual(theirs);
    expect(compared.length).toBeGreaterThan(50);
  });

  test("the summary is the sum of its items, to the cent, in every breakdown", () => {
    const source = sum(compared, (item) => cents(item.sourceCost));
    const target = sum(compared, (item) => cents(item.targetCost));
    const { totals, coverage, costBreakdown, outcomes, cheapestMix, distribution } = summary;
    expect([cents(totals.sourceCost), cents(totals.targetCost), cents(totals.savings)]).toEqual([
      source,
      target,
      source - target,
    ]);
    expect(coverage.compared).toBe(compared.length);
    expect(coverage.rated + coverage.estimated + coverage.unrateable + coverage.invalid + coverage.excluded).toBe(
      items.length,
    );
    for (const breakdown of ["zone", "service", "weight", "state", "lane"]) {
      const groups = summary[`${breakdown}Breakdown`];
      expect([breakdown, sum(groups, (group: Answer["body"]) => group.items)]).toEqual([breakdown, compared.length]);
      expect([breakdown, sum(groups, (group: Answer["body"]) => cents(group.sourceCost))]).toEqual([breakdown, source]);
      expect([breakdown, sum(groups, (group: Answer["body"]) => cents(group.targetCost))]).toEqual([breakdown, target]);
    }
    const { base, discount, minimum, fuel, surcharges } = costBreakdown.target;
    const all = [base, discount, minimum, fuel, ...Object.values(surcharges as Record<string, number>)];
    expect(sum(all, cents)).toBe(target);
    for (const zone of summary.zoneBreakdown) {
      const own = compared.filter((item) => item.zone === zone.zone);
      expect([zone.items, cents(zone.targetCost)]).toEqual([own.length, sum(own, (item) => cents(item.targetCost))]);
    }
    expect(outcomes.wins + outcomes.losses + outcomes.ties).toBe(compared.length);
    expect(cents(outcomes.winAmount) - cents(outcomes.lossAmount)).toBe(source - target);
    expect(cents(cheapestMix.cost)).toBe(
      sum(compared, (item) => Math.min(cents(item.sourceCost), cents(item.targetCost))),
    );
    expect(sum(distribution.buckets, (bucket: Answer["body"]) => bucket.items)).toBe(compared.length);
    expect(sum(distribution.buckets, (bucket: Answer["body"]) => cents(bucket.savings))).toBe(source - target);
    const savings = compared.map((item) => cents(item.savings)).toSorted((a, b) => a - b);
    expect(cents(totals.medianSavings)).toBe(savings[Math.ceil(savings.length / 2) - 1]);
    const best = savings
      .toReversed()
      .filter((saved) => saved > 0)
      .slice(0, 10);
    expect(summary.top.savings.map((item: Answer["body"]) => cents(item.savings))).toEqual(best);
    expect(cents(totals.targetLow)).toBe(sum(compared, (item) => cents(item.targetLow)));
    expect(cents(totals.targetHigh)).toBe(sum(compared, (item) => cents(item.targetHigh)));
  });

  test("D13: a scenario without changes gives the same total, for any fuel terms", async () => {
    const fuelPercent = card.fuel?.percent;
    if (fuelPercent === undefined) return;
    const { body } = await org.get(`${path}/summary?fuelPercent=${fuelPercent}`);
    expect({ ...body, computedAt: null, scenario: {} }).toEqual({ ...summary, computedAt: null, scenario: {} });
  });
});
