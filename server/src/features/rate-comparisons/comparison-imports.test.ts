import { expect, test } from "vitest";
import { comparisonFixture } from "../../testing/comparison-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const { carrierAccountId, anAccount } = await comparisonFixture(hub, org);

const csv = "sendung;kosten;dienst;von;nach;datum\nS1;1.215,50;Ground;07114;90210;02.03.2026\n";
const mapping = {
  sendung: "trackingNumber",
  kosten: "netCost",
  dienst: "serviceType",
  von: "originZip",
  nach: "destinationZip",
  datum: "shipDate",
};
const asText = { headers: { "content-type": "text/csv" } };

test("a comparison is imported with a saved preset, in the body and in the query", async () => {
  const settings = { mapping, dateOrder: "dmy", decimalSeparator: ",", delimiter: "semicolon" };
  const preset = await org.post("/import-presets", { name: "Lager Nord", kind: "comparisons", settings });
  expect(preset.status, preset.text).toBe(201);
  const request = { name: "Q1", carrierAccountId, preset: "lager nord" };
  const made = await org.post("/rate-comparisons/import", { ...request, csv });
  expect(made.status, made.text).toBe(201);
  expect(made.body.sample[0].item).toMatchObject({ trackingNumber: "S1", netCost: 1215.5, shipDate: "2026-03-02" });
  const query = new URLSearchParams({ name: "Q1", carrierAccountId, preset: preset.body.id });
  const raw = await org.post(`/rate-comparisons/import?${query.toString()}`, undefined, { rawBody: csv, ...asText });
  expect(raw.status, raw.text).toBe(201);
  expect(raw.body.sample).toEqual(made.body.sample);
  const unknown = await org.post("/rate-comparisons/import", { ...request, preset: "Lager Süd", csv });
  expect(unknown.body.errors[0]).toMatchObject({ pointer: "/preset", code: "unknown_preset" });
  // A preset of another kind is none.
  await org.post("/import-presets", { name: "Bills", kind: "invoices", settings: { carrier: "Regional" } });
  expect((await org.post("/rate-comparisons/import", { ...request, preset: "Bills", csv })).status).toBe(400);
  expect((await org.get("/import-presets?kind=comparisons")).body.data).toHaveLength(1);
});

test("a file with several contracts in the query", async () => {
  const targets = [
    { carrierAccountId, name: "Now" },
    { carrierAccountId: await anAccount(), name: "Offer" },
  ];
  const plain = "tracking,cost,service,origin zip,destination zip\nS1,15,Ground,07114,90210\n";
  const sourceCarrierAccountId = await anAccount();
  const send = (given: string) => {
    const query = new URLSearchParams({ name: "Q1", targets: given, sourceCarrierAccountId });
    return org.post(`/rate-comparisons/import?${query.toString()}`, undefined, { rawBody: plain, ...asText });
  };
  const made = await send(JSON.stringify(targets));
  expect(made.status, made.text).toBe(201);
  expect(made.body.comparison).toMatchObject({ targets, sourceCarrierAccountId });
  expect((await send("{")).body.errors[0].pointer).toBe("query/targets");
  expect((await send('[{"name": "Now"}]')).body.errors[0].pointer).toContain("query/targets/0");
  const eleven = Array.from({ length: 11 }, () => targets[0]);
  expect((await send(JSON.stringify(eleven))).status).toBe(400);
});
