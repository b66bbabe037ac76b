import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { drawLabel } from "../../carriers/demo/demo-label.ts";
import type { LabelFile } from "../../carriers/seam/labels.ts";
import { workOff } from "../../queue/work.ts";
import { gifLabel, pngLabel } from "../../testing/carriers/label-files.ts";
import { readPdf } from "../../testing/read-pdf.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { labelWork } from "../labels/labels.ts";
import { applyLabelResults } from "../operations/operations.ts";
import { lockWaits } from "../../testing/lock-waits.ts";

const hub = await startTestHub();
const org = await hub.org();
const script = scriptLabels();
const carrierAccountId: string = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id;
const location: string = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id;

const image = { carrier: "demo", service: "ground", trackingNumber: "1Z1", to: "Albany" };
const lying = { width: 160, height: 40 };
const png: LabelFile = { contentType: "image/png", content: pngLabel(image, lying) };
const gif: LabelFile = { contentType: "image/gif", content: gifLabel(image, lying) };
const zpl = (text: string): LabelFile => ({ contentType: "application/zpl", content: Buffer.from(`^XA${text}^XZ`) });
const pdf = (content: Buffer): LabelFile => ({ contentType: "application/pdf", content });
/** A label PDF with another page size. */
const pdfOf = (width: number, height: number, more = ""): LabelFile =>
  pdf(Buffer.from(drawLabel(["SIZED"]).toString("latin1").replace("[0 0 288 432]", `[0 0 ${width} ${height}]${more}`)));

type Bought = { id: string; trackingNumber: string; version: number };

/** The carrier sells the next label with these files, one for each parcel. */
function sellNext(files: (LabelFile | null)[], customs?: LabelFile): void {
  script.nextTurns.push({
    after: (label) => ({
      ...label,
      parcels: label.parcels.map((parcel, index) => ({ ...parcel, file: files[index] ?? null })),
      ...(customs && { documents: [{ kind: "customs" as const, file: customs }] }),
    }),
  });
}

async function buy(more: object = {}): Promise<Bought> {
  const { status, body } = await org.post("/shipments/labels", { ...aParcel, carrierAccountId, ...more });
  expect(status).toBe(201);
  return body.label;
}
async function buyWith(...files: (LabelFile | null)[]): Promise<Bought> {
  sellNext(files);
  const parcels = files.map(() => ({ weight: aParcel.weight }));
  return await buy(files.length === 1 ? {} : { weight: undefined, parcels });
}

const anOrder = async (more: object = {}) =>
  (
    await org.post("/orders", {
      status: "ready",
      shippingAddress: aParcel.to,
      lines: [{ sku: "MUG-01", quantity: 1, weight: { value: 300, unit: "g" } }],
      locationId: location,
      shipping: { carrierAccountId, carrier: "demo", service: "NAT_GROUND" },
      ...more,
    })
  ).body;

/** Binary, so not through the test client. */
async function print(body: object, token = org.token): Promise<Response> {
  return await fetch(`${hub.url}/api/v1/shipments/labels/documents`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
async function pagesOf(body: object) {
  const response = await print(body);
  expect(response.status).toBe(200);
  return await readPdf(new Uint8Array(await response.arrayBuffer()));
}
/** The tracking number on each page. */
const numbersOn = async (body: object) =>
  (await pagesOf(body)).map(({ text }) => /DM1\d{17}/.exec(text)?.[0] ?? "none");
const refusalOf = async (body: object) => (await org.post("/shipments/labels/documents", body)).body;
const problemsOf = (body: { errors: { pointer: string; code: string }[] }) =>
  body.errors.map(({ pointer, code }) => [pointer, code]);
const read = async (id: string) => (await org.get(`/shipments/labels/${id}`)).body;
const ids = (labels: { id: string }[]) => labels.map(({ id }) => id);
const numbers = (labels: { trackingNumber: string }[]) => labels.map(({ trackingNumber }) => trackingNumber);

describe("labels as one PDF file", () => {
  test("come in the given order, one 4 x 6 page each, and are marked as printed", async () => {
    const [first, second, third] = [await buy(), await buy(), await buy()];
    const given = [third, first, second];
    const response = await print({ labelIds: ids(given) });
    expect(response.headers.get("content-type")).toBe("application/pdf");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="labels.pdf"');
    expect(response.headers.get("hub-labels-skipped")).toBe("0");
    const pages = await readPdf(new Uint8Array(await response.arrayBuffer()));
    expect(pages.map(({ width, height }) => [width, height])).toEqual([1, 2, 3].map(() => [288, 432]));
    expect(pages.map(({ text }) => /DM1\d{17}/.exec(text)![0])).toEqual(numbers(given));
    const printed = await read(first.id);
    expect(printed).toMatchObject({ printCount: 1, version: first.version + 1 });
    expect(Date.parse(printed.printedAt)).toBeGreaterThan(Date.now() - 60_000);
    const { data } = (await org.get(`/audit?objectId=${first.id}&type=label.printed`)).body;
    expect(data).toMatchObject([{ data: { trackingNumber: first.trackingNumber, version: printed.version } }]);
  });

  test("can be printed again, which is counted; the first time stays", async () => {
    const label = await buy();
    await pagesOf({ labelIds: [label.id] });
    const once = await read(label.id);
    hub.advance(60_000);
    await pagesOf({ labelIds: [label.id] });
    expect(await read(label.id)).toMatchObject({ printedAt: once.printedAt, printCount: 2 });
  });

  test("have one page for each parcel, and images fill the page", async () => {
    const label = await buyWith(png, gif, pdfOf(288, 432));
    const pages = await pagesOf({ labelIds: [label.id] });
    expect(pages.map(({ width, height, images }) => [width, height, images])).toEqual([
      [288, 432, 1],
      [288, 432, 1],
      [288, 432, 0],
    ]);
    // Images of 160 x 40 pixels lie on their side: turned clockwise, as long as the page.
    const turned = [[0, -432, 108, 0, 90, 432]];
    expect(pages.map(({ placed }) => placed)).toEqual([turned, turned, []]);
  });

  test("turn landscape and rotated PDF pages, and do not enlarge them", async () => {
    const [landscape, marked, small] = [pdfOf(432, 288), pdfOf(288, 432, " /Rotate 180"), pdfOf(200, 300)];
    const label = await buyWith(landscape, marked, small);
    const pages = await pagesOf({ labelIds: [label.id] });
    expect(pages.map(({ placed }) => placed[0])).toEqual([
      [0, -1, 1, 0, 0, 432],
      [-1, 0, 0, -1, 288, 432],
      [1, 0, 0, 1, 44, 66],
    ]);
  });

  test("go two on a letter or A4 page; a label for a whole page has one of its own, in its place", async () => {
    const labels = [await buy(), await buyWith(png), await buyWith(pdfOf(612, 792)), await buy()];
    const pages = await pagesOf({ labelIds: ids(labels), size: "letter" });
    expect(pages.map(({ width, height }) => [width, height])).toEqual([1, 2, 3].map(() => [612, 792]));
    expect(pages.map(({ placed }) => placed.length)).toEqual([2, 0, 1]);
    expect(pages[0]!.placed).toEqual([
      [0, -1, 1, 0, 90, 738],
      [432, 0, 0, 108, 90, 144],
    ]);
    expect(pages[2]!.text).toContain(labels[3]!.trackingNumber);
    const a4 = await pagesOf({ labelIds: ids([labels[0]!, labels[3]!]), size: "a4" });
    expect(a4.map(({ width, height }) => [width, height])).toEqual([[595.28, 841.89]]);
  });

  test("are followed by customs documents in their own size if these are included", async () => {
    sellNext([pdfOf(288, 432)], pdfOf(612, 792));
    const [label, other] = [await buy(), await buy()];
    const sizes = async (body: object) =>
      (await pagesOf({ labelIds: ids([label, other]), ...body })).map((p) => p.width);
    expect(await sizes({})).toEqual([288, 288]);
    expect(await sizes({ include: ["receipt"] })).toEqual([288, 288]);
    expect(await sizes({ include: ["customs"] })).toEqual([288, 612, 288]);
  });
});

test("ZPL labels are joined as they are", async () => {
  const [first, second] = [await buyWith(zpl("A"), zpl("B")), await buyWith(zpl("C"))];
  const response = await print({ labelIds: ids([second, first]), format: "zpl" });
  expect(response.headers.get("content-type")).toBe("application/zpl");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="labels.zpl"');
  expect(await response.text()).toBe("^XAC^XZ\n^XAA^XZ\n^XAB^XZ\n");
  expect(problemsOf(await refusalOf({ labelIds: [first.id], format: "zpl", size: "a4" }))).toEqual([
    ["/size", "pdf_only"],
  ]);
});

describe("labels that cannot be printed", () => {
  test("are named, with the reason, and nothing is printed", async () => {
    const [good, voided, waiting] = [await buy(), await buy(), await anOrder()];
    await org.delete(`/shipments/labels/${voided.id}`);
    const { body: run } = await org.post("/operations/run", {
      order_ids: [waiting.id],
      actions: [{ type: "buy_label" }],
    });
    const [requested] = run.results[0].steps[0].label_ids as string[];
    const [fileless, forPrinter] = [await buyWith(null), await buyWith(zpl("A"))];
    const unknown = randomUUID();
    const labelIds = [good.id, voided.id, requested!, fileless.id, forPrinter.id, unknown];
    const refusal = await refusalOf({ labelIds });
    expect(refusal).toMatchObject({ status: 409, code: "labels_not_printable" });
    expect(problemsOf(refusal).toSorted()).toEqual([
      ["/labelIds/1", "voided"],
      ["/labelIds/2", "not_purchased"],
      ["/labelIds/3", "no_file"],
      ["/labelIds/4", "wrong_format"],
      ["/labelIds/5", "label_not_found"],
    ]);
    const about = (code: string) => refusal.errors.find((one: { code: string }) => one.code === code).message;
    expect(about("wrong_format")).toContain(forPrinter.id);
    expect(about("wrong_format")).toContain("Print it with the format zpl.");
    expect(about("label_not_found")).toContain(unknown);
    expect(await read(good.id)).toMatchObject({ printedAt: null, printCount: 0 });
    const others = await print({ labelIds, skipUnavailable: true });
    expect([others.status, others.headers.get("hub-labels-skipped")]).toEqual([200, "5"]);
    expect(await read(good.id)).toMatchObject({ printCount: 1 });
    expect(await read(forPrinter.id)).toMatchObject({ printedAt: null, printCount: 0 });
    expect(await refusalOf({ labelIds: [voided.id], skipUnavailable: true })).toMatchObject({
      status: 400,
      code: "nothing_to_print",
      errors: [{ code: "voided" }],
    });
    await settle();
  });

  test("because their file is damaged, gone, or too large for the paper, are named as well", async () => {
    const cut = { ...png, content: png.content.subarray(0, 60) };
    const flipped = { ...png, content: Buffer.from(png.content) };
    flipped.content[png.content.length - 30]! ^= 1;
    const damaged = [
      pdf(Buffer.from("%PDF-1.4 nothing else")),
      cut,
      flipped,
      { ...gif, content: gif.content.subarray(0, 300) },
    ];
    const labels: Bought[] = [];
    for (const file of damaged) labels.push(await buyWith(file));
    const whole = await buyWith(png, damaged[0]!);
    const letter = await buyWith(pdfOf(612, 792));
    const removed = await buy();
    await hub.world.db.query("update shipment_labels set content = null where id = $1", [removed.id]);
    const good = await buy();
    const labelIds = ids([...labels, whole, letter, removed, good]);
    expect(problemsOf(await refusalOf({ labelIds }))).toEqual([
      ...[0, 1, 2, 3, 4].map((at) => [`/labelIds/${at}`, "unreadable_file"]),
      ["/labelIds/5", "too_large"],
      ["/labelIds/6", "no_file"],
    ]);
    expect(await read(good.id)).toMatchObject({ printCount: 0 });
    // The first parcel of a label is not printed without the second.
    expect(await numbersOn({ labelIds, skipUnavailable: true })).toEqual([good.trackingNumber]);
    expect(await pagesOf({ labelIds: [letter.id], size: "letter" })).toHaveLength(1);
  });

  test("because they are being voided are refused, also if that began while the file was made", async () => {
    const label = await buy();
    const voiding = hub.world.db.transaction(async (tx) => {
      await tx.query("select from shipment_labels where id = $1 for update", [label.id]);
      const printing = refusalOf({ labelIds: [label.id] });
      await lockWaits(hub.world.db);
      await tx.query("update shipment_labels set void_requested_at = now() where id = $1", [label.id]);
      return { printing };
    });
    expect(await (await voiding).printing).toMatchObject({ status: 409, code: "conflict" });
    expect(problemsOf(await refusalOf({ labelIds: [label.id] }))).toEqual([["/labelIds/0", "void_pending"]]);
    expect(await read(label.id)).toMatchObject({ printCount: 0 });
  });

  test("because there are too many are refused with what is possible", async () => {
    const label = await buy();
    const big = `update shipment_labels set content_bytes = 65 * 1024 * 1024,
      parcels = jsonb_set(parcels, '{0,contentBytes}', to_jsonb(65 * 1024 * 1024)) where id = $1`;
    await hub.world.db.query(big, [label.id]);
    const refusal = await refusalOf({ labelIds: [label.id] });
    expect(refusal).toMatchObject({ status: 400, code: "too_many_labels" });
    expect(refusal.detail).toContain("at most 64");
    const many = `update shipment_labels set
      parcels = (select jsonb_agg(lead) from (select parcels -> 0 as lead) one, generate_series(1, 1001)) where id = $1`;
    await hub.world.db.query(many, [label.id]);
    expect((await refusalOf({ labelIds: [label.id] })).detail).toContain("1001 parcels");
  });
});

/** Asks the carrier for the labels of runs, and tells the runs. */
async function settle(): Promise<void> {
  await workOff(hub.world, labelWork);
  await applyLabelResults(hub.world, new AbortController().signal);
}

async function labelOf(orderId: string): Promise<Bought> {
  return (await org.get(`/shipments/labels?orderId=${orderId}&status=purchased`)).body.data[0];
}

describe("the labels to print", () => {
  test("are those of a run, in its order", async () => {
    const orders = [await anOrder(), await anOrder(), await anOrder()];
    const order_ids = [orders[2].id, orders[0].id, orders[1].id];
    const { body: run } = await org.post("/operations/run", { order_ids, actions: [{ type: "buy_label" }] });
    expect(problemsOf(await refusalOf({ runId: run.id }))).toEqual(order_ids.map(() => ["/runId", "not_purchased"]));
    await settle();
    const labels = await Promise.all(order_ids.map(labelOf));
    expect(await numbersOn({ runId: run.id })).toEqual(numbers(labels));
    await org.delete(`/shipments/labels/${labels[1]!.id}`);
    expect(await numbersOn({ runId: run.id })).toEqual(numbers([labels[0]!, labels[2]!]));
    const other = (
      await org.post("/operations/run", { order_ids, actions: [{ type: "add_tags", params: { tags: ["x"] } }] })
    ).body;
    expect((await refusalOf({ runId: other.id })).code).toBe("nothing_to_print");
    expect((await refusalOf({ runId: randomUUID() })).code).toBe("operation_run_not_found");
  });

  test("are those of orders, a filter or a selection", async () => {
    const tag = `print-${randomUUID().slice(0, 8)}`;
    const orders = [await anOrder({ tags: [tag] }), await anOrder({ tags: [tag] })];
    const labels: Bought[] = [];
    for (const order of orders) labels.push(await buy({ orderId: order.id, to: undefined, from: undefined }));
    const bare = await anOrder({ tags: [tag] });
    const orderIds = [orders[1].number, orders[0].id];
    expect(await numbersOn({ orderIds })).toEqual(numbers([labels[1]!, labels[0]!]));
    const refusal = await refusalOf({ orderIds: [...orderIds, bare.number, "NO-SUCH"] });
    expect(problemsOf(refusal)).toEqual([
      ["/orderIds/2", "no_label"],
      ["/orderIds/3", "order_not_found"],
    ]);
    expect(await numbersOn({ filter: { tag } })).toEqual(numbers(labels));
    const { body: selection } = await org.post("/operations/selections", { filter: { tag } });
    expect(await numbersOn({ selectionId: selection.id })).toEqual(numbers(labels));
    expect((await refusalOf({ selectionId: randomUUID() })).code).toBe("selection_not_found");
    expect((await refusalOf({ filter: { tag: "nothing-has-this" } })).code).toBe("nothing_to_print");
    expect(problemsOf(await refusalOf({}))).toEqual([["/labelIds", "required"]]);
    expect(problemsOf(await refusalOf({ orderIds, filter: {} }))).toEqual([["/filter", "one_of"]]);
  });

  test("are sorted by SKU, location or purchase, and printed in parts", async () => {
    const newark: string = (await org.post("/locations", { name: "Albany dock", address: aParcel.from })).body.id;
    const weight = { value: 300, unit: "g" };
    const line = (sku: string, quantity = 1) => ({ sku, quantity, weight });
    const orders = [
      await anOrder({ lines: [line("B-2")] }),
      await anOrder({ lines: [line("A-1", 10)] }),
      await anOrder({ lines: [line("A-1"), line("B-2")], locationId: newark }),
      await anOrder({ lines: [line("A-1", 9)] }),
    ];
    const labels: Bought[] = [];
    for (const order of orders) labels.push(await buy({ orderId: order.id, to: undefined, from: undefined }));
    const alone = await buy();
    const labelIds = ids([alone, ...labels.toReversed()]);
    const sorted = async (body: object) =>
      (await numbersOn({ labelIds, ...body })).map((one) => numbers(labels).indexOf(one));
    expect(await sorted({ sort: "sku" })).toEqual([3, 1, 0, 2, -1]);
    expect(await sorted({ sort: "location" })).toEqual([2, 3, 1, 0, -1]);
    expect(await sorted({ sort: "created" })).toEqual([0, 1, 2, 3, -1]);
    expect(await sorted({ sort: "created", offset: 1, limit: 2 })).toEqual([1, 2]);
  });

  test("can be those that were not printed yet, in lists as well", async () => {
    const [old, fresh] = [await buy(), await buy()];
    await pagesOf({ labelIds: [old.id] });
    const labelIds = ids([old, fresh]);
    expect(await numbersOn({ labelIds, isPrinted: true })).toEqual([old.trackingNumber]);
    const listed = async (query: string) => ids((await org.get(`/shipments/labels?limit=100&${query}`)).body.data);
    expect(await listed("isPrinted=false")).toContain(fresh.id);
    expect(await listed("isPrinted=false")).not.toContain(old.id);
    expect(await listed("isPrinted=true")).toContain(old.id);
    expect(await numbersOn({ labelIds, isPrinted: false })).toEqual([fresh.trackingNumber]);
    expect((await refusalOf({ labelIds, isPrinted: false })).code).toBe("nothing_to_print");
  });
});

test("printing requires pii:read besides shipments:write", async () => {
  const label = await buy();
  const clerk = await org.withScopes(["shipments:write"]);
  expect((await print({ labelIds: [label.id] }, clerk.token)).status).toBe(403);
  const packer = await org.withScopes(["shipments:write", "pii:read"]);
  expect((await print({ labelIds: [label.id] }, packer.token)).status).toBe(200);
  const stranger = await hub.org();
  expect((await print({ labelIds: [label.id] }, stranger.token)).status).toBe(409);
});
