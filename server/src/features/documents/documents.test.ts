import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { extractText, getDocumentProxy } from "unpdf";
import { pngLabel } from "../../testing/carriers/label-files.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";

const hub = await startTestHub();
const org = await hub.org();
const carrierAccountId: string = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id;
const [newark, albany] = [await aLocation("Newark dock"), await aLocation("Albany dock")];

async function aLocation(name: string): Promise<string> {
  return (await org.post("/locations", { name, address: aParcel.from })).body.id;
}

const aLine = (sku: string, quantity = 1, more: object = {}) => ({
  sku,
  quantity,
  weight: { value: 300, unit: "g" },
  ...more,
});

async function anOrder(more: object = {}) {
  const { status, body } = await org.post("/orders", {
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [aLine("MUG-01", 2, { name: "Stoneware mug" })],
    locationId: newark,
    shipping: { carrierAccountId, carrier: "demo", service: "NAT_GROUND" },
    ...more,
  });
  expect(status).toBe(201);
  return body;
}

/** Binary, so not through the test client. */
async function print(body: object, token = org.token): Promise<Response> {
  return await fetch(`${hub.url}/api/v1/documents`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      // Has no effect, and must not turn the file into a stored answer.
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify(body),
  });
}

type Page = { width: number; height: number; text: string };

/** Read by another library than the one that writes. */
async function pagesOf(body: object): Promise<Page[]> {
  const response = await print(body);
  expect(response.status).toBe(200);
  const file = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()));
  const { text } = await extractText(file, { mergePages: false });
  return await Promise.all(
    text.map(async (found, at) => {
      const { width, height } = (await file.getPage(at + 1)).getViewport({ scale: 1 });
      return { width: Math.round(width), height: Math.round(height), text: found };
    }),
  );
}
const refusalOf = async (body: object) => (await org.post("/documents", body)).body;
const problemsOf = (body: { errors: { pointer: string; code: string }[] }) =>
  body.errors.map(({ pointer, code }) => [pointer, code]);

describe("packing slips", () => {
  test("show the recipient, the items with what was chosen, and what is written for the customer", async () => {
    const order = await anOrder({
      number: "SLIP-1",
      poNumber: "PO-778",
      giftMessage: "Happy birthday, Ada!",
      shippingAddress: {
        ...aParcel.to,
        name: "Jörg Müller",
        city: "Köln",
        provinceCode: undefined,
        zip: "50667",
        countryCode: "DE",
      },
      lines: [
        aLine("MUG-01", 2, {
          name: "Stoneware mug",
          options: [{ name: "Color", value: "Blue" }],
          properties: [{ name: "Engraving", value: "For Ada" }],
        }),
        aLine("GIFT-CARD", 1, { requiresShipping: false }),
      ],
      notes: [
        { text: "Thank you for your order", visibility: "packing_slip" },
        { text: "Customer complained before", visibility: "internal" },
      ],
    });
    const [page, ...more] = await pagesOf({ kind: "packing_slips", orderIds: [order.number], paper: "a4" });
    expect(more).toEqual([]);
    expect([page!.width, page!.height]).toEqual([595, 842]);
    for (const shown of [
      "SLIP-1",
      "PO PO-778",
      "Jörg Müller",
      "50667 Köln",
      "Germany",
      "Stoneware mug",
      "SKU MUG-01",
      "Color: Blue",
      "Engraving: For Ada",
      "Happy birthday, Ada!",
      "Thank you for your order",
    ])
      expect(page!.text).toContain(shown);
    expect(page!.text).not.toContain("GIFT-CARD");
    expect(page!.text).not.toContain("complained");
  });

  test("come in the given order, in each size of paper", async () => {
    const orders = [await anOrder(), await anOrder(), await anOrder()];
    const orderIds = [orders[2].number, orders[0].id, orders[1].number];
    for (const [paper, size] of Object.entries({
      "4x6": [288, 432],
      a6: [298, 420],
      a4: [595, 842],
      letter: [612, 792],
    })) {
      const pages = await pagesOf({ kind: "packing_slips", orderIds, paper });
      expect(pages.map(({ width, height }) => [width, height])).toEqual([size, size, size]);
      expect(pages.map(({ text }) => orders.findIndex(({ number }) => text.includes(number)))).toEqual([2, 0, 1]);
    }
  });

  test("can be sorted by SKU or location", async () => {
    const orders = [
      await anOrder({ lines: [aLine("B-2")] }),
      await anOrder({ lines: [aLine("A-10")], locationId: albany }),
      await anOrder({ lines: [aLine("A-9")] }),
    ];
    const sorted = async (sort: string) => {
      const pages = await pagesOf({ kind: "packing_slips", orderIds: orders.map(({ id }) => id), sort });
      return pages.map(({ text }) => orders.findIndex(({ number }) => text.includes(number)));
    };
    expect(await sorted("sku")).toEqual([2, 1, 0]);
    expect(await sorted("location")).toEqual([1, 0, 2]);
    expect(await sorted("created")).toEqual([0, 1, 2]);
  });

  test("of a shipment have its contents; of an order what is left to ship, or everything", async () => {
    const order = await anOrder({ lines: [aLine("MUG-01", 3), aLine("TEE-02", 1)] });
    const lines = [{ lineId: order.lines[0].id, quantity: 1 }];
    const { body } = await org.post("/shipments/labels", {
      carrierAccountId,
      service: "NAT_GROUND",
      orderId: order.id,
      lines,
    });
    const [ofShipment] = await pagesOf({ kind: "packing_slips", shipmentIds: [body.shipment.id] });
    expect(ofShipment!.text).toContain("1 of 3 in this shipment");
    expect(ofShipment!.text).not.toContain("TEE-02");
    const [ofLabel] = await pagesOf({ kind: "packing_slips", labelIds: [body.label.id] });
    expect(ofLabel!.text).toBe(ofShipment!.text);
    const [ofOrder] = await pagesOf({ kind: "packing_slips", orderIds: [order.id] });
    expect(ofOrder!.text).toContain("2 of 3 in this shipment");
    expect(ofOrder!.text).toContain("TEE-02");
  });

  test("print names of all scripts, and a sign for what no font has", async () => {
    const names = ["Łukasz Nguyễn", "Юлия Київ", "Γιώργος", "山田太郎", "王小明", "김철수"];
    const orderIds: string[] = [];
    for (const name of [...names, "Ada 🎁 Byron"])
      orderIds.push((await anOrder({ shippingAddress: { ...aParcel.to, name } })).id);
    const pages = await pagesOf({ kind: "packing_slips", orderIds, paper: "4x6" });
    for (const [at, name] of names.entries()) {
      expect(pages[at]!.text).toContain(name);
      expect(pages[at]!.text).not.toContain("\uFFFD");
    }
    expect(pages.at(-1)!.text).toContain("Ada \uFFFD Byron");
  });

  test("survive hostile texts: no break, control characters, thousands of characters, hundreds of items", async () => {
    const order = await anOrder({
      shippingAddress: { ...aParcel.to, name: "x".repeat(200), address2: "\u202Eevil\u0007\u200D" },
      giftMessage: "nobreak".repeat(600),
      lines: Array.from({ length: 60 }, (_, at) =>
        aLine(`SKU-${at}`, 1, { name: "W".repeat(200), properties: [{ name: "Text", value: "長".repeat(2_000) }] }),
      ),
    });
    const pages = await pagesOf({ kind: "packing_slips", orderIds: [order.id], paper: "a6" });
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.at(-1)!.text).toContain(`Page ${pages.length} of ${pages.length}`);
  });

  test("of a run, a selection and a filter are those of their orders", async () => {
    const tag = `slip-${randomUUID().slice(0, 8)}`;
    const orders = [await anOrder({ tags: [tag] }), await anOrder({ tags: [tag] })];
    const numbersOn = async (source: object) =>
      (await pagesOf({ kind: "packing_slips", ...source })).map(({ text }) =>
        orders.findIndex(({ number }) => text.includes(number)),
      );
    expect(await numbersOn({ filter: { tag } })).toEqual([0, 1]);
    const { body: selection } = await org.post("/operations/selections", { filter: { tag } });
    expect(await numbersOn({ selectionId: selection.id })).toEqual([0, 1]);
    const order_ids = [orders[1].id, orders[0].id];
    const actions = [{ type: "add_tags", params: { tags: ["x"] } }];
    const { body: run } = await org.post("/operations/run", { order_ids, actions });
    expect(await numbersOn({ runId: run.id })).toEqual([1, 0]);
  });
});

describe("pick lists", () => {
  test("sum what is left to ship by location, item and what was chosen", async () => {
    const blue = { name: "Mug", options: [{ name: "Color", value: "Blue" }] };
    const red = { name: "Mug", options: [{ name: "Color", value: "Red" }] };
    const orders = [
      await anOrder({ lines: [aLine("P-10", 2, blue), aLine("P-9", 1)] }),
      await anOrder({ lines: [aLine("P-10", 5, blue), aLine("P-10", 1, red)] }),
      await anOrder({ lines: [aLine("P-10", 4, blue)], locationId: albany }),
    ];
    const orderIds = [...orders.map(({ id }) => id), orders[0].id];
    const [page] = await pagesOf({ kind: "pick_list", orderIds });
    expect(page!.text).toContain("13 units of 4 items for 3 orders");
    const compact = page!.text.replaceAll(/\s+/g, " ");
    const at = [
      "Albany dock",
      `4 ${orders[2].number} × 4`,
      "Newark dock",
      "P-9",
      "Color: Blue",
      `7 ${orders[0].number} × 2, ${orders[1].number} × 5`,
      "Color: Red",
    ].map((text) =>
      compact.indexOf(
        text,
        compact.indexOf("Albany dock") +
          (text === "Color: Blue" ? compact.indexOf("P-9") - compact.indexOf("Albany dock") : 0),
      ),
    );
    expect(at.every((place) => place >= 0)).toBe(true);
  });

  test("of orders that are shipped have nothing to print", async () => {
    const order = await anOrder({ lines: [aLine("MUG-01", 1, { requiresShipping: false })] });
    expect((await refusalOf({ kind: "pick_list", orderIds: [order.id] })).code).toBe("nothing_to_print");
  });
});

describe("manifests", () => {
  test("list shipments by carrier and service; voided ones are named and left out", async () => {
    const buy = async (service: string) => {
      const { body } = await org.post("/shipments/labels", { ...aParcel, carrierAccountId, service });
      return body;
    };
    const [ground, other, voided] = [await buy("NAT_GROUND"), await buy("NAT_GROUND"), await buy("NAT_GROUND")];
    await org.delete(`/shipments/labels/${voided.label.id}`);
    const shipmentIds = [ground, other, voided].map(({ shipment }) => shipment.id);
    const body = { kind: "manifest", shipmentIds };
    expect(problemsOf(await refusalOf(body))).toEqual([["/shipmentIds/2", "voided"]]);
    const response = await print({ ...body, skipUnavailable: true });
    expect(response.headers.get("hub-documents-skipped")).toBe("1");
    const [page] = await pagesOf({ ...body, skipUnavailable: true, paper: "letter" });
    expect(page!.text).toContain("2 shipments, 5 lb");
    expect(page!.text).toContain(ground.label.trackingNumber);
    expect(page!.text).not.toContain(voided.label.trackingNumber);
    expect(page!.text).toContain("Signature");
    const [small] = await pagesOf({ kind: "manifest", labelIds: [ground.label.id], paper: "4x6" });
    expect(small!.text).toContain(ground.label.trackingNumber);
  });
});

test("a request names exactly one source, and what it names must exist", async () => {
  const order = await anOrder();
  const kind = "packing_slips";
  expect(problemsOf(await refusalOf({ kind }))).toEqual([["/orderIds", "required"]]);
  expect(problemsOf(await refusalOf({ kind, orderIds: [order.id], filter: {} }))).toEqual([["/filter", "one_of"]]);
  const some = { kind, orderIds: [order.number, "NO-SUCH"] };
  expect(problemsOf(await refusalOf(some))).toEqual([["/orderIds/1", "order_not_found"]]);
  expect(await pagesOf({ ...some, skipUnavailable: true })).toHaveLength(1);
  expect((await refusalOf({ kind, orderIds: ["NO-SUCH"], skipUnavailable: true })).code).toBe("nothing_to_print");
  expect((await refusalOf({ kind, runId: randomUUID() })).code).toBe("operation_run_not_found");
  expect((await refusalOf({ kind, selectionId: randomUUID() })).code).toBe("selection_not_found");
  const shipmentIds = [randomUUID()];
  expect(problemsOf(await refusalOf({ kind: "manifest", shipmentIds }))).toEqual([
    ["/shipmentIds/0", "shipment_not_found"],
  ]);
});

test("orders of other organizations are not printed, nor slips without pii:read, nor manifests without shipments:read", async () => {
  const order = await anOrder();
  const rival = await hub.org();
  const slip = { kind: "packing_slips", orderIds: [order.id] };
  expect((await print(slip, rival.token)).status).toBe(409);
  const viewer = await org.withScopes(["orders:read"]);
  expect((await print(slip, viewer.token)).status).toBe(403);
  expect((await print({ ...slip, kind: "manifest" }, viewer.token)).status).toBe(403);
  expect((await print({ ...slip, kind: "pick_list" }, viewer.token)).status).toBe(200);
  const packer = await org.withScopes(["orders:read", "pii:read"]);
  expect((await print(slip, packer.token)).status).toBe(200);
});

test("a file has 1,000 slips at most", async () => {
  const many = await hub.org();
  const orders = Array.from({ length: 1_001 }, (_, at) => ({
    number: `MANY-${at}`,
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [aLine("MUG-01", 2, { name: "Stoneware mug" }), aLine("TEE-02")],
  }));
  for (let from = 0; from < orders.length; from += 200)
    expect((await many.post("/orders/bulk", { orders: orders.slice(from, from + 200) })).status).toBeLessThan(300);
  const refusal = await many.post("/documents", { kind: "packing_slips", filter: {} });
  expect(refusal.body).toMatchObject({ status: 400, code: "too_many_documents" });
  expect((await many.post("/orders/bulk", { orders: [] })).status).toBe(400);
  const orderIds = orders.slice(0, 1_000).map(({ number }) => number);
  const response = await print({ kind: "packing_slips", orderIds, paper: "4x6" }, many.token);
  const file = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()));
  expect(file.numPages).toBe(1_000);
  const pickList = await print({ kind: "pick_list", filter: {} }, many.token);
  expect(pickList.status).toBe(200);
});

describe("print settings", () => {
  const logoOf = (content: Buffer) => ({ logo: { content: content.toString("base64") } });
  const image = { carrier: "demo", service: "ground", trackingNumber: "1Z1", to: "Albany" };

  test("give slips their address, footer, logo and paper", async () => {
    const shop = await hub.org();
    expect((await shop.get("/documents/settings")).body).toEqual({
      address: "",
      footer: "",
      papers: {},
      logo: null,
      updatedAt: null,
      version: 0,
    });
    const texts = { address: "Fernhollow Supply\n1 Port Street", footer: "Returns within 30 days" };
    const { body } = await shop.patch("/documents/settings", { ...texts, papers: { packing_slips: "a6" } });
    expect(body).toMatchObject({ ...texts, version: 1 });
    const withLogo = await shop.patch("/documents/settings", logoOf(pngLabel(image, { width: 160, height: 40 })));
    expect(withLogo.body).toMatchObject({ ...texts, logo: { contentType: "image/png", width: 160, height: 40 } });
    await shop.post("/orders", { number: "S-1", shippingAddress: aParcel.to, lines: [aLine("MUG-01")] });
    const response = await print({ kind: "packing_slips", orderIds: ["S-1"] }, shop.token);
    const file = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()));
    expect(Math.round((await file.getPage(1)).getViewport({ scale: 1 }).width)).toBe(298);
    const { text } = await extractText(file, { mergePages: true });
    expect(text).toContain("1 Port Street");
    expect(text).toContain("Returns within 30 days");
    const removed = await shop.patch("/documents/settings", { logo: null });
    expect(removed.body).toMatchObject({ logo: null, version: 3 });
    const { data } = (await shop.get("/audit?type=organization.print_settings_updated")).body;
    expect(data.map((event: { data: { fields: string[] } }) => event.data.fields)).toEqual([
      ["logo"],
      ["logo"],
      ["address", "footer", "papers"],
    ]);
  });

  test("take images by their content, up to 256 KiB and 2,000 pixels", async () => {
    const refused = async (content: Buffer) => {
      const { status, body } = await org.patch("/documents/settings", logoOf(content));
      expect(status).toBe(400);
      return `${body.errors[0].code}: ${body.errors[0].message}`;
    };
    const png = pngLabel(image, { width: 160, height: 40 });
    expect(await refused(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))).toContain(
      "neither a PNG nor a JPEG",
    );
    expect(await refused(png.subarray(0, png.length - 20))).toContain("damaged");
    expect(await refused(Buffer.concat([png, Buffer.alloc(257 * 1024)]))).toContain("too_large");
    expect(await refused(pngLabel(image, { width: 2_001, height: 4 }))).toContain("2001 x 4 pixels");
    expect(await refused(Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).toContain("damaged");
  });

  test("are changed by administrators, and not over a version that has changed", async () => {
    const operator = await org.withScopes(["orders:read", "orders:write"]);
    expect((await operator.patch("/documents/settings", { footer: "x" })).status).toBe(403);
    expect((await operator.get("/documents/settings")).status).toBe(200);
    const { version } = (await org.patch("/documents/settings", { footer: "x" })).body;
    const stale = await org.patch(
      "/documents/settings",
      { footer: "y" },
      { headers: { "if-match": `"v${version - 1}"` } },
    );
    expect(stale.status).toBe(412);
    expect((await org.patch("/documents/settings", {})).body.code).toBe("empty_patch");
  });
});
