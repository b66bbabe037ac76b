import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeBook } from "../../testing/invoices/invoice-book.ts";
import { writeFedex, writeUps } from "../../testing/invoices/write-invoices.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const root = await mkdtemp(path.join(tmpdir(), "invoice-folder-"));
afterAll(async () => await rm(root, { recursive: true }));
const hub = await startTestHub({
  settings: { outbound: { allowPrivate: false, allowFromPreview: false, filesRoot: root } },
});

/** A csv bridge with a folder for invoices, and one for orders. */
async function fixture() {
  const org = await hub.org();
  const folders = { invoices: path.join(root, org.id, "invoices"), orders: path.join(root, org.id, "orders") };
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
  const settings = { invoiceFolder: "invoices", importFolder: "orders" };
  const bridgeId = (await org.post("/bridges", { name: "Files", connector: "csv", settings })).body.id as string;
  return {
    org,
    bridgeId,
    put: async (name: string, content: string | Buffer, folder: keyof typeof folders = "invoices") =>
      await writeFile(path.join(folders[folder], name), content),
    files: async (below = "", folder: keyof typeof folders = "invoices") =>
      (await readdir(path.join(folders[folder], below))).toSorted(),
    execute: async (input: object = {}, taskName = "invoices.import") =>
      (await org.post("/tasks/execute-sync", { bridgeId, taskName, input })).body,
    invoices: async () => (await org.get("/invoices?limit=100")).body.data as { number: string; format: string }[],
    exceptions: async () => (await org.get("/exceptions")).body.data,
  };
}

test("invoices in the folder of a bridge are imported, and the same file again changes nothing", async () => {
  const { put, files, execute, invoices, exceptions } = await fixture();
  const [ups, fedex] = [makeBook({ seed: 61 }), makeBook({ seed: 62 })];
  await put("ups.csv", writeUps(ups, { cut: true }));
  await put("fedex.CSV", writeFedex(fedex, { delimiter: ";", decimalComma: true, bom: true }));
  const first = await execute();
  const all = ups.length + fedex.length;
  expect(first, JSON.stringify(first)).toMatchObject({
    status: "succeeded",
    result: { files: 2, created: all, unchanged: 0, failed: 0 },
  });
  const stored = await invoices();
  const numbers = [...ups, ...fedex].map(({ number }) => number);
  expect(stored.map(({ number }) => number).toSorted()).toEqual(numbers.toSorted());
  expect(new Set(stored.map(({ format }) => format))).toEqual(new Set(["ups", "fedex"]));
  expect([await files(), await files("processed")]).toEqual([["processed"], ["fedex.CSV", "ups.csv"]]);

  await put("again.csv", writeUps(ups));
  expect(await execute()).toMatchObject({
    status: "succeeded",
    result: { files: 1, created: 0, unchanged: ups.length, failed: 0 },
  });
  expect(await invoices()).toEqual(stored);
  expect(await files()).toEqual(["processed"]);
  expect(await exceptions()).toEqual([]);
  expect(await execute()).toMatchObject({ status: "succeeded", result: { files: 0, created: 0 } });
});

test("a refused file opens an exception and is set aside, the others are imported", async () => {
  const { put, files, execute, invoices, exceptions } = await fixture();
  const book = makeBook({ seed: 63 });
  const [known] = book;
  const changed = [{ ...known!, parcels: known!.parcels.slice(1) }];
  await put("a-orders.csv", "Order Number,SKU,Quantity\nA-1,MUG,1\n");
  await put("b-broken.xlsx", Buffer.from("PK\u0003\u0004 no workbook", "latin1"));
  await put("c-ups.csv", writeUps(book));
  expect(await execute()).toMatchObject({
    status: "completed_with_errors",
    result: { files: 3, created: book.length, failed: 2, failures: [{ externalId: "a-orders.csv" }, {}] },
  });
  expect(await invoices()).toHaveLength(book.length);
  expect([await files("failed"), await files("processed")]).toEqual([["a-orders.csv", "b-broken.xlsx"], ["c-ups.csv"]]);
  await put("d-ups.csv", writeUps(changed));
  expect(await execute()).toMatchObject({ result: { failed: 1, failures: [{ code: "invoice_differs" }] } });
  const open = (await exceptions()) as { kind: string; code: string; subject: { name: string } }[];
  expect(open.map(({ kind, code, subject }) => [subject.name, kind, code]).toSorted()).toEqual([
    ["a-orders.csv", "rejected_record", "unknown_format"],
    ["b-broken.xlsx", "rejected_record", "invalid_file"],
    ["d-ups.csv", "rejected_record", "invoice_differs"],
  ]);
  // Put right under the same name.
  await put("b-broken.xlsx", "invoice number,tracking number,net amount\nR-1,P1,9.80\n");
  expect(await execute({ carrier: "Regional Parcel" })).toMatchObject({ status: "succeeded", result: { created: 1 } });
  expect((await exceptions()).map(({ subject }: { subject: { name: string } }) => subject.name)).not.toContain(
    "b-broken.xlsx",
  );
});

test("files of an unknown shape are read with a preset; an unknown preset leaves them in the folder", async () => {
  const { org, put, files, execute, invoices } = await fixture();
  const mapping = { Rechnung: "invoiceNumber", Sendung: "trackingNumber", Betrag: "netAmount" };
  await org.post("/import-presets", { name: "Post", kind: "invoices", settings: { mapping, delimiter: "semicolon" } });
  await put("post.csv", "Rechnung;Sendung;Betrag\nR1;P1;1.234,50\n");
  expect(await execute({ preset: "Pots" })).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
  expect(await files()).toEqual(["post.csv"]);
  expect(await execute({ preset: "post", carrier: "Post" })).toMatchObject({ status: "succeeded" });
  expect(await invoices()).toMatchObject([{ number: "R1", amount: 1234.5, carrier: "Post" }]);
});

test("an invoice in a folder of orders is not read as orders", async () => {
  const { org, put, files, execute } = await fixture();
  const csv = writeFedex(makeBook({ seed: 64 }));
  await put("fedex.csv", csv, "orders");
  expect(await execute({}, "orders.import")).toMatchObject({
    status: "failed",
    error: { code: "invalid_file", message: expect.stringContaining("fedex.csv: This is the invoice of a carrier") },
  });
  expect(await files("failed", "orders")).toEqual(["fedex.csv"]);
  const upload = await org.post("/orders/import", { csv });
  expect([upload.status, upload.body.errors[0].code]).toEqual([400, "is_invoice"]);
  expect((await org.get("/orders")).body.data).toEqual([]);
});

test("the task runs on a schedule, for those who may import invoices; both folders cannot be one", async () => {
  const { org, bridgeId, put, files, invoices } = await fixture();
  await put("ups.csv", writeUps(makeBook({ seed: 65 })));
  const schedule = { name: "Invoices", bridgeId, taskName: "invoices.import", cron: "0 5 * * *" };
  const { status, body } = await org.post("/schedules", schedule);
  expect(status, JSON.stringify(body)).toBe(201);
  const caller = await org.withScopes(["tasks:execute"]);
  expect((await caller.post("/tasks/execute", { bridgeId, taskName: "invoices.import" })).status).toBe(403);
  const run = await org.post(`/schedules/${body.id}/trigger`, {});
  expect(run.status, JSON.stringify(run.body)).toBeLessThan(300);
  await expect.poll(async () => await files(), { timeout: 20_000 }).toEqual(["processed"]);
  expect((await invoices()).length).toBeGreaterThan(0);
  const refused = await org.patch(`/bridges/${bridgeId}`, {
    settings: { invoiceFolder: "orders", importFolder: "orders" },
  });
  expect([refused.status, refused.body.errors[0].code]).toEqual([400, "same_folder"]);
});
