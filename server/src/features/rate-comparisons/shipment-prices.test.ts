import { expect, test } from "vitest";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { comparisonFixture } from "../../testing/comparison-fixture.ts";
import { contractPrices } from "../../testing/contract-rater.ts";
import type { ContractShipment } from "../../testing/random-contracts.ts";
import { randomContract, randomShipment } from "../../testing/random-contracts.ts";
import { createRandom } from "../../testing/random-parcels.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const { anAccount, processed } = await comparisonFixture(hub, org);

async function allItems(path: string): Promise<Answer["body"][]> {
  const found = [];
  for (let page = 1; ; page++) {
    const { body } = await org.get(`${path}/items?limit=500&page=${page}`);
    found.push(...body.data);
    if (!body.pagination.hasMore) return found;
  }
}

const cents = (amount: number): number => Math.round(amount * 100);
const told = ({ reason, lines }: Answer["body"]): unknown =>
  reason === null
    ? Object.fromEntries(lines.map((line: { code: string; amount: number }) => [line.code, cents(line.amount)]))
    : reason;

/** 200 lb and more go by hundredweight: 20.00 per hundred pounds. A parcel costs 15.00. */
const freight: RateCard = {
  name: "Freight",
  effectiveFrom: "2026-01-01",
  zoneScheme: "flat",
  services: [
    {
      code: "GROUND",
      level: "ground",
      weightBreaks: [{ upTo: 150 }],
      rates: { all: [15] },
      limits: { maxWeight: { value: 150, unit: "lb" } },
      hundredweight: { weightFrom: [200], rates: { all: [20] } },
    },
  ],
};
const parcel = { netCost: 20, serviceType: "GROUND", originZip: "10001", weight: { value: 50, unit: "lb" } };

test.each([3, 8, 21])(
  "prices of shipments equal those of a rater that shares no code, with contract %i",
  async (seed) => {
    const random = createRandom(seed);
    const card = randomContract(random);
    const shipments = Array.from({ length: 60 }, (): [string, ContractShipment] => [
      random.pick(card.services).code,
      randomShipment(random),
    ]);
    const items = shipments.flatMap(([code, { parcels, residential, originZip, destinationZip, shipDate }], number) =>
      parcels.map((one, index) => ({
        trackingNumber: `S${number}-${index}`,
        netCost: 10,
        serviceType: code,
        originZip,
        destinationZip,
        shipDate,
        ...(residential === null ? {} : { residential }),
        ...(parcels.length > 1 ? { leadTrackingNumber: `S${number}-0` } : {}),
        ...one,
      })),
    );
    // Parcels of a shipment need not stand together.
    const order = items.map((_, index) => index).toSorted((a, b) => (a % 7) - (b % 7) || a - b);
    const path = await processed(
      order.map((index) => items[index]!),
      { carrierAccountId: await anAccount(card) },
      {},
    );
    const byNumber = new Map((await allItems(path)).map((item) => [item.trackingNumber, told(item)]));
    // The first parcel of a shipment is the one that stands first in the comparison.
    const expected = shipments.flatMap(([code, shipment], number) => {
      const at = (index: number): number =>
        order.indexOf(items.findIndex((item) => item.trackingNumber === `S${number}-${index}`));
      const sequence = shipment.parcels.map((_, index) => index).toSorted((a, b) => at(a) - at(b));
      const parcels = sequence.map((index) => shipment.parcels[index]!);
      return contractPrices(card, code, { ...shipment, parcels }).map((price, index) => [
        `S${number}-${sequence[index]}`,
        "reason" in price ? price.reason : price.lines,
      ]);
    });
    expect(Object.fromEntries(byNumber)).toEqual(Object.fromEntries(expected));
  },
);

test("parcels are one shipment by their lead number, by day and ZIPs if the card says so, else none", async () => {
  const items = [
    ...[1, 2, 3, 4].map((n) => ({
      ...parcel,
      trackingNumber: `L${n}`,
      destinationZip: "90210",
      leadTrackingNumber: "L1",
    })),
    ...[1, 2, 3, 4].map((n) => ({
      ...parcel,
      trackingNumber: `D${n}`,
      destinationZip: "60601",
      shipDate: "2026-03-02",
    })),
    { ...parcel, trackingNumber: "other day", destinationZip: "60601", shipDate: "2026-03-03" },
    { ...parcel, trackingNumber: "no day", destinationZip: "60601" },
  ];
  const pricesWith = async (card: RateCard): Promise<number[]> => {
    const path = await processed(items, { carrierAccountId: await anAccount(card) }, {});
    return (await allItems(path)).map((item) => item.targetCost);
  };
  expect(await pricesWith(freight)).toEqual([40, 0, 0, 0, 15, 15, 15, 15, 15, 15]);
  expect(await pricesWith({ ...freight, shipmentsBy: "day_and_destination" })).toEqual([
    40, 0, 0, 0, 40, 0, 0, 0, 15, 15,
  ]);
});

test("charges of a parcel do not add to its shipment, and a parcel that is refused does not belong to it", async () => {
  const lead = { destinationZip: "90210", leadTrackingNumber: "A" };
  const items = [
    { ...parcel, ...lead, trackingNumber: "too heavy", weight: { value: 151, unit: "lb" } },
    { ...parcel, ...lead, trackingNumber: "A", weight: { value: 120, unit: "lb" } },
    { ...parcel, trackingNumber: "A", netCost: 3, chargeType: "Fuel" },
    { ...parcel, trackingNumber: "B", netCost: 3, destinationZip: "90210" },
    { ...parcel, ...lead, trackingNumber: "B", chargeType: "Freight", netCost: 9, weight: { value: 80.5, unit: "lb" } },
  ];
  const path = await processed(items, { carrierAccountId: await anAccount(freight) }, {});
  // B is weighed by its first line: 50 lb. Together 170 lb, below the first band.
  expect((await allItems(path)).map((item) => item.targetCost)).toEqual([null, 15, null, 15, null]);
  const { body } = await org.get(`${path}/summary`);
  expect(body.totals.targetCost).toBe(30);
  const heavier = items.map((item) =>
    item.trackingNumber === "B" ? { ...item, weight: { value: 81, unit: "lb" } } : item,
  );
  const [ground] = freight.services;
  const always = { ...ground!, hundredweight: { ...ground!.hundredweight!, use: "always" as const } };
  const account = await anAccount({ ...freight, services: [always] });
  const again = await processed(heavier, { carrierAccountId: account }, {});
  // 201 lb, although two parcels would cost 30.00.
  expect((await allItems(again)).map((item) => item.targetCost)).toEqual([null, 40.2, null, 0, null]);
});
