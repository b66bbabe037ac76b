import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { RemoteError } from "../../core/remote-error.ts";
import type { Label, LabelFile } from "../../carriers/seam/labels.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "./labels.schemas.ts";
import { lockWaits } from "../../testing/lock-waits.ts";

const hub = await startTestHub();
const org = await hub.org();
const desk = scriptLabels();

async function account(more: object = {}, of = org): Promise<string> {
  const wanted = { name: `Account ${randomUUID()}`, carrier: "demo", ...more };
  return (await of.post("/carrier-accounts", wanted)).body.id;
}
const accountId = await account();

const parcel = (more: object = {}) => ({ ...aParcel, carrierAccountId: accountId, ...more });
const buy = (more: object = {}) => org.post("/shipments/labels", parcel(more));
async function bought(more: object = {}) {
  const { status, body } = await buy(more);
  expect(status).toBe(201);
  return body;
}

async function anOrder(more: object = {}) {
  const location = await org.post("/locations", { name: `Dock ${randomUUID()}`, address: aParcel.from });
  const { body } = await org.post("/orders", {
    status: "ready",
    customer: { name: "Ada Byron" },
    shippingAddress: {
      address1: "12 Analytical Way",
      city: "Albany",
      provinceCode: "NY",
      zip: "12207",
      countryCode: "US",
    },
    lines: [
      { sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } },
      { sku: "POT-01", quantity: 1, weight: { value: 1, unit: "kg" } },
    ],
    locationId: location.body.id,
    ...more,
  });
  return body;
}
const shippedOf = ({ lines }: { lines: { shippedQuantity: number }[] }): number[] =>
  lines.map(({ shippedQuantity }) => shippedQuantity);
const forOrder = (orderId: string, more: object = {}) =>
  org.post("/shipments/labels", { carrierAccountId: accountId, service: "NAT_GROUND", orderId, ...more });
const run = (orderId: string, type: string, params: object = {}) =>
  org.post("/operations/run", { order_ids: [orderId], actions: [{ type, params }] });
const typesOf = async (objectId: string): Promise<string[]> =>
  (await org.get(`/audit?objectId=${objectId}`)).body.data.map(({ type }: { type: string }) => type).toReversed();

describe("buying a label", () => {
  test("for any parcel records it with its tracking number and price, and the label can be fetched again", async () => {
    const { label, shipment } = await bought();
    expect(label).toMatchObject({
      status: "purchased",
      carrier: "demo",
      carrierAccountId: accountId,
      orderId: null,
      shipmentId: shipment.id,
      service: "NAT_GROUND",
      to: aParcel.to,
      reference: "SHOP-17",
      contentType: "application/pdf",
      failure: null,
      isVoidPending: false,
    });
    expect(shipment).toMatchObject({
      source: "label",
      status: "pre_transit",
      carrier: "demo",
      trackingNumber: label.trackingNumber,
      cost: label.cost,
      destination: aParcel.to,
      weight: aParcel.weight,
      metadata: { labelId: label.id },
    });
    expect(label.cost).toBeGreaterThan(1);
    expect((await org.get(`/shipments/${shipment.id}`)).body).toEqual(shipment);
    expect((await org.get(`/shipments/labels/${label.id}`)).body).toEqual(label);
    const content = await org.get(`/shipments/labels/${label.id}/content`);
    expect(content.text).toContain(label.trackingNumber);
    expect(content.text.length).toBe(label.contentBytes);
    expect(content.headers.get("content-type")).toBe("application/pdf");
    expect(content.headers.get("content-disposition")).toBe(`attachment; filename="label-${label.trackingNumber}.pdf"`);
    expect(await typesOf(label.id)).toEqual(["label.requested", "label.purchased"]);
    expect(await typesOf(shipment.id)).toEqual(["shipment.created"]);
  });

  test("costs what a quote of the same day says", async () => {
    const { label } = await bought();
    const { body } = await org.post(`/carrier-accounts/${accountId}/quote`, {
      origin: { zip: aParcel.from.zip },
      destination: { zip: aParcel.to.zip },
      weight: aParcel.weight,
      services: ["NAT_GROUND"],
    });
    expect(label.cost).toBe(body.quotes[0].total);
  });

  test("is listed by order, shipment and status", async () => {
    const order = await anOrder();
    const { body } = await forOrder(order.id);
    const listed = async (query: string) =>
      (await org.get(`/shipments/labels?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await listed(`orderId=${order.id}`)).toEqual([body.label.id]);
    expect(await listed(`orderId=${order.number}`)).toEqual([body.label.id]);
    expect((await org.get("/shipments/labels?orderId=nobody-has-it")).body.code).toBe("order_not_found");
    expect(await listed(`shipmentId=${body.shipment.id}`)).toEqual([body.label.id]);
    expect(await listed(`orderId=${order.id}&status=requested,failed`)).toEqual([]);
    expect(await listed("status=purchased&limit=1")).toEqual([body.label.id]);
  });
});

describe("for an order", () => {
  test("D2: what the order says need not be said, and it is shipped by that", async () => {
    const order = await anOrder();
    const { status, body } = await forOrder(order.id);
    expect(status).toBe(201);
    expect(body.label).toMatchObject({
      orderId: order.id,
      from: aParcel.from,
      to: { ...order.shippingAddress, name: "Ada Byron" },
      weight: { value: 1600, unit: "g" },
      reference: order.number,
    });
    expect(body.shipment).toMatchObject({ orderId: order.id, orderNumber: order.number });
    const after = (await org.get(`/orders/${order.id}`)).body;
    expect(after).toMatchObject({
      status: "shipped",
      shipments: [{ id: body.shipment.id, trackingNumber: body.label.trackingNumber, carrier: "demo" }],
      version: 2,
    });
    expect(shippedOf(after)).toEqual([2, 1]);
    expect(await typesOf(order.id)).toEqual(["order.created", "order.updated"]);
    const preflight = await org.post("/operations/preflight", {
      order_ids: [order.id],
      actions: [{ type: "cancel", params: { reason: "customer" } }],
    });
    expect(preflight.body).toMatchObject({ verdict: "blocked", errors_by_code: { invalid_state: 1 } });
  });

  test("the weight is that of the only package, or of the lines that are named", async () => {
    const packed = await anOrder({
      packages: [
        { count: 1, weight: { value: 4, unit: "lb" }, dimensions: { length: 9, width: 8, height: 7, unit: "in" } },
      ],
    });
    const whole = (await forOrder(packed.id)).body.label;
    expect(whole).toMatchObject({ weight: { value: 4, unit: "lb" }, dimensions: { length: 9 } });
    const other = await anOrder({ packages: packed.packages });
    const lines = [{ lineId: other.lines[0].id, quantity: 1 }];
    expect((await forOrder(other.id, { lines })).body.label).toMatchObject({
      weight: { value: 300, unit: "g" },
      lines,
    });
    const apart = await anOrder({ packages: [{ count: 2, weight: { value: 4, unit: "lb" } }] });
    const dimensions = { length: 9, width: 8, height: 7, unit: "in" };
    expect((await forOrder(apart.id, { dimensions })).body.errors).toMatchObject([
      { pointer: "/weight", code: "required" },
    ]);
  });

  test.each([{}, { shipping: { carrier: "ups", service: "ground" } }])(
    "mark_shipped with the same number finds the parcel: it is recorded once (%j)",
    async (more) => {
      const order = await anOrder(more);
      const { label, shipment } = (await forOrder(order.id)).body;
      await run(order.id, "mark_shipped", { tracking_number: label.trackingNumber });
      const after = (await org.get(`/orders/${order.id}`)).body;
      expect(after.status).toBe("shipped");
      expect(after.shipments).toMatchObject([
        { id: shipment.id, trackingNumber: label.trackingNumber, carrier: "demo" },
      ]);
      expect((await org.get(`/shipments?orderId=${order.id}`)).body.pagination.total).toBe(1);
    },
  );

  test("a parcel that a shop told of first is that parcel", async () => {
    const order = await anOrder();
    let known = "";
    desk.nextTurns.push({
      after: async (label) => {
        const told = { orderId: order.id, carrier: "demo", trackingNumber: label.parcels[0]!.trackingNumber };
        known = (await org.post("/shipments", told)).body.id;
        return label;
      },
    });
    const { body } = await forOrder(order.id);
    expect(body.label).toMatchObject({ status: "purchased", shipmentId: known });
    expect((await org.get(`/shipments?orderId=${order.id}`)).body.pagination.total).toBe(1);
  });

  test("an order that cannot be shipped gets none, and the carrier is not asked", async () => {
    const [held, cancelled, draft, into, merged] = [
      await anOrder(),
      await anOrder({ status: "new" }),
      await anOrder({ status: "draft" }),
      await anOrder({ number: `M-${randomUUID()}` }),
      await anOrder(),
    ];
    await run(held.id, "hold", { reason: "other" });
    await run(cancelled.id, "cancel", { reason: "customer" });
    await org.post("/operations/run", { order_ids: [into.id, merged.id], actions: [{ type: "merge", params: {} }] });
    const asked = desk.asked.length;
    const codeOf = async (id: string) => {
      const { status, body } = await forOrder(id);
      return [status, body.code, body.errors?.[0].pointer, body.errors?.[0].code];
    };
    expect(await codeOf(held.id)).toEqual([409, "invalid_state", "/orderId", "on_hold"]);
    expect(await codeOf(cancelled.id)).toEqual([409, "invalid_state", "/orderId", "invalid_state"]);
    expect(await codeOf(draft.id)).toEqual([409, "invalid_state", "/orderId", "invalid_state"]);
    const ofMerged = [(await org.get(`/orders/${into.id}`)).body, (await org.get(`/orders/${merged.id}`)).body];
    const gone = ofMerged.find(({ mergedIntoId }) => mergedIntoId !== null);
    expect(await codeOf(gone.id)).toEqual([409, "invalid_state", "/orderId", "merged"]);
    expect(desk.asked.length).toBe(asked);
    expect((await org.get(`/shipments/labels?orderId=${held.id}`)).body.pagination.total).toBe(0);
  });
});

test("an order that is cancelled while its label is asked for gets none", async () => {
  const order = await anOrder();
  const asked = desk.asked.length;
  const pending = await hub.world.db.transaction(async (tx) => {
    await tx.query("select from orders where id = $1 for update", [order.id]);
    const answer = forOrder(order.id);
    // It has seen the order as ready, and waits for it.
    await lockWaits(hub.world.db, { statement: "^select o.id, o.number" });
    await tx.query("update orders set status = 'cancelled' where id = $1", [order.id]);
    return { answer };
  });
  expect((await pending.answer).body).toMatchObject({ status: 409, code: "invalid_state" });
  expect(desk.asked.length).toBe(asked);
});

test("an address as shops write it is bought and quoted with the code of its state", async () => {
  const place = { city: "Albany", province: "New York", zip: "12207", countryCode: "us" };
  const written = { address1: "12  Analytical Way ", ...place };
  const order = await anOrder({ shippingAddress: written });
  const { status, body } = await forOrder(order.id);
  expect(status).toBe(201);
  expect(body.label.to).toMatchObject({ address1: "12 Analytical Way", provinceCode: "NY", countryCode: "US" });
  const quote = (destination: object) =>
    org.post(`/carrier-accounts/${accountId}/quote`, {
      origin: aParcel.from,
      destination,
      weight: { value: 1, unit: "lb" },
    });
  const [coded, named] = await Promise.all([
    quote({ state: "NY" }),
    quote({ province: "New York", countryCode: "US" }),
  ]);
  expect(coded.body.quotes.length).toBeGreaterThan(0);
  expect(named.body.quotes).toEqual(coded.body.quotes);
});

describe("what is wrong is told before the carrier hears of it", () => {
  test("all at once, each with its place", async () => {
    const order = await anOrder({ locationId: undefined, shippingAddress: { city: "Albany", countryCode: "US" } });
    const { status, body } = await forOrder(order.id, {
      weight: { value: 0, unit: "g" },
      lines: [
        { lineId: "nonsense", quantity: 1 },
        { lineId: order.lines[0].id, quantity: 3 },
        { lineId: order.lines[0].id, quantity: 1 },
      ],
    });
    expect(status).toBe(400);
    expect(body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
      "/from required",
      "/to/address1 required",
      "/to/zip required",
      "/to/provinceCode required",
      "/weight/value weight_required",
      "/lines/0/lineId line_not_found",
      "/lines/1/quantity quantity_exceeds_remaining",
      "/lines/2/lineId repeated",
    ]);
    const bare = await org.post("/shipments/labels", {
      carrierAccountId: accountId,
      service: "NAT_GROUND",
      to: { ...aParcel.to, name: "", zip: "1220" },
      lines: [{ lineId: "x", quantity: 1 }],
    });
    expect(bare.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
      "/from required",
      "/to/zip invalid_zip",
      "/to/name required",
      "/weight required",
      "/lines order_required",
    ]);
  });

  test("stars are not an address", async () => {
    const { body } = await buy({ to: { ...aParcel.to, address1: "***" } });
    expect(body.errors).toMatchObject([{ pointer: "/to/address1", code: "masked_value" }]);
  });

  test("accounts and orders are those of the organization, and able", async () => {
    const other = await hub.org();
    const [theirs, theirOrder] = [await account({}, other), (await other.post("/orders", { status: "ready" })).body.id];
    const codeOf = async (more: object) => {
      const { status, body } = await buy(more);
      return [status, body.code];
    };
    expect(await codeOf({ carrierAccountId: theirs })).toEqual([404, "carrier_account_not_found"]);
    expect(await codeOf({ carrierAccountId: randomUUID() })).toEqual([404, "carrier_account_not_found"]);
    expect(await codeOf({ orderId: theirOrder })).toEqual([404, "order_not_found"]);
    const off = await account({ isActive: false });
    expect(await codeOf({ carrierAccountId: off })).toEqual([409, "carrier_account_inactive"]);
    const paper = await account({ carrier: "rate-card" });
    expect(await codeOf({ carrierAccountId: paper })).toEqual([409, "invalid_state"]);
    const { label } = await bought();
    for (const path of [`/shipments/labels/${label.id}`, `/shipments/labels/${label.id}/content`]) {
      expect((await other.get(path)).body.code).toBe("label_not_found");
    }
    expect((await other.delete(`/shipments/labels/${label.id}`)).body.code).toBe("label_not_found");
  });
});

describe("a carrier that says no", () => {
  test("leaves a failed label, no parcel, and the same answer under the same key", async () => {
    const refusing = await account({ settings: { refuseLabels: true } });
    const before = (await org.get("/shipments")).body.pagination.total;
    const headers = { "idempotency-key": randomUUID() };
    const asked = desk.asked.length;
    const first = await org.post("/shipments/labels", parcel({ carrierAccountId: refusing }), { headers });
    const again = await org.post("/shipments/labels", parcel({ carrierAccountId: refusing }), { headers });
    expect(first.body).toMatchObject({ status: 409, code: "label_rejected", carrierCode: "label_rejected" });
    expect([again.status, again.text]).toEqual([409, first.text]);
    expect(desk.asked.length).toBe(asked + 1);
    const { body } = await org.get(`/shipments/labels/${first.body.labelId}`);
    expect(body).toMatchObject({ status: "failed", shipmentId: null, failure: { code: "label_rejected" } });
    const { data } = (await org.get("/exceptions?kind=label&limit=1")).body;
    expect(data).toMatchObject([
      { subject: { id: body.id }, message: expect.stringMatching(/^Demo carrier rejected/) },
    ]);
    expect((await org.get("/shipments")).body.pagination.total).toBe(before);
    expect((await org.get(`/shipments/labels/${body.id}/content`)).body.code).toBe("invalid_state");
    expect((await org.delete(`/shipments/labels/${body.id}`)).body.code).toBe("label_not_voidable");
    expect(await typesOf(body.id)).toEqual(["label.requested", "label.failed"]);
  });

  test("because of the service says where", async () => {
    const { status, body } = await buy({ service: "Pigeon" });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: "label_rejected", errors: [{ pointer: "/service", code: "unknown_service" }] });
  });

  test("or sends an invalid response: no unusable label is stored", async () => {
    desk.nextTurns.push({ after: (label) => ({ ...label, parcels: [{ trackingNumber: "", file: null }] }) });
    const { body } = await buy();
    expect(body).toMatchObject({ code: "label_rejected", carrierCode: "outcome_unknown" });
    desk.nextTurns.push({ after: (label) => ({ ...label, charge: { cents: -1, currency: "USD" } }) });
    expect((await buy()).body.carrierCode).toBe("outcome_unknown");
  });
});

const withFile =
  (file: LabelFile | null) =>
  (label: Label): Label => ({ ...label, parcels: label.parcels.map((parcel) => ({ ...parcel, file })) });

describe("what is printed", () => {
  test("beyond a mebibyte is not kept; the parcel is, since it is paid for", async () => {
    const content = Buffer.alloc(1024 * 1024 + 1);
    desk.nextTurns.push({ after: withFile({ contentType: "image/png", content }) });
    const { label, shipment } = await bought();
    expect(label).toMatchObject({ status: "purchased", contentBytes: null, failure: { code: "content_too_large" } });
    expect(shipment.trackingNumber).toBe(label.trackingNumber);
    const { status, body } = await org.get(`/shipments/labels/${label.id}/content`);
    expect([status, body.code]).toEqual([409, "invalid_state"]);
    expect(body.detail).toContain(label.trackingNumber);
  });

  test("comes back byte by byte, up to a whole mebibyte", async () => {
    const bytes = Buffer.alloc(
      1024 * 1024,
      Uint8Array.from({ length: 251 }, (_, i) => i),
    );
    desk.nextTurns.push({ after: withFile({ contentType: "application/pdf", content: bytes }) });
    const { label } = await bought();
    const answer = await fetch(`${hub.url}/api/v1/shipments/labels/${label.id}/content`, {
      headers: { authorization: `Bearer ${org.token}` },
    });
    expect(answer.headers.get("content-type")).toBe("application/pdf");
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });
});

test("the recipient is hidden from callers without pii:read", async () => {
  const clerk = await org.withScopes(["shipments:read", "shipments:write", "carrier_accounts:read"]);
  const sale = await clerk.post("/shipments/labels", parcel());
  const tells = (text: string): boolean => /Ada Byron|Analytical/.test(text);
  expect([sale.status, tells(sale.text)]).toEqual([201, false]);
  const { id } = sale.body.label;
  expect(sale.body.label.to).toMatchObject({ name: "***", address1: "***", city: "Albany" });
  const read = [await clerk.get(`/shipments/labels/${id}`), await clerk.get("/shipments/labels")];
  expect(read.map(({ status, text }) => [status, tells(text)])).toEqual([
    [200, false],
    [200, false],
  ]);
  const content = await clerk.get(`/shipments/labels/${id}/content`);
  expect(content.body).toMatchObject({ status: 403, code: "insufficient_scope", required: ["pii:read"] });
  expect(tells((await org.get(`/shipments/labels/${id}/content`)).text)).toBe(true);
  const quoting = (): never => {
    throw new RemoteError("bad_address", "12 Analytical Way, Ada Byron: no such door");
  };
  desk.nextTurns.push({ before: quoting });
  const refused = await clerk.post("/shipments/labels", parcel());
  expect([refused.body.carrierCode, tells(refused.text)]).toEqual(["bad_address", false]);
  const failed = `/shipments/labels/${refused.body.labelId}`;
  expect([tells((await clerk.get(failed)).text), tells((await org.get(failed)).text)]).toEqual([false, true]);
  for (const { text } of [
    await org.get(`/audit?objectId=${id}`),
    await org.get(`/audit?objectId=${refused.body.labelId}`),
  ])
    expect(tells(text)).toBe(false);
});
