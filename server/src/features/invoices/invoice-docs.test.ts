import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { codeBlocks } from "../../testing/code-blocks.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/invoices.md"), "utf8");
const blockOf = (mark: string): object => codeBlocks(page, mark)[0]!.block as object;

const hub = await startTestHub();

test("the example of docs/invoices.md is what the hub answers", async () => {
  const org = await hub.org();
  const { body } = await org.post("/invoices/import", blockOf("json import"));
  expect(body).toMatchObject(blockOf("json answer"));
  const lines = await org.get(`/invoices/${body.invoices[0].id}/lines`);
  expect(lines.body.data[0]).toMatchObject(blockOf("json line"));
});

test("the audit of docs/invoices.md finds what the page says", async () => {
  const org = await hub.org();
  const account = await org.post("/carrier-accounts", { name: "Regional", carrier: "rate-card" });
  const card = await org.post(`/carrier-accounts/${account.body.id}/rate-cards`, { card: blockOf("json card") });
  expect(card.status, card.text).toBe(201);
  const { body } = await org.post("/invoices/import", blockOf("json audited"));
  const { id } = body.invoices[0];
  expect((await org.post(`/invoices/${id}/audit`, { carrierAccountId: account.body.id })).body.status).toBe(
    "completed",
  );
  const found = (await org.get(`/invoices/${id}/findings`)).body.data as { kind: string }[];
  expect(found.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))).toMatchObject(blockOf("json findings"));
  const parcel = await org.get(`/invoices/${id}/parcels/RP2`);
  expect(parcel.body).toMatchObject({ billed: 22.96, expected: 21.45, findingAmount: 1.51 });
});

test("the example of each kind in docs/invoices.md is found, and nothing else", async () => {
  const org = await hub.org();
  const account = await org.post("/carrier-accounts", { name: "Examples", carrier: "rate-card" });
  const card = await org.post(`/carrier-accounts/${account.body.id}/rate-cards`, { card: blockOf("json examples") });
  expect(card.status, card.text).toBe(201);
  const csv = /^```csv\n(.*?)^```$/ms.exec(page)![1]!;
  const { body } = await org.post("/invoices/import", { csv });
  const { id } = body.invoices[0];
  const audit = await org.post(`/invoices/${id}/audit`, { carrierAccountId: account.body.id });
  expect(audit.body).toMatchObject({ status: "completed", notAudited: [] });
  const expected = blockOf("json found") as { trackingNumber: string }[];
  const found = (await org.get(`/invoices/${id}/findings?limit=100`)).body.data as { trackingNumber: string }[];
  const byNumber = (a: { trackingNumber: string }, b: { trackingNumber: string }): number =>
    a.trackingNumber < b.trackingNumber ? -1 : 1;
  expect(found).toHaveLength(expected.length);
  expect(found.toSorted(byNumber)).toMatchObject(expected.toSorted(byNumber));
});
