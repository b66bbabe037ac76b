import { describe, expect, test } from "vitest";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { comparisonFixture, contract, rateOneChunk } from "../../testing/comparison-fixture.ts";
import { createRandom, randomCard, randomItems } from "../../testing/random-parcels.ts";
import { slowPrice } from "../../testing/slow-rater.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";

const hub = await startTestHub();
const org = await hub.org();
const { anAccount, aComparison } = await comparisonFixture(hub, org);

const day = "2026-03-15";
// A weight of 0 is unknown, and estimated.
const items = randomItems(createRandom(7), 3_000).filter(({ weight }) => weight!.value > 0);
const cards: RateCard[] = [11, 12, 13].map((seed) => randomCard(createRandom(seed)));
// The third carrier does not serve one of the services, so that not every target has a price for every parcel.
cards[2] = { ...cards[2]!, services: [cards[2]!.services[0]!] };

const cents = (amount: number): number => Math.round(amount * 100);
const sum = (list: number[]): number => list.reduce((total, one) => total + one, 0);

const accounts = await Promise.all(cards.map((card) => anAccount(card)));
const targets = accounts.map((carrierAccountId, index) => ({ carrierAccountId, name: `Contract ${index + 1}` }));

async function processedWith(list: object[], given: object[], more: object = {}): Promise<string> {
  const path = await aComparison(list, { carrierAccountId: undefined, targets: given, ...more });
  const { status, text } = await org.post(`${path}/process`, { rateDate: day });
  if (status !== 200) throw new Error(text);
  await workOff(hub.world, comparisonWork);
  return path;
}

type Slow = ReturnType<typeof slowPrice>;
/** By parcel, then by target. */
const slowMatrix = (priced: RateCard[]): Slow[][] =>
  items.map((item) => priced.map((card) => slowPrice(card, item, day)));

function slowBest(row: Slow[]): number | null {
  const all = row.flatMap((one) => (one.cents === null ? [] : [one.cents]));
  return all.length === 0 ? null : Math.min(...all);
}

const slow = slowMatrix(cards);
const paid = items.map((item) => cents(item.netCost));

const path = await processedWith(items, targets);
const { body: mix, status } = await org.get(`${path}/mix`);

async function scenario(request: object): Promise<Answer["body"]> {
  const answer = await org.post(`${path}/scenarios`, { name: `Scenario ${crypto.randomUUID()}`, ...request });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body;
}

/** Every figure of a mix against prices that were made without code of the hub. */
function checkMix(found: Answer["body"], matrix: Slow[][]): void {
  const priced = matrix.flatMap((row, at) => (slowBest(row) === null ? [] : [at]));
  const best = sum(priced.map((at) => slowBest(matrix[at]!)!));
  expect(found.parcels).toBe(priced.length);
  expect(cents(found.sourceCost)).toBe(sum(priced.map((at) => paid[at]!)));
  expect(cents(found.bestMix.cost)).toBe(best);
  expect(sum(found.bestMix.targets.map((one: Answer["body"]) => cents(one.cost)))).toBe(best);
  expect(sum(found.bestMix.targets.map((one: Answer["body"]) => one.parcels))).toBe(priced.length);
  const common = priced.filter((at) => matrix[at]!.every((one) => one.cents !== null));
  expect([found.common.parcels, cents(found.common.sourceCost)]).toEqual([
    common.length,
    sum(common.map((at) => paid[at]!)),
  ]);
  for (const [index, target] of found.targets.entries()) {
    const own = priced.filter((at) => matrix[at]![index]!.cents !== null);
    const total = sum(own.map((at) => matrix[at]![index]!.cents!));
    expect([target.parcels, cents(target.sourceCost), cents(target.targetCost)]).toEqual([
      own.length,
      sum(own.map((at) => paid[at]!)),
      total,
    ]);
    expect(cents(target.bestCost)).toBe(sum(own.map((at) => slowBest(matrix[at]!)!)));
    expect(target.bestCost).toBeLessThanOrEqual(target.targetCost);
    expect(cents(target.commonCost)).toBe(sum(common.map((at) => matrix[at]![index]!.cents!)));
    expect(sum(target.zoneBreakdown.map((zone: Answer["body"]) => cents(zone.targetCost)))).toBe(total);
    const { base, discount, minimum, fuel, surcharges } = target.costBreakdown;
    const lines = new Map([["minimum", 0]]);
    for (const at of own)
      for (const [code, line] of Object.entries(matrix[at]![index]!.lines))
        lines.set(code, (lines.get(code) ?? 0) + line);
    const shown = { base, discount, minimum, fuel, ...surcharges };
    const shownCents = Object.entries(shown).map(([code, amount]) => [code, cents(amount as number)]);
    expect(Object.fromEntries(shownCents)).toEqual(Object.fromEntries(lines));
  }
}

describe("several targets", () => {
  test("targets, best mix and breakdowns agree with an independent rater, to the cent", () => {
    expect(status).toBe(200);
    expect(mix.targets[2].parcels).toBeLessThan(mix.targets[0].parcels);
    checkMix(mix, slow);
    const shares = mix.bestMix.targets.map((one: Answer["body"]) => one.parcels);
    expect(Math.min(...shares)).toBeGreaterThan(0);
  });

  test("each target has a summary like that of a comparison with this contract alone", async () => {
    for (const [index, carrierAccountId] of accounts.entries()) {
      const alone = await aComparison(items, { carrierAccountId });
      await org.post(`${alone}/process`, { rateDate: day });
      await workOff(hub.world, comparisonWork);
      const expected = (await org.get(`${alone}/summary`)).body;
      const { body } = await org.get(`${path}/summary?target=${index + 1}`);
      const same = { comparisonId: "", computedAt: "", status: "" };
      expect({ ...body, ...same }).toEqual({ ...expected, ...same });
      const whatIf = await org.get(`${path}/summary?target=${index + 1}&fuelPercent=3`);
      const whatIfAlone = await org.get(`${alone}/summary?fuelPercent=3`);
      expect(whatIf.body.totals).toEqual(whatIfAlone.body.totals);
    }
    expect((await org.get(`${path}/summary?target=4`)).body.errors[0].message).toBe("The comparison has 3 targets.");
    expect((await org.get(path)).body.targets.map(({ name }: { name: string }) => name)).toEqual(
      targets.map(({ name }) => name),
    );
  });

  test("a mix by rules takes the first rule that matches, and never costs less than the best mix", async () => {
    const rules = [
      { target: 3, zones: ["2", "3"], weightUpTo: { value: 10, unit: "lb" } },
      { target: 2, serviceLevels: ["ground"], weightOver: { value: 10, unit: "lb" } },
      { target: 1, serviceTypes: ["ups ground"] },
    ];
    const { result } = await scenario({ rules });
    const pounds: Record<string, number> = { lb: 1, oz: 1 / 16, kg: 1 / 0.453_592_37, g: 1 / 453.592_37 };
    const weightOf = (at: number): number => items[at]!.weight!.value * pounds[items[at]!.weight!.unit]!;
    const decided = slow.map((row, at): number => {
      const has = (target: number): boolean => row[target - 1]!.cents !== null;
      if (has(3) && ["2", "3"].includes(row[2]!.zone!) && weightOf(at) <= 10) return 0;
      const isGround = ["UPS Ground", "GROUND"].includes(items[at]!.serviceType!);
      if (has(2) && isGround && weightOf(at) > 10) return 1;
      if (has(1) && items[at]!.serviceType === "UPS Ground") return 2;
      return slowBest(row) === null ? -2 : -1;
    });
    const { ruleMix, bestMix } = result;
    const costOf = (at: number, rule: number): number =>
      rule === -1 ? slowBest(slow[at]!)! : slow[at]![rules[rule]!.target - 1]!.cents!;
    for (const rule of [0, 1, 2, -1]) {
      const own = decided.flatMap((one, at) => (one === rule ? [at] : []));
      const shown = rule === -1 ? ruleMix.unmatched : ruleMix.rules[rule];
      expect(own.length).toBeGreaterThan(10);
      expect([rule, shown.parcels, cents(shown.cost)]).toEqual([
        rule,
        own.length,
        sum(own.map((at) => costOf(at, rule))),
      ]);
      if (rule >= 0) expect(cents(shown.bestCost)).toBe(sum(own.map((at) => slowBest(slow[at]!)!)));
    }
    expect(cents(ruleMix.cost) - cents(bestMix.cost)).toBe(cents(ruleMix.aboveBest));
    expect(ruleMix.aboveBest).toBeGreaterThan(0);
    expect(sum(ruleMix.targets.map((one: Answer["body"]) => cents(one.cost)))).toBe(cents(ruleMix.cost));
  });

  test("a scenario changes prices as an independent rater with the changed cards does", async () => {
    const terms = [
      { increasePercent: 5.9, fuelPercent: 12.5 },
      { target: 2, surchargePercents: { home: 25, pounds: -100 }, dimDivisor: 120 },
      { target: 1, minimumChange: 1.25, extraDiscountPercent: 4 },
    ];
    const { result, id } = await scenario({ terms });
    const raised = new Map([
      ["home", 25],
      ["pounds", -100],
    ]);
    const raise = (amount: number, percent: number): number =>
      Number(
        (BigInt(Math.round(amount * 10_000)) * BigInt(1_000_000 + Math.round(percent * 10_000)) + 500_000n) /
          1_000_000n,
      ) / 10_000;
    const changed = cards.map((card, index): RateCard => {
      const copy = structuredClone(card);
      for (const service of copy.services) {
        for (const rates of Object.values(service.rates))
          for (const [at, price] of rates.entries()) if (price !== null) rates[at] = raise(price, 5.9);
        const above = service.perUnitAbove!.rates;
        for (const zone of Object.keys(above)) above[zone] = raise(above[zone]!, 5.9);
        if (index === 1) service.dim!.divisor = 120;
        if (index !== 0) continue;
        service.discounts!.push({ percent: 4, stacking: "add" });
        if (service.minimum!.amount === undefined) service.minimum!.reduction! -= 1.25;
        else service.minimum!.amount += 1.25;
      }
      for (const surcharge of copy.surcharges!) {
        const by = index === 1 ? raised.get(surcharge.code) : undefined;
        if (by === undefined) continue;
        surcharge.amount = raise(surcharge.amount!, by);
        for (const zone of Object.keys(surcharge.amountByZone ?? {}))
          surcharge.amountByZone![zone] = raise(surcharge.amountByZone![zone]!, by);
      }
      copy.fuel = { appliesTo: copy.fuel!.appliesTo, percent: 12.5, ...keepDiscount(copy.fuel!) };
      return copy;
    });
    checkMix(result, slowMatrix(changed));
    expect(result.targets[1].terms).toEqual({
      increasePercent: 5.9,
      fuelPercent: 12.5,
      surchargePercents: { home: 25, pounds: -100 },
      dimDivisor: 120,
    });
    const again = await org.get(`${path}/scenarios/${id}`);
    expect(again.body.result).toEqual(result);
    const { body: listed } = await org.get(`${path}/scenarios`);
    expect(listed.data.map((one: Answer["body"]) => one.id)).toContain(id);
    // The prices of the contracts are unchanged.
    expect((await org.get(`${path}/mix`)).body).toEqual(mix);
  });

  test("exports add up to the mix, to the cent", async () => {
    const { result, id } = await scenario({
      terms: [{ target: 2, increasePercent: -3 }],
      rules: [{ target: 1, zones: ["2"] }],
      commitments: [{ target: 3, minParcels: 1_000 }],
      keepSource: true,
    });
    const { text } = await org.get(`${path}/mix.csv?scenarioId=${id}`);
    const [head, ...rows] = text
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(","));
    expect(rows).toHaveLength(items.length);
    const column = (name: string): number => {
      const at = head!.indexOf(name);
      expect([name, at]).not.toEqual([name, -1]);
      return sum(rows.map((row) => (row[at] === "" ? 0 : cents(Number(row[at])))));
    };
    for (const target of result.targets) expect(column(`${target.name}: cost`)).toBe(cents(target.targetCost));
    expect(column("best: cost")).toBe(cents(result.bestMix.cost));
    expect(column("rules: cost")).toBe(cents(result.ruleMix.cost));
    expect(column("commitments: cost")).toBe(cents(result.committedMix.cost));
    const committed = head!.indexOf("commitments: target");
    expect(rows.filter((row) => row[committed] === "Contract 3")).toHaveLength(1_000);
    expect(rows.some((row) => row[committed] === "source")).toBe(true);
    expect(result.bestMix.source.parcels).toBeGreaterThan(0);
    const { status: answered, headers } = await org.get(`${path}/mix.xlsx?scenarioId=${id}`);
    expect([answered, headers.get("content-disposition")]).toEqual([200, expect.stringContaining("-mix.xlsx")]);
  });
});

const keepDiscount = (fuel: NonNullable<RateCard["fuel"]>) =>
  fuel.discountPercent === undefined ? {} : { discountPercent: fuel.discountPercent };

describe("commitments", () => {
  test("the cost of a committed number of parcels is that of the cheapest parcels to move", async () => {
    const share = mix.bestMix.targets[2].parcels;
    const wanted = share + 200;
    const { result } = await scenario({ commitments: [{ target: 3, minParcels: wanted }] });
    const extra = slow.flatMap((row) => {
      const [best, own] = [slowBest(row), row[2]!.cents];
      const isThere = own === null || (own === best && !row.slice(0, 2).some((one) => one.cents === best));
      return isThere ? [] : [own - best!];
    });
    const cheapest = extra.toSorted((a, b) => a - b).slice(0, 200);
    const { committedMix } = result;
    expect(cents(committedMix.aboveBest)).toBe(sum(cheapest));
    expect(committedMix.isOptimal).toBe(true);
    expect(committedMix.commitments).toEqual([
      expect.objectContaining({ target: 3, minParcels: wanted, parcels: wanted, isMet: true, missingParcels: 0 }),
    ]);
    expect(result.bestMix).toEqual(mix.bestMix);
  });

  test("a committed amount is met closely, and one that cannot be met says what is missing", async () => {
    const wanted = mix.bestMix.targets[0].cost + 500;
    const { committedMix } = (await scenario({ commitments: [{ target: 1, minRevenue: wanted }] })).result;
    const [first] = committedMix.commitments;
    expect(first).toMatchObject({ isMet: true, missingRevenue: 0, minRevenue: wanted });
    expect(first.cost).toBeGreaterThanOrEqual(wanted);
    expect(first.cost - wanted).toBeLessThan(60);
    expect(committedMix).toMatchObject({ isOptimal: false });
    expect(committedMix.aboveBest).toBeGreaterThan(0);
    const tooMuch = await scenario({ commitments: [{ target: 3, minParcels: 3_000, minRevenue: 9_000_000 }] });
    const [missing] = tooMuch.result.committedMix.commitments;
    expect(missing.isMet).toBe(false);
    expect(missing.parcels + missing.missingParcels).toBe(3_000);
    expect(missing.parcels).toBe(mix.targets[2].parcels);
    expect(cents(missing.cost) + cents(missing.missingRevenue)).toBe(900_000_000);
  });

  test("those of the targets count where the scenario has none", async () => {
    const given = [{ ...targets[0]!, minParcels: 5 }, targets[1]!];
    const own = await processedWith(items.slice(0, 60), given);
    const { body } = await org.get(`${own}/mix`);
    expect(body.committedMix.commitments).toEqual([expect.objectContaining({ target: 1, minParcels: 5, isMet: true })]);
  });
});

describe("a comparison with targets", () => {
  test("a chosen card is used even if it is a draft, whatever is in effect", async () => {
    const account = await anAccount(contract);
    const draft = { ...contract, name: "Offer", services: contract.services.map((one) => ({ ...one })) };
    draft.services[0] = { ...draft.services[0]!, rates: { "2": [5, 6, 7.5], "8": [10, 12, 15] } };
    const uploaded = await org.post(`/carrier-accounts/${account}/rate-cards`, { card: draft, isActive: false });
    const rateCardId = uploaded.body.id;
    const given = [{ carrierAccountId: account }, { carrierAccountId: account, rateCardId }];
    const own = await processedWith(items.slice(0, 300), given);
    const { body } = await org.get(`${own}/mix`);
    expect(body.targets.map((one: Answer["body"]) => [one.rateCard.name, one.rateCardId])).toEqual([
      ["Contract", null],
      ["Offer", rateCardId],
    ]);
    expect(body.targets[1].name).toMatch(/, Offer$/);
    expect(body.targets[1].targetCost).toBeLessThan(body.targets[0].targetCost);
    expect((await org.get(own)).body.stale).toBe(false);
    await org.post(`/carrier-accounts/${account}/rate-cards`, { card: { ...contract, name: "Newer" } });
    expect((await org.get(own)).body.stale).toBe(true);
  });

  test("scenarios are stale after processing again, until they run again", async () => {
    const own = await processedWith(items.slice(0, 100), targets.slice(0, 2));
    const made = await org.post(`${own}/scenarios`, { name: "Less fuel", terms: [{ fuelPercent: 0 }] });
    const taken = await org.post(`${own}/scenarios`, { name: "less FUEL" });
    expect([made.status, taken.status, taken.body.code]).toEqual([201, 409, "name_taken"]);
    await org.post(`${own}/process`, { rateDate: day });
    await workOff(hub.world, comparisonWork);
    const one = `${own}/scenarios/${made.body.id}`;
    expect((await org.get(one)).body.stale).toBe(true);
    expect((await org.get(`${own}/mix.csv?scenarioId=${made.body.id}`)).status).toBe(409);
    const again = await org.post(`${one}/run`);
    expect([again.status, again.body.stale, again.body.version]).toEqual([200, false, 2]);
    expect(again.body.result.targets).toEqual(made.body.result.targets);
    expect((await org.get(`${own}/mix.csv?scenarioId=${made.body.id}`)).status).toBe(200);
    const stored = () => hub.world.db.query("select 1 from rate_price_columns where scenario_id = $1", [made.body.id]);
    expect(await stored()).toHaveLength(2);
    expect((await org.delete(one)).status).toBe(200);
    expect(await stored()).toHaveLength(0);
    expect((await org.get(one)).body.code).toBe("rate_scenario_not_found");
  });

  test("an interrupted comparison goes on, or starts again if the names of a target changed", async () => {
    const start = async (): Promise<string> => {
      const own = await aComparison(items, { carrierAccountId: undefined, targets });
      await org.post(`${own}/process`, { rateDate: day });
      await rateOneChunk(hub.world, own.split("/").at(-1)!);
      expect((await org.get(own)).body.progress.processed).toBe(2_500);
      return own;
    };
    const resumed = await start();
    await workOff(hub.world, comparisonWork);
    const same = { comparisonId: "" };
    expect({ ...(await org.get(`${resumed}/mix`)).body, ...same }).toEqual({ ...mix, ...same });
    const restarted = await start();
    const aliases = { serviceAliases: { "carrier pigeon": "GROUND" } };
    expect((await org.patch(`/carrier-accounts/${accounts[1]}`, aliases)).status).toBe(200);
    await workOff(hub.world, comparisonWork);
    const { body } = await org.get(`${restarted}/mix`);
    expect(body.targets[1].parcels).toBeGreaterThan(mix.targets[1].parcels + 300);
    expect({ ...body.targets[0], bestCost: 0, commonCost: 0 }).toEqual({
      ...mix.targets[0],
      bestCost: 0,
      commonCost: 0,
    });
    const total = body.targets[1].zoneBreakdown.reduce((count: number, zone: Answer["body"]) => count + zone.items, 0);
    expect(total).toBe(body.targets[1].parcels);
    expect((await org.get(path)).body.stale).toBe(true);
    await org.patch(`/carrier-accounts/${accounts[1]}`, { serviceAliases: {} });
  });

  test("a scenario of a draft waits for the prices", async () => {
    const own = await aComparison(items.slice(0, 5), { carrierAccountId: undefined, targets });
    const { body } = await org.post(`${own}/scenarios`, { name: "Later", rules: [{ target: 2 }] });
    expect([body.result, body.stale]).toEqual([null, false]);
    expect((await org.get(`${own}/mix`)).body.detail).toBe("Process the comparison first.");
    await org.post(`${own}/process`, { rateDate: day });
    await workOff(hub.world, comparisonWork);
    const { body: later } = await org.post(`${own}/scenarios/${body.id}/run`);
    expect([later.result.parcels > 0, later.result.ruleMix.targets[1].parcels]).toEqual([true, later.result.parcels]);
  });

  test("deleting the comparison deletes everything", async () => {
    const own = await processedWith(items.slice(0, 20), targets);
    await org.post(`${own}/scenarios`, { name: "Gone", terms: [{ increasePercent: 1 }] });
    const id = own.split("/").at(-1);
    expect((await org.delete(own)).status).toBe(200);
    for (const table of ["rate_targets", "rate_price_columns", "rate_scenarios"])
      expect(await hub.world.db.query(`select 1 from ${table} where comparison_id = $1`, [id])).toEqual([]);
  });

  test("bad requests say which field and what is allowed", async () => {
    const request = { name: "Bad", items: [] };
    const problems = async (body: object, to = "/rate-comparisons"): Promise<[string, string][]> => {
      const answer = await org.post(to, body);
      expect(answer.status).toBe(400);
      return answer.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);
    };
    expect(await problems(request)).toEqual([["/carrierAccountId", "required"]]);
    expect(await problems({ ...request, targets: [] })).toEqual([["/targets", "minItems"]]);
    expect(await problems({ ...request, targets, carrierAccountId: accounts[1] })).toEqual([
      ["/carrierAccountId", "conflict"],
    ]);
    expect(await problems({ ...request, targets: [targets[0], { ...targets[1], name: "contract 1" }] })).toEqual([
      ["/targets/1/name", "duplicate"],
    ]);
    const eleven = Array.from({ length: 11 }, () => targets[0]);
    expect(await problems({ ...request, targets: eleven })).toEqual([["/targets", "maxItems"]]);
    const unknown = [{ ...targets[0], rateCardId: crypto.randomUUID() }];
    expect((await org.post("/rate-comparisons", { ...request, targets: unknown })).body.code).toBe(
      "rate_card_not_found",
    );
    const bad = {
      name: "Bad",
      terms: [{ target: 4, increasePercent: 1 }, { surchargePercents: { nothing: 5 } }],
      rules: [{ target: 1, weightOver: { value: 2, unit: "lb" }, weightUpTo: { value: 32, unit: "oz" } }],
      commitments: [{ target: 1 }, { target: 2, minParcels: 1 }, { target: 2, minParcels: 2 }],
    };
    expect(await problems(bad, `${path}/scenarios`)).toEqual([
      ["/terms/0/target", "out_of_range"],
      ["/rules/0/weightUpTo", "out_of_range"],
      ["/commitments/0", "required"],
      ["/commitments/2/target", "duplicate"],
      ["/terms/1/surchargePercents/nothing", "unknown_surcharge"],
    ]);
    const single = await aComparison(items.slice(0, 2), { carrierAccountId: accounts[0] });
    expect((await org.get(`${single}/mix`)).body.detail).toMatch(/^The comparison has one contract/);
    expect((await org.get(single)).body).not.toHaveProperty("targets");
  });

  test("another organization, or a scenario of another comparison, is not found", async () => {
    const rival = await hub.org();
    const { id } = await scenario({});
    const other = await aComparison(items.slice(0, 2), { carrierAccountId: undefined, targets });
    expect((await rival.get(`${path}/mix`)).status).toBe(404);
    expect((await rival.post(`${path}/scenarios`, { name: "Rival" })).status).toBe(404);
    expect((await rival.get(`${path}/scenarios/${id}`)).status).toBe(404);
    expect((await org.get(`${other}/scenarios/${id}`)).body.code).toBe("rate_scenario_not_found");
    expect((await rival.post("/rate-comparisons", { name: "Rival", targets })).status).toBe(404);
  });
});
