import { expect, test } from "vitest";
import { chartFromCsv } from "../../carriers/zones/chart-csv.ts";
import { csv as csvBridge } from "../../connectors/csv/csv-bridge.ts";
import { comparisonFixture } from "../../testing/comparison-fixture.ts";
import { callFor, pullAll, taskOf } from "../../testing/connector-calls.ts";
import { startTestHub } from "../../testing/test-hub.ts";

// protocol 3: files are read in portions of 64 Ki; none of them ends within a character.
const hub = await startTestHub();
const org = await hub.org();
const { carrierAccountId, itemsOf } = await comparisonFixture(hub, org);
const face = "\u{1f600}";

type Reader = {
  name: string;
  file: (number: string) => string;
  read: (csv: string, number: string) => Promise<unknown>;
};

/** Everything that reads a file. In each, PAD is filled so that the face gets where a portion ends. */
const readers: Reader[] = [
  {
    name: "orders",
    file: (number) => `remark,number,customer name\nPAD,${number},a${face}b\n`,
    async read(csv, number) {
      expect((await org.post("/orders/import", { csv })).body.summary).toMatchObject({ created: 1, failed: 0 });
      return (await org.get(`/orders/${number}`)).body.customer.name;
    },
  },
  {
    name: "shipments",
    file: (number) => `remark,tracking,ship date,service\nPAD,${number},2026-03-01,a${face}b\n`,
    async read(csv, number) {
      expect((await org.post("/shipments/import", { csv })).body.summary).toMatchObject({ created: 1, failed: 0 });
      return (await org.get(`/shipments?trackingNumber=${number}`)).body.data[0].service;
    },
  },
  {
    name: "comparisons",
    file: (number) => `remark,tracking,cost,originzip,zip,service\nPAD,${number},1,07114,10001,a${face}b\n`,
    async read(csv, number) {
      const made = await org.post("/rate-comparisons/import", { name: number, carrierAccountId, csv });
      const [item] = (await itemsOf(`/rate-comparisons/${made.body.comparison.id}`)) as { serviceType: string }[];
      return item!.serviceType;
    },
  },
  {
    name: "rate cards",
    file: () => `remark of the maker,service,weight,2,service name\nPAD,GROUND,1,9.5,a${face}b\n`,
    async read(csv, number) {
      const header = { name: number, effectiveFrom: "2020-01-01", zoneScheme: "ups" };
      const made = await org.post(`/carrier-accounts/${carrierAccountId}/rate-cards`, { csv, header, isActive: false });
      return made.body.card.services[0].name;
    },
  },
  {
    name: "zone charts",
    file: () => `PAD,a title\ndest,a${face}b\n100-102,5\n`,
    async read(csv) {
      const chart = await chartFromCsv(csv, "070");
      return "rows" in chart ? chart.rows[0]!.service : chart.errors;
    },
  },
  {
    name: "csv bridge",
    file: (number) => `remark,number,customer name\nPAD,${number},a${face}b\n`,
    async read(csv) {
      const [page] = await pullAll(taskOf(csvBridge, "pull", "orders.import"), callFor({ input: { csv } }));
      return (page!.records[0]!.canonical as { customer: { name: string } }).customer.name;
    },
  },
];

test.each(readers)("$name: a character on the border of two chunks stays whole", async ({ file, read }) => {
  for (const [i, at] of [65_534, 65_535, 65_536, 131_071].entries()) {
    const number = `W-${i}`;
    const text = file(number);
    const csv = text.replace("PAD", "x".repeat(at - text.indexOf(face) + 3));
    expect(csv.indexOf(face)).toBe(at);
    expect(await read(csv, number)).toBe(`a${face}b`);
  }
});
