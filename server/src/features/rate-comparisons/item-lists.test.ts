import { describe, expect, test } from "vitest";
import { anItem, contract, comparisonFixture, rateOneChunk, workThrough } from "../../testing/comparison-fixture.ts";
import { createRandom } from "../../testing/random-parcels.ts";
import { randomQuery, readAllItems, slowList, toQueryString } from "../../testing/slow-item-list.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { itemsPerTransaction } from "./execute-comparison.ts";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "./rate-comparisons.ts";
import type { Item, ItemRequest } from "./rate-items.schemas.ts";

const hub = await startTestHub();
const org = await hub.org();
const { aComparison, anAccount, processed } = await comparisonFixture(hub, org);
const idOf = (path: string): string => path.split("/").at(-1)!;

/** Zones that are numbers, among them one beyond 32 bits, and names. */
const zones = ["2", "10", "9999999999", "B", "a", "null"];
const rates = Object.fromEntries(zones.map((zone, index) => [zone, [8 + index, 10 + index, 14 + index]]));
const card = {
  ...contract,
  zoneScheme: "bands",
  bands: zones.map((zone, index) => ({ upToMiles: index === 5 ? null : 200 + index * 500, zone })),
  services: [{ ...contract.services[0], rates }],
};

const services = ["UPS Ground", "ups ground", "UPS GROUND", "Ground", "carrier pigeon", "", "Ωmega Ground"];
const cities = [
  "New York",
  "Zürich",
  "SÃO PAULO",
  "100% Town_ship",
  String.raw`Back\slash`,
  "上海",
  "Odd\u001Fplace",
  "",
];
/** Frequent, rare, everywhere, nowhere; what a pattern would take for a sign; across the ends of two texts. */
const searches = [
  "1z",
  "9",
  "new york",
  "ZÜRICH",
  "são",
  "%",
  "_",
  "\\",
  "上",
  "\u001F",
  "90210",
  "1000",
  "nowhere",
  "ny",
  " ",
];

function randomItems(seed: number, count: number, names = cities): ItemRequest[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index): ItemRequest => {
    const isRepeated = index > 0 && random.chance(0.01);
    return {
      trackingNumber: isRepeated ? "1Z0" : random.chance(0.005) ? `odd\u001F${index}` : `1Z${index}`,
      netCost: random.below(random.chance(0.5) ? 20 : 4000) / (random.chance(0.5) ? 1 : 100),
      serviceType: random.pick(services),
      originZip: random.pick(["07114", "60601", "", "bad"]),
      originCity: random.pick(names),
      destinationZip: random.chance(0.2) ? "90210" : String(10_001 + random.below(80_000)),
      ...(random.chance(0.6) ? { destinationCity: random.pick(names) } : {}),
      ...(random.chance(0.3) ? { destinationState: random.pick(["NY", "CA", "ny"]) } : {}),
      ...(random.chance(0.8) ? { weight: { value: random.below(1200) / 100, unit: "lb" as const } } : {}),
      ...(random.chance(0.02) ? { currency: "EUR" } : {}),
    };
  });
}

/** Asks for as many lists and holds each against what a look at every item says. */
async function checkLists(path: string, seed: number, count: number): Promise<Item[]> {
  const items = await readAllItems(org, path);
  const random = createRandom(seed);
  let found = 0;
  for (let i = 0; i < count; i++) {
    const query = randomQuery(random, items, searches);
    const asked = toQueryString(query);
    const { body, status } = await org.get(`${path}/items?${asked}`);
    expect([asked, status]).toEqual([asked, 200]);
    const { indexes, total } = slowList(items, query);
    expect({ asked, total: body.pagination.total }).toEqual({ asked, total });
    expect({ asked, indexes: body.data.map(({ index }: Item) => index) }).toEqual({ asked, indexes });
    expect(body.data).toEqual(indexes.map((index) => items[index]));
    if (indexes.length > 0) found++;
  }
  expect(found).toBeGreaterThan(count / 10);
  return items;
}

async function listedRevision(path: string): Promise<number | null | undefined> {
  const [row] = await hub.world.db.query<{ listed_revision: number | null }>(
    "select listed_revision from rate_comparisons where id = $1",
    [idOf(path)],
  );
  return row?.listed_revision;
}

describe("lists of items", () => {
  const count = itemsPerTransaction + 1500;
  test("equal the result of checking every item: as a draft, halfway, finished, and again", async () => {
    const carrierAccountId = await anAccount(card);
    const path = await aComparison(randomItems(1, count), { carrierAccountId });
    await checkLists(path, 2, 30);

    await org.post(`${path}/process`);
    await rateOneChunk(hub.world, idOf(path));
    const half = await checkLists(path, 3, 50);
    expect(half.filter(({ status }) => status === "pending")).toHaveLength(count - itemsPerTransaction);

    await workOff((await hub.secondNode()).world, comparisonWork);
    expect(await listedRevision(path)).toBe(1);
    const first = await checkLists(path, 4, 120);
    expect(new Set(first.map(({ zone }) => zone))).toEqual(new Set([...zones, null]));

    await org.post(`${path}/process`, { scenario: { fuelPercent: 50 }, weightPolicy: "strict" });
    await rateOneChunk(hub.world, idOf(path));
    expect(await checkLists(path, 5, 30)).toEqual(first);

    await workOff(hub.world, comparisonWork);
    expect(await listedRevision(path)).toBe(2);
    const second = await checkLists(path, 6, 60);
    expect(second.map(({ revision }) => revision)).toEqual(Array.from({ length: count }, () => 2));
  });

  test("with ordinary names are right, too", async () => {
    const carrierAccountId = await anAccount(card);
    const names = ["New York", "Yorktown", "NEWARK", "Kansas City", "Odd\u001Fplace"];
    const path = await processed(randomItems(7, count, names), { carrierAccountId });
    expect(await listedRevision(path)).toBe(1);
    await checkLists(path, 8, 100);
  });

  test("of a state match its count in the summary, in any spelling", async () => {
    const random = createRandom(21);
    const written = ["NY", " ny", "New  York", "Elsewhere", "unknown", "", undefined];
    const zips = ["10001", "90210", "90210-1234", "501", "7114.0", "000", "bad", "", undefined];
    const items = Array.from({ length: 400 }, () => {
      const [destinationState, destinationZip] = [random.pick(written), random.pick(zips)];
      const to = {
        ...(destinationState !== undefined && { destinationState }),
        ...(destinationZip !== undefined && { destinationZip }),
      };
      return {
        trackingNumber: `S${random.below(1e9)}`,
        netCost: 9,
        serviceType: "Ground",
        originZip: "07114",
        weight: { value: 3, unit: "lb" },
        ...to,
      };
    });
    const flat = {
      ...contract,
      zoneScheme: "flat",
      services: [{ ...contract.services[0], rates: { all: [10, 12, 15] } }],
    };
    const path = await processed(items, { carrierAccountId: await anAccount(flat) }, { duplicates: "keep" });
    const { stateBreakdown } = (await org.get(`${path}/summary`)).body;
    const counted: Record<string, number> = {};
    for (const { destinationState } of stateBreakdown) {
      const query = new URLSearchParams({ destinationState, status: "rated,estimated", limit: "1" });
      const { body } = await org.get(`${path}/items?${query.toString()}`);
      counted[destinationState] = body.pagination.total;
      expect(
        (await org.get(`${path}/export.csv?destinationState=${destinationState}`)).text.split("\r\n").length,
      ).toBeGreaterThan(body.pagination.total);
    }
    expect(counted).toEqual(
      Object.fromEntries(
        stateBreakdown.map(({ destinationState, items: count }: { destinationState: string; items: number }) => [
          destinationState,
          count,
        ]),
      ),
    );
    expect(Object.keys(counted).toSorted()).toEqual(["CA", "ELSEWHERE", "NJ", "NY", "UNKNOWN", "unknown"].toSorted());
  });

  test("of a handful of items are right, too", async () => {
    for (const size of [1, 2, 40]) {
      expect(await checkLists(await processed(randomItems(size, size)), 9 + size, 40)).toHaveLength(size);
    }
  });

  test("never mix two revisions", async () => {
    const path = await processed(Array.from({ length: 2000 }, () => anItem()));
    let isDone = false;
    const again = async () => {
      for (let round = 0; round < 8; round++) {
        await org.post(`${path}/process`);
        await workOff(hub.world, comparisonWork);
      }
      isDone = true;
    };
    const look = async (query: string) => {
      while (!isDone) {
        const { body } = await org.get(`${path}/items?${query}`);
        const seen = new Set(body.data.map(({ status, revision }: Item) => `${status} ${revision}`));
        expect([query, body.pagination.total, seen.size]).toEqual([query, 2000, 1]);
        expect([...seen][0]).toMatch(/^rated \d$/);
      }
    };
    await Promise.all([again(), look("status=rated"), look("sort=-savings&limit=500"), look("search=1z&zone=2")]);
  });

  test("stay right after a revision that failed", async () => {
    const path = await processed(randomItems(12, 300));
    const before = await readAllItems(org, path);
    await org.post(`${path}/process`);
    await hub.world.db.query("update rate_comparisons set card = '{}' where id = $1", [idOf(path)]);
    await workThrough(hub.world);
    expect((await org.get(path)).body.status).toBe("failed");
    expect(await checkLists(path, 13, 60)).toEqual(before);
  });

  test("are right when every item is a kind of its own", async () => {
    const many = Array.from({ length: 20_050 }, (_, index) => anItem({ serviceType: `Service ${index} Ground` }));
    const path = await processed(many);
    const { body } = await org.get(`${path}/items?serviceType=service%20777%20ground&sort=-savings`);
    expect(body.pagination.total).toBe(1);
    expect(body.data).toMatchObject([{ index: 777 }]);
  });

  test("are deleted with the comparison or its revision", async () => {
    const kinds = async (path: string) =>
      (await hub.world.db.query("select 1 from rate_item_kinds where comparison_id = $1", [idOf(path)])).length;
    const path = await processed(Array.from({ length: 20 }, () => anItem()));
    expect(await kinds(path)).toBe(1);
    await org.post(`${path}/process`);
    await workOff(hub.world, comparisonWork);
    expect(await kinds(path)).toBe(1);
    await org.delete(path);
    expect(await kinds(path)).toBe(0);
  });
});
