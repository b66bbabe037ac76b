import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import type { TestOrg } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const rival = await hub.org();

const aLocation = async (owner: TestOrg, name: string): Promise<string> =>
  (await owner.post("/locations", { name })).body.id;
const north = await aLocation(org, "North");
const south = await aLocation(org, "South");
const foreign = await aLocation(rival, "North");

type Level = { sku: string; locationId: string; available: number; committed?: number | null };
const set = async (levels: Level[], more: object = {}, owner = org) =>
  await owner.call("PUT", "/stock", { levels, ...more });
const listed = async (query: string, owner = org): Promise<unknown[]> =>
  (await owner.get(`/stock?${query}`)).body.data.map(({ sku, locationId, available }: Level) => [
    sku,
    locationId,
    available,
  ]);

test("levels are set, replaced and listed, each organization's apart", async () => {
  const levels = [
    { sku: "MUG-01", locationId: north, available: 12 },
    { sku: "MUG-01", locationId: south, available: 0, committed: 3 },
    { sku: "CUP-01", locationId: south, available: 4 },
  ];
  expect((await set(levels)).body).toEqual({ created: 3, updated: 0, unchanged: 0, outdated: 0 });
  expect((await set([{ sku: "MUG-01", locationId: foreign, available: 99 }], {}, rival)).status).toBe(200);
  const again = await set([{ ...levels[0]!, available: 11 }, levels[2]!]);
  expect(again.body).toEqual({ created: 0, updated: 1, unchanged: 1, outdated: 0 });
  const [first, second] = [north, south].toSorted() as [string, string];
  const units: Record<string, number> = { [north]: 11, [south]: 0 };
  expect(await listed("")).toEqual([
    ["CUP-01", south, 4],
    ["MUG-01", first, units[first]],
    ["MUG-01", second, units[second]],
  ]);
  expect(await listed(`locationId=${north}`)).toEqual([["MUG-01", north, 11]]);
  expect(await listed("below=4")).toEqual([["MUG-01", south, 0]]);
  expect(await listed("sku=CUP-01")).toEqual([["CUP-01", south, 4]]);
  expect(await listed("", rival)).toEqual([["MUG-01", foreign, 99]]);
  expect((await org.get("/stock/MUG-01")).body).toMatchObject({
    sku: "MUG-01",
    available: 11,
    reserved: 0,
    allocatable: 14,
    levels: [{ bridgeId: null }, { bridgeId: null }],
  });
});

test("SKUs are compared exactly, and any text can be asked about", async () => {
  await set([{ sku: "Ab/1 ü", locationId: north, available: 1 }]);
  const levelsOf = async (sku: string) => (await org.get(`/stock/${encodeURIComponent(sku)}`)).body.levels.length;
  expect(await levelsOf("Ab/1 ü")).toBe(1);
  expect(await levelsOf("AB/1 ü")).toBe(0);
  expect(await levelsOf("Ab/1 ü ")).toBe(0);
  expect(await levelsOf("\u0000")).toBe(0);
  const spaced = await set([{ sku: " MUG-01", locationId: north, available: 1 }]);
  expect(spaced.body.errors).toMatchObject([{ pointer: "/levels/0/sku" }]);
});

test("negative and fractional stock is kept as it is reported", async () => {
  await set([
    { sku: "OVERSOLD", locationId: north, available: -3 },
    { sku: "ROPE", locationId: north, available: 2.5 },
  ]);
  expect(await listed("sku=OVERSOLD")).toEqual([["OVERSOLD", north, -3]]);
  expect(await listed("sku=ROPE")).toEqual([["ROPE", north, 2.5]]);
  expect(await listed("search=versol")).toEqual([["OVERSOLD", north, -3]]);
  expect(await listed("search=%25")).toEqual([]);
  const huge = await set([{ sku: "ROPE", locationId: north, available: 1e10 }]);
  expect(huge.body.errors).toMatchObject([{ pointer: "/levels/0/available" }]);
});

test("an older count does not replace a newer one, and a count lies in the past", async () => {
  const level = { sku: "LATE", locationId: north, available: 5 };
  await set([level], { countedAt: "2026-01-02T00:00:00Z" });
  expect((await set([{ ...level, available: 9 }], { countedAt: "2026-01-01T00:00:00Z" })).body).toMatchObject({
    updated: 0,
    outdated: 1,
  });
  expect(await listed("sku=LATE")).toEqual([["LATE", north, 5]]);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  expect((await set([level], { countedAt: tomorrow })).body.errors).toMatchObject([
    { pointer: "/countedAt", code: "in_future" },
  ]);
});

test("unknown and foreign locations and repeated levels are refused, each location once", async () => {
  const levels = ["A", "B"].map((sku) => ({ sku, locationId: foreign, available: 1 }));
  const refused = await set(levels);
  expect([refused.status, refused.body.errors]).toMatchObject([
    400,
    [{ pointer: "/levels/0/locationId", code: "location_not_found" }],
  ]);
  const level = { sku: "TWICE", locationId: north, available: 1 };
  expect((await set([level, level])).body.errors).toMatchObject([{ pointer: "/levels/1/sku", code: "repeated" }]);
  expect(await listed("sku=TWICE")).toEqual([]);
});

test("one event sums up each change", async () => {
  await set([
    { sku: "EVENT-1", locationId: north, available: 1 },
    { sku: "EVENT-2", locationId: north, available: 1 },
  ]);
  const { data } = (await org.get("/events?types=stock.updated&limit=100")).body;
  expect(data.at(-1)).toMatchObject({
    type: "stock.updated",
    data: { bridgeId: null, created: 2, updated: 0, unchanged: 0, outdated: 0, deleted: 0 },
  });
});

test("two requests that set the same levels in another order do not block each other", async () => {
  const levels = Array.from({ length: 200 }, (_, i) => ({ sku: `BUSY-${i}`, locationId: north, available: i }));
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) => set(i % 2 === 0 ? levels : levels.toReversed())),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
});

test("the levels of a deleted location are gone", async () => {
  const closing = await aLocation(org, "Closing");
  await set([{ sku: "CLOSING", locationId: closing, available: 3 }]);
  expect((await org.delete(`/locations/${closing}`)).status).toBe(200);
  expect((await org.get("/stock/CLOSING")).body).toEqual({
    sku: "CLOSING",
    available: 0,
    reserved: 0,
    allocatable: 0,
    levels: [],
  });
});
