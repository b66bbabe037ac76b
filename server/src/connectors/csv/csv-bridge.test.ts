import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createFinder } from "../../core/validation.ts";
import { OrderRequest } from "../../features/orders/orders.schemas.ts";
import { callFor, importAll, pullAll, taskOf } from "../../testing/connector-calls.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import type { Call, PulledRecord } from "../connector.ts";
import { csv } from "./csv-bridge.ts";

const importOrders = taskOf(csv, "pull", "orders.import");
const exportOrders = taskOf(csv, "push", "orders.export");

const base = await mkdtemp(path.join(tmpdir(), "csv-bridge-"));
afterAll(async () => await rm(base, { recursive: true }));
const filesRoot = path.join(base, "files");
const folder = path.join(filesRoot, "in");
beforeEach(async () => {
  await rm(filesRoot, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
});

async function put(name: string, text: string | Buffer, ageSeconds = 0): Promise<void> {
  await writeFile(path.join(folder, name), text);
  const at = new Date(Date.parse("2026-03-01T00:00:00Z") - ageSeconds * 1000);
  await utimes(path.join(folder, name), at, at);
}

function sheet(from: number, count: number): string {
  const rows = Array.from({ length: count }, (_, i) => `N-${from + i},SKU-1,${1 + (i % 3)},Ada Byron`);
  return ["Order Number,SKU,Quantity,Customer Name", ...rows].join("\n");
}

const inFolder: Partial<Call> = { settings: { importFolder: "in" }, filesRoot };

test("orders are read from a text: rows with one number are one order, valid for POST /orders", async () => {
  const text = "Order Number;SKU;Qty;Ship City\nA-1;MUG;2;Albany\nA-1;TEE;1;Albany\nA-2;MUG;1;Reno\n";
  const [page] = await pullAll(importOrders, callFor({ input: { csv: text } }));
  expect(page!.records.map(({ externalId }) => externalId)).toEqual(["A-1", "A-2"]);
  expect(page!.records[0]!.canonical).toMatchObject({
    number: "A-1",
    externalId: "A-1",
    shippingAddress: { city: "Albany" },
    lines: [
      { sku: "MUG", quantity: 2 },
      { sku: "TEE", quantity: 1 },
    ],
  });
  expect(page!.records[0]!.raw).toEqual({
    rows: [
      { "Order Number": "A-1", SKU: "MUG", Qty: "2", "Ship City": "Albany" },
      { "Order Number": "A-1", SKU: "TEE", Qty: "1", "Ship City": "Albany" },
    ],
  });
  const find = createFinder(OrderRequest, "body");
  expect(page!.records.flatMap(({ canonical }) => find(canonical))).toEqual([]);
});

test("a sample leaves all files in place, unreadable ones too", async () => {
  await put("a.csv", sheet(1, 2), 20);
  await put("b.csv", "Order Number,Quantity\nB-1,many\n", 10);
  const pages = pullAll(importOrders, callFor({ ...inFolder, isSample: true }));
  await expect(pages).rejects.toThrow("b.csv");
  expect((await readdir(folder)).toSorted()).toEqual(["a.csv", "b.csv"]);
});

test("columns can be named, and the same text is read again when it is sent again", async () => {
  const input = { csv: "Nr,Artikel\n7,MUG\n", mapping: { Nr: "number", Artikel: "line.sku" } };
  const [page] = await pullAll(importOrders, callFor({ input }));
  expect(page!.records).toMatchObject([{ externalId: "7", canonical: { lines: [{ sku: "MUG", quantity: 1 }] } }]);
  const again = await pullAll(importOrders, callFor({ input }), page!.cursor);
  expect(again).toEqual([page]);
});

test("readable rows of a text are returned, and errors for the others", async () => {
  const text = "Order Number,SKU,Quantity\nA-1,MUG,many\nA-2,MUG,1\nA-3,TEE,few\n";
  const [page] = await pullAll(importOrders, callFor({ input: { csv: text } }));
  expect(page!.records.map(({ externalId }) => externalId)).toEqual(["A-2"]);
  expect(page!.failures).toMatchObject([
    { externalId: "A-1", message: "Row 2, Quantity: many is not a number." },
    { externalId: "A-3", message: "Row 4, Quantity: few is not a number." },
  ]);
  await expect(pullAll(importOrders, callFor({ input: { csv: "x,y\n1,2\n" } }))).rejects.toMatchObject({
    message: expect.stringContaining("No column has a known name"),
  });
  await expect(pullAll(importOrders, callFor({}))).rejects.toMatchObject({ code: "nothing_to_read" });
});

test("files are read oldest first and moved after they are stored", async () => {
  await put("b.csv", sheet(1, 2), 10);
  await put("a.csv", sheet(10, 2), 5);
  await put("notes.txt", "no orders");
  const pages = await pullAll(importOrders, callFor(inFolder));
  expect(pages.flatMap(({ records }) => records.map(({ externalId }) => externalId))).toEqual([
    "N-1",
    "N-2",
    "N-10",
    "N-11",
  ]);
  expect((await readdir(folder)).toSorted()).toEqual(["notes.txt", "processed"]);
  expect((await readdir(path.join(folder, "processed"))).toSorted()).toEqual(["a.csv", "b.csv"]);
  expect(await pullAll(importOrders, callFor(inFolder), pages.at(-1)!.cursor)).toMatchObject([{ records: [] }]);
});

test("a strict bridge imports nothing of a file with an assumption", async () => {
  await put("a.csv", "Order Number,SKU,Quantity\nA-1,MUG,1\nA-2,MUG,\n,TEE,2\n", 10);
  await put("b.csv", "Order Number,SKU,Quantity\nB-1,MUG,1\n");
  const settings = { importFolder: "in", strict: true };
  const pages: string[] = [];
  const pull = async (): Promise<void> => {
    for await (const { records } of importOrders.pull(callFor({ ...inFolder, settings }), undefined)) {
      pages.push(...records.map(({ externalId }) => externalId));
    }
  };
  await expect(pull()).rejects.toThrow(/a\.csv: Row 3, Quantity: .* Row 4, Order Number: /);
  expect(pages).toEqual(["B-1"]);
  expect(await readdir(path.join(folder, "failed"))).toEqual(["a.csv"]);
  expect(await readdir(path.join(folder, "processed"))).toEqual(["b.csv"]);
  const input = { csv: "SKU,Quantity\nMUG,1\n", strict: true };
  await expect(pullAll(importOrders, callFor({ input }))).rejects.toThrow("There is no order number column");
});

test("a file in a Windows encoding keeps its letters", async () => {
  const text = "Order Number,Customer Name,SKU\nW-1,Jörg Müller – Café,MUG\n";
  await put("windows.csv", Buffer.from(text.replace("–", "\u0096"), "latin1"), 10);
  await put("utf8.csv", text.replace("W-1", "U-1"));
  const pages = await pullAll(importOrders, callFor(inFolder));
  expect(pages.flatMap(({ records }) => records.map(({ canonical }) => canonical))).toMatchObject([
    { number: "W-1", customer: { name: "Jörg Müller – Café" } },
    { number: "U-1", customer: { name: "Jörg Müller – Café" } },
  ]);
});

test("columns that were not read are named in the log", async () => {
  const said: string[] = [];
  const call = callFor({
    input: { csv: "Order ID,Order Number,Colour\n17,A-1,red\n" },
    log: (level, message) => said.push(`${level}: ${message}`),
  });
  const [page] = await pullAll(importOrders, call);
  expect(page!.records.map(({ externalId }) => externalId)).toEqual(["A-1"]);
  expect(said).toEqual(["warn: Ignored columns: Order ID, Colour."]);
});

test("an interrupted import continues after the last stored page, and finally moves the file", async () => {
  await put("big.csv", sheet(1, 1200), 10);
  await put("small.csv", sheet(5000, 3));
  const whole = new Set([...Array.from({ length: 1200 }, (_, i) => `N-${1 + i}`), "N-5000", "N-5001", "N-5002"]);
  for (const pagesBefore of [1, 2, 3]) {
    const seen: string[] = [];
    const first = await pullAll(importOrders, callFor(inFolder), undefined, pagesBefore);
    seen.push(...first.flatMap(({ records }) => records.map(({ externalId }) => externalId)));
    expect(await readdir(folder)).toContain("big.csv");
    const rest = await pullAll(importOrders, callFor(inFolder), first.at(-1)!.cursor);
    seen.push(...rest.flatMap(({ records }) => records.map(({ externalId }) => externalId)));
    expect(seen.length).toBe(whole.size);
    expect(new Set(seen)).toEqual(whole);
    expect((await readdir(folder)).toSorted()).toEqual(["processed"]);
    await rm(path.join(folder, "processed"), { recursive: true });
    await put("big.csv", sheet(1, 1200), 10);
    await put("small.csv", sheet(5000, 3));
  }
});

test("an unreadable file is set aside and reported, without delaying the others", async () => {
  await put("bad.csv", "Order Number,SKU,Quantity\nA-1,MUG,many\n", 10);
  await put("good.csv", sheet(1, 2));
  const store = new Map<string, PulledRecord>();
  await expect(importAll(importOrders, callFor(inFolder), store)).rejects.toMatchObject({
    code: "invalid_file",
    message: expect.stringContaining("bad.csv: Row 2"),
  });
  expect([...store.keys()]).toEqual(["N-1", "N-2"]);
  expect(await readdir(path.join(folder, "failed"))).toEqual(["bad.csv"]);
});

test("a second file with the same name is read too, and the first is kept", async () => {
  await put("day.csv", sheet(1, 1), 10);
  const pages = await pullAll(importOrders, callFor(inFolder));
  await put("day.csv", sheet(2, 1));
  const more = await pullAll(importOrders, callFor(inFolder), pages.at(-1)!.cursor);
  expect(more.flatMap(({ records }) => records.map(({ externalId }) => externalId))).toEqual(["N-2"]);
  expect((await readdir(path.join(folder, "processed"))).length).toBe(2);
});

test("nothing outside of the files folder is read or written, with any settings and links", async () => {
  const outside = path.join(base, "outside");
  await mkdir(outside, { recursive: true });
  await writeFile(path.join(outside, "secret.csv"), sheet(1, 1));
  await symlink(outside, path.join(filesRoot, "link"));
  await symlink(path.join(outside, "secret.csv"), path.join(folder, "link.csv"));
  for (const importFolder of ["../outside", "link", "in/../../outside"]) {
    const call = callFor({ settings: { importFolder, exportFolder: importFolder }, filesRoot });
    await expect(pullAll(importOrders, call), importFolder).rejects.toMatchObject({ code: "outside_files_dir" });
    await expect(exportOrders.send(call, { number: "1" }, "k")).rejects.toMatchObject({ code: "outside_files_dir" });
  }
  expect(await pullAll(importOrders, callFor(inFolder))).toMatchObject([{ records: [] }]);
  expect(await readdir(outside)).toEqual(["secret.csv"]);
  const { filesRoot: _, ...withoutRoot } = inFolder;
  await expect(pullAll(importOrders, callFor(withoutRoot))).rejects.toMatchObject({ code: "files_disabled" });
});

test("an organization can access only its own folder, and days are in its time zone", async () => {
  const root = path.join(base, "shared");
  const hub = await startTestHub({
    settings: { outbound: { allowPrivate: false, allowFromPreview: false, filesRoot: root } },
  });
  const [owner, stranger] = [await hub.org(), await hub.org()];
  await mkdir(path.join(root, owner.id, "in"), { recursive: true });
  await owner.patch(`/organizations/${owner.id}`, { timezone: "America/New_York" });
  const dated = "Order Number,SKU,Quantity,Order Date\nN-1,MUG,1,2026-03-01\nN-2,MUG,1,2026-03-01 22:30\n";
  await writeFile(path.join(root, owner.id, "in", "day.csv"), dated);
  const importBy = async (org: typeof owner, importFolder: string) => {
    const { body } = await org.post("/bridges", { name: importFolder, connector: "csv", settings: { importFolder } });
    return (await org.post("/tasks/execute-sync", { bridgeId: body.id, taskName: "orders.import" })).body;
  };
  for (const name of ["in", `${owner.id}/in`]) {
    expect((await importBy(stranger, name)).error).toMatchObject({ code: "folder_missing" });
  }
  expect(await importBy(owner, "in")).toMatchObject({ status: "succeeded", result: { created: 2 } });
  const orderedAt = async (number: string) => (await owner.get(`/orders/${number}`)).body.orderedAt;
  expect(await orderedAt("N-1")).toBe("2026-03-01T05:00:00.000Z");
  expect(await orderedAt("N-2")).toBe("2026-03-02T03:30:00.000Z");
});

test("rejected rows are written to a separate file with the reason, and the others are imported", async () => {
  const root = path.join(base, "rejecting");
  const hub = await startTestHub({
    settings: { outbound: { allowPrivate: false, allowFromPreview: false, filesRoot: root } },
  });
  const org = await hub.org();
  const incoming = path.join(root, org.id, "in");
  await mkdir(incoming, { recursive: true });
  // One cannot be read, one is read and refused.
  const text = "Order Number,SKU,Quantity,Status\nA-1,MUG,many,\nA-2,MUG,1,\nA-3,MUG,1,redy\n";
  await writeFile(path.join(incoming, "day.csv"), text);
  const settings = { importFolder: "in" };
  const bridgeId = (await org.post("/bridges", { name: "Files", connector: "csv", settings })).body.id;
  const { body } = await org.post("/tasks/execute-sync", { bridgeId, taskName: "orders.import" });
  expect(body).toMatchObject({ status: "completed_with_errors", result: { fetched: 3, created: 1, failed: 2 } });
  const open = async () =>
    ((await org.get("/exceptions")).body.data as { subject: { name: string } }[]).map(({ subject }) => subject.name);
  expect((await open()).toSorted()).toEqual(["A-1", "A-3"]);
  expect(body.result.failures.map(({ externalId }: { externalId: string }) => externalId)).toEqual(["A-1", "A-3"]);
  expect((await readdir(incoming)).toSorted()).toEqual(["processed", "rejected"]);
  const [name] = await readdir(path.join(incoming, "rejected"));
  const rows = (await readFile(path.join(incoming, "rejected", name!), "utf8")).trimEnd().split("\r\n");
  expect(rows[0]).toBe("Order Number,SKU,Quantity,Status,error");
  expect(rows[1]).toBe("A-1,MUG,many,,Quantity: many is not a number.");
  expect(rows[2]).toMatch(/^A-3,MUG,1,redy,.+/);
  // Put right and laid back, it is read.
  await writeFile(path.join(incoming, "again.csv"), rows.join("\n").replace("many", "2").replace("redy", "ready"));
  const again = (await org.post("/tasks/execute-sync", { bridgeId, taskName: "orders.import" })).body;
  expect(again).toMatchObject({ status: "succeeded", result: { created: 2, failed: 0 } });
  expect(await open()).toEqual([]);
});

test("settings with folders are rejected if the hub allows no files; paths that climb up are always rejected", () => {
  expect(csv.check!({ importFolder: "in" }, { allowPrivate: false })).toMatchObject([{ code: "files_disabled" }]);
  const limits = { allowPrivate: false, filesRoot };
  expect(csv.check!({ importFolder: "in", exportFolder: "a/../../b" }, limits)).toMatchObject([
    { pointer: "/exportFolder", code: "outside_files_dir" },
  ]);
});

test("an order becomes one file that can be imported, also if it is sent repeatedly", async () => {
  await mkdir(path.join(filesRoot, "out"));
  const call = callFor({ settings: { exportFolder: "out", importFolder: "out" }, filesRoot });
  const order = {
    number: "=1+1/../x",
    status: "ready",
    tags: ["a, c", "b"],
    customer: { name: "=cmd()", email: "a@b.example" },
    shippingAddress: { city: "München", zip: "01234", countryCode: "DE" },
    lines: [
      { sku: "MUG", quantity: 2, price: 9.5 },
      { sku: "TEE", quantity: 1 },
    ],
  };
  const sent = await exportOrders.send(call, order, "key-1");
  expect(await exportOrders.send(call, order, "key-1")).toEqual(sent);
  const files = await readdir(path.join(filesRoot, "out"));
  expect(files).toEqual([sent.externalId]);
  // It has a name and an address in it.
  expect((await stat(path.join(filesRoot, "out", files[0]!))).mode & 0o777).toBe(0o600);
  expect(await readFile(path.join(filesRoot, "out", files[0]!), "utf8")).toContain("'=cmd()");
  const [page] = await pullAll(importOrders, call);
  expect(page!.records[0]!.canonical).toMatchObject({ ...order, externalId: "=1+1/../x" });
});

test("without a folder the file is in the result", async () => {
  const sent = await exportOrders.send(callFor({}), { number: "A-1", lines: [{ sku: "MUG", quantity: 1 }] }, "k");
  expect(sent.details).toMatchObject({ csv: expect.stringContaining("A-1") });
});

test("the connection test counts the waiting files", async () => {
  await put("a.csv", sheet(1, 1));
  const connection = taskOf(csv, "call", "connection.test");
  expect(await connection.run(callFor(inFolder))).toEqual({ ok: true, importFolder: { files: 1 } });
  await expect(connection.run(callFor({ ...inFolder, settings: { importFolder: "no" } }))).rejects.toMatchObject({
    code: "folder_missing",
  });
});
