import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anItem, contract, lb, comparisonFixture } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const { anAccount, processed, itemsOf } = await comparisonFixture(hub, org);

/** With a charge for homes, of which three fifths are expected where nothing tells. */
const homeContract = {
  ...contract,
  surcharges: [{ code: "RES", kind: "fixed", amount: 5, when: { residential: true }, allocationPercent: 60 }],
};
const carrierAccountId = await anAccount(homeContract);

type Line = Record<string, unknown> & { trackingNumber: string };
type Told = { trackingNumber: string; status: string; reason: string | null; targetCost: number | null };

const facts = {
  originZip: "07114",
  originState: "NJ",
  destinationZip: "10001",
  destinationState: "NY",
  weight: lb(3),
  dimensions: { length: 14, width: 12, height: 10, unit: "in" },
  residential: false,
  shipDate: "2026-03-02",
  currency: "USD",
};
type Fact = keyof typeof facts;

test("N1: a first charge line without data does not hide the data of the others", async () => {
  const path = await processed(
    [
      { trackingNumber: "1Z1", netCost: 2, serviceType: "Fuel Surcharge", originZip: "07114", destinationZip: "10001" },
      anItem({ trackingNumber: "1Z1", netCost: 10, serviceType: "Ground Residential" }),
      anItem({ trackingNumber: "1Z2", serviceType: "2nd Day Air" }),
    ],
    { carrierAccountId },
  );
  expect(await itemsOf(path)).toMatchObject([
    {
      status: "rated",
      serviceType: "Ground Residential",
      weight: lb(3),
      residential: true,
      sourceCost: 12,
      // 12.00 and 10 % fuel of it, and 5.00 for a home.
      targetCost: 18.2,
      destinationState: "NY",
    },
    { status: "excluded", reason: "charge_line" },
    { status: "rated" },
  ]);
  const { body } = await org.get(`${path}/summary`);
  expect(body.serviceBreakdown).toMatchObject([
    { serviceType: "2nd Day Air", items: 1 },
    { serviceType: "Ground Residential", items: 1 },
  ]);
  for (const query of ["serviceType=ground%20residential", "serviceType=Ground%20Residential&search=1Z1"])
    expect((await itemsOf(path, `?${query}`)).map(({ index }: { index: number }) => index)).toEqual([0, 1]);
});

test("N1: without summing, each line keeps its own data", async () => {
  const lines = [anItem({ trackingNumber: "T", weight: undefined }), anItem({ trackingNumber: "T", weight: lb(10) })];
  const path = await processed(lines, { carrierAccountId }, { duplicates: "keep" });
  expect(await itemsOf(path)).toMatchObject([
    { basis: "profile", weight: null },
    { basis: "weight", weight: lb(10) },
  ]);
});

/** A parcel as lines that each know some of its facts; at least one knows each of those that are known at all. */
const aParcel = fc.record({
  known: fc.subarray(Object.keys(facts) as Fact[]),
  lines: fc.array(
    fc.record({ says: fc.subarray(Object.keys(facts) as Fact[]), cents: fc.integer({ min: -500, max: 4000 }) }),
    {
      minLength: 2,
      maxLength: 5,
    },
  ),
  serviceIn: fc.nat(4),
  namesServiceBy: fc.constantFrom("serviceType", "chargeType"),
  order: fc.array(fc.nat(1000), { minLength: 5, maxLength: 5 }),
});
type Parcel = typeof aParcel extends fc.Arbitrary<infer P> ? P : never;

function linesOf({ known, lines, serviceIn, namesServiceBy }: Parcel, trackingNumber: string): Line[] {
  return lines.map(({ says, cents }, index) => {
    const own = known.filter((fact, place) => says.includes(fact) || place % lines.length === index);
    const isFreight = index === serviceIn % lines.length;
    return {
      trackingNumber,
      netCost: cents / 100,
      ...Object.fromEntries(own.map((fact) => [fact, facts[fact]])),
      [namesServiceBy]: isFreight ? "UPS Ground" : `Charge ${index}`,
    };
  });
}

function inOrder(lines: Line[], order: number[]): Line[] {
  return lines
    .map((line, index) => ({ line, by: order[index]! }))
    .toSorted((a, b) => a.by - b.by)
    .map(({ line }) => line);
}

test("N1: the order of a parcel's lines does not change what is compared", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aParcel, { minLength: 10, maxLength: 30 }), async (parcels) => {
      const read = async (lines: (parcel: Parcel, index: number) => Line[]) => {
        const path = await processed(parcels.flatMap(lines), { carrierAccountId });
        const items = (await org.get(`${path}/items?limit=500`)).body.data as Told[];
        const parcelsOf = items.filter(({ reason }) => reason !== "charge_line");
        return { told: parcelsOf.map(compared), totals: (await org.get(`${path}/summary`)).body.totals };
      };
      const written = await read((parcel, index) => linesOf(parcel, `T${index}`));
      const shuffled = await read((parcel, index) => inOrder(linesOf(parcel, `T${index}`), parcel.order));
      expect(written.told).toHaveLength(parcels.length);
      expect(shuffled).toEqual(written);
    }),
    { numRuns: 6 },
  );
});

/** All but which of the lines it is; of a credit the service does not matter. */
function compared(item: Told): object {
  const {
    index: _index,
    netCost: _cost,
    chargeType: _type,
    serviceType,
    ...same
  } = item as Told & Record<string, unknown>;
  return item.reason === "credit" ? same : { ...same, serviceType };
}

test("N3: equal amounts of different charges both count; the same charge once more does not", async () => {
  const line = (netCost: number, chargeType: string) => anItem({ trackingNumber: "1ZTWO", netCost, chargeType });
  const path = await processed([line(10, "Freight"), line(2, "Residential"), line(2, "Fuel"), line(2, "Fuel")], {
    carrierAccountId,
  });
  const told = (await itemsOf(path)) as { chargeType: string; sourceCost: number; reason: string | null }[];
  expect(told.map(({ chargeType, sourceCost, reason }) => [chargeType, sourceCost, reason])).toEqual([
    ["Freight", 14, null],
    ["Residential", 0, "charge_line"],
    ["Fuel", 0, "charge_line"],
    ["Fuel", 2, "duplicate"],
  ]);
  expect(await itemsOf(path, "?chargeType=fuel")).toHaveLength(2);
});

test.each([
  ["UPS Ground", null, 16.2],
  ["Ground Residential", true, 18.2],
  ["FedEx Home Delivery", true, 18.2],
  ["Ground Commercial", false, 13.2],
])("N6: the name of a service tells whether it is residential: %s", async (serviceType, residential, targetCost) => {
  const path = await processed([anItem({ serviceType })], { carrierAccountId });
  expect(await itemsOf(path)).toMatchObject([{ residential, targetCost }]);
  // What the item itself says goes before it.
  const said = await processed([anItem({ serviceType, residential: true })], { carrierAccountId });
  expect(await itemsOf(said)).toMatchObject([{ residential: true, targetCost: 18.2 }]);
});

test("N6: a residential charge tells it as well, if the service does not", async () => {
  const freight = anItem({ trackingNumber: "1ZHOME", chargeType: "Freight" });
  const charge = anItem({ trackingNumber: "1ZHOME", netCost: 5, chargeType: "Residential Surcharge" });
  const path = await processed([freight, charge], { carrierAccountId });
  expect(await itemsOf(path, "?residential=true")).toMatchObject([{ index: 0, targetCost: 18.2 }]);
});

test("N16: items can be filtered by residential or business, priced service, and charge", async () => {
  const path = await processed(
    [
      anItem({ serviceType: "Ground Residential" }),
      anItem({ serviceType: "Ground Commercial" }),
      anItem({ serviceType: "UPS 2nd Day Air" }),
      anItem({ destinationZip: "nowhere", destinationState: undefined }),
    ],
    { carrierAccountId },
  );
  const indexes = async (query: string) =>
    ((await itemsOf(path, `?${query}`)) as { index: number }[]).map(({ index }) => index);
  expect(await indexes("residential=true")).toEqual([0]);
  expect(await indexes("residential=false")).toEqual([1]);
  expect(await indexes("targetService=flat")).toEqual([2]);
  expect(await indexes("charge=RES")).toEqual([0, 2]);
  expect(await indexes("charge=RES&targetService=GROUND")).toEqual([0]);
  expect(await indexes("charge=%5B")).toEqual([]);
  const csv = (await org.get(`${path}/export.csv?charge=RES`)).text.trim().split("\r\n");
  expect(csv).toHaveLength(3);
});
