import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { demoCarrier } from "../../carriers/demo/demo-carrier.ts";
import type { Label } from "../../carriers/seam/labels.ts";
import { Strict, Type } from "../../carriers/seam/schema.ts";
import { workOff } from "../../queue/work.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "./labels.schemas.ts";
import { deleteOldLabelFilesAcrossOrgs, labelWork } from "./labels.ts";

const hub = await startTestHub();
const org = await hub.org();
const desk = scriptLabels();
const carrierAccountId: string = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id;

afterEach(() => {
  delete demoCarrier.extraOptions;
});

async function anOrder(more: object = {}) {
  const location = await org.post("/locations", { name: `Dock ${randomUUID()}`, address: aParcel.from });
  const { body } = await org.post("/orders", {
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [{ sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } }],
    locationId: location.body.id,
    ...more,
  });
  return body;
}
const forOrder = (orderId: string, more: object = {}) =>
  org.post("/shipments/labels", { carrierAccountId, service: "NAT_GROUND", orderId, ...more });
const { weight: _weight, ...noWeight } = aParcel;
const buy = (more: object = {}) => org.post("/shipments/labels", { ...noWeight, carrierAccountId, ...more });
const lb = (value: number) => ({ weight: { value, unit: "lb" } });
const get = async (path: string) => (await org.get(path)).body;
const fileOf = async (id: string, query: string) => await org.get(`/shipments/labels/${id}/content${query}`);
const pointersOf = ({ body }: { body: { errors: { pointer: string; code: string }[] } }) =>
  body.errors.map(({ pointer, code }) => [pointer, code]);

describe("a label for several parcels", () => {
  test("has a tracking number, a file and a shipment for each; the lines belong to the lead", async () => {
    const order = await anOrder();
    const { status, body } = await forOrder(order.id, { parcels: [lb(2), { ...lb(3), reference: "BOX-2" }] });
    expect(status).toBe(201);
    const { label } = body;
    const alone = await Promise.all([2, 3].map(async (pounds) => (await buy(lb(pounds))).body.label.cost));
    expect(label.cost).toBeCloseTo(alone[0] + alone[1], 10);
    expect(label.weight).toEqual({ value: 5, unit: "lb" });
    expect(label.parcels).toHaveLength(2);
    const [lead, second] = label.parcels;
    expect([lead.trackingNumber, lead.shipmentId]).toEqual([label.trackingNumber, label.shipmentId]);
    expect(second.trackingNumber).not.toBe(lead.trackingNumber);
    const shipped = await get(`/orders/${order.id}`);
    expect([shipped.status, shipped.shipments]).toMatchObject([
      "shipped",
      [
        { id: lead.shipmentId, lines: [{ quantity: 2 }] },
        { id: second.shipmentId, lines: [] },
      ],
    ]);
    expect(await get(`/shipments/${second.shipmentId}`)).toMatchObject({
      orderId: order.id,
      trackingNumber: second.trackingNumber,
      weight: lb(3).weight,
      cost: null,
    });
    const files = await Promise.all(["", "?parcel=1", "?parcel=2"].map((query) => fileOf(label.id, query)));
    expect(files.map(({ text }) => /DM1\d{17}/.exec(text)![0])).toEqual([
      lead.trackingNumber,
      lead.trackingNumber,
      second.trackingNumber,
    ]);
    expect(files[2]!.text).toContain("BOX-2");
    expect(pointersOf(await fileOf(label.id, "?parcel=3"))).toEqual([["/parcel", "not_found"]]);
    expect(pointersOf(await fileOf(label.id, "?document=1"))).toEqual([["/document", "not_found"]]);
  });

  test("is voided with all of its shipments, unless the carrier has one of the parcels", async () => {
    const order = await anOrder();
    const { label } = (await forOrder(order.id, { parcels: [lb(2), lb(3)] })).body;
    const [lead, second] = label.parcels;
    expect((await org.delete(`/shipments/labels/${label.id}`)).status).toBe(200);
    expect((await get(`/shipments/${second.shipmentId}`)).voidedAt).not.toBeNull();
    expect((await get(`/shipments/${lead.shipmentId}`)).voidedAt).not.toBeNull();
    expect(await get(`/orders/${order.id}`)).toMatchObject({ status: "ready", shipments: [] });
    expect((await fileOf(label.id, "?parcel=2")).body.code).toBe("invalid_state");
    expect(await hub.world.db.query("select from shipment_label_files where label_id = $1", [label.id])).toEqual([]);

    const other = (await buy({ parcels: [lb(2), lb(3)] })).body.label;
    const scan = { at: new Date().toISOString(), status: "picked_up" };
    await org.post(`/shipments/${other.parcels[1].shipmentId}/events`, scan);
    expect((await org.delete(`/shipments/labels/${other.id}`)).body.code).toBe("label_not_voidable");
  });

  test("is not stored if the carrier labeled another number of parcels, or gave two of them one number", async () => {
    desk.nextTurns.push({ after: (label) => ({ ...label, parcels: label.parcels.slice(0, 1) }) });
    expect((await buy({ parcels: [lb(2), lb(3)] })).body.carrierCode).toBe("outcome_unknown");
    desk.nextTurns.push({ after: (label) => ({ ...label, parcels: [label.parcels[0]!, label.parcels[0]!] }) });
    expect((await buy({ parcels: [lb(2), lb(3)] })).body.carrierCode).toBe("outcome_unknown");
  });

  test("is asked for in one way only", async () => {
    const dimensions = { length: 4, width: 4, height: 4, unit: "in" };
    const refused = await buy({ parcels: [lb(2), lb(0)], ...lb(2), dimensions });
    expect(pointersOf(refused)).toEqual([
      ["/parcels/1/weight/value", "weight_required"],
      ["/weight", "contradiction"],
      ["/dimensions", "contradiction"],
    ]);
    expect((await buy({ parcels: [] })).status).toBe(400);
  });

  test("keeps the files of its parcels as long as other files", async () => {
    const { label } = (await buy({ parcels: [lb(2), lb(3)] })).body;
    const later = new Date(Date.now() + 86_400_000);
    while ((await hub.world.db.transaction((tx) => deleteOldLabelFilesAcrossOrgs(tx, later))).length > 0);
    for (const query of ["", "?parcel=2"]) expect((await fileOf(label.id, query)).body.code).toBe("invalid_state");
  });
});

describe("ship options", () => {
  test("are stored with the label and handed to the carrier", async () => {
    const options = { residential: true, signature: "signature", label: { format: "pdf" } };
    const { label } = (await buy({ ...lb(2), options, shipDate: "2999-03-04" })).body;
    expect(label).toMatchObject({ options, shipDate: "2999-03-04" });
    expect(desk.requests.at(-1)).toMatchObject({ options, shipDate: "2999-03-04", parcels: [lb(2)] });
    const business = (await buy({ ...lb(2), options: { residential: false }, shipDate: "2999-03-04" })).body.label;
    expect(label.cost).toBeGreaterThan(business.cost);
  });

  test("of a shipment across a border are shown to those who may see personal data", async () => {
    const customs = {
      contents: "merchandise",
      signer: "Ada Byron",
      items: [{ description: "Mug", quantity: 1, value: { amount: 5, currency: "USD" }, weight: lb(1).weight }],
    };
    const clerk = await org.withScopes(["shipments:read", "shipments:write", "carrier_accounts:read"]);
    const { label } = (await clerk.post("/shipments/labels", { ...aParcel, carrierAccountId, options: { customs } }))
      .body;
    expect(label.options).toEqual({});
    expect((await get(`/shipments/labels/${label.id}`)).options).toEqual({ customs });
  });

  test("that the carrier does not offer are refused, each with what is allowed", async () => {
    const options = { label: { format: "zpl" }, extra: { dryIce: true } };
    const refused = await buy({ ...lb(2), options, shipDate: "2020-01-01" });
    expect(pointersOf(refused)).toEqual([
      ["/options/label/format", "format_not_offered"],
      ["/options/extra", "extra_not_offered"],
      ["/shipDate", "in_the_past"],
    ]);
    expect(refused.body.errors[0].message).toContain("Allowed: pdf.");
    demoCarrier.extraOptions = Strict({ dryIce: Type.Optional(Type.Boolean()) });
    expect(pointersOf(await buy({ ...lb(2), options: { extra: { dryIce: "much" } } }))).toEqual([
      ["/options/extra/dryIce", "type"],
    ]);
    expect((await buy({ ...lb(2), options: { extra: { dryIce: true } } })).status).toBe(201);
    expect(desk.requests.at(-1)!.options).toEqual({ extra: { dryIce: true } });
  });

  test("of buy_label are checked in the preflight, priced and handed to the carrier", async () => {
    const pipelineOf = (orderId: string, params: object) => ({
      order_ids: [orderId],
      actions: [
        { type: "buy_label", params: { carrier_account_id: carrierAccountId, service: "NAT_GROUND", ...params } },
      ],
    });
    const order = await anOrder();
    const wrong = await org.post(
      "/operations/preflight",
      pipelineOf(order.id, { options: { extra: { dryIce: true } } }),
    );
    expect(JSON.stringify(wrong.body)).toContain("has no extra options");
    const wanted = pipelineOf(order.id, { options: { residential: true }, ship_date: "2999-03-04" });
    const preflight = await org.post("/operations/preflight", wanted);
    expect((await org.post("/operations/run", wanted)).status).toBe(201);
    await workOff(hub.world, labelWork);
    const [label] = (await get(`/shipments/labels?orderId=${order.id}`)).data;
    expect(label).toMatchObject({ status: "purchased", options: { residential: true }, shipDate: "2999-03-04" });
    expect(JSON.stringify(preflight.body)).toContain(`"total":${label.cost}`);
  });
});

const change = (more: Partial<Label>) => void desk.nextTurns.push({ after: (label) => ({ ...label, ...more }) });

test("the currency and the lines of the charge are kept", async () => {
  const lines = [
    { code: "base", label: "Base", cents: 1300 },
    { code: "discount", label: "Discount", cents: -66 },
  ];
  change({ charge: { cents: 1234, currency: "EUR", lines } });
  const { label, shipment } = (await buy(lb(2))).body;
  expect(label).toMatchObject({
    cost: 12.34,
    currency: "EUR",
    chargeLines: [
      { code: "base", label: "Base", amount: 13 },
      { code: "discount", label: "Discount", amount: -0.66 },
    ],
  });
  expect(shipment).toMatchObject({ cost: 12.34, currency: "EUR" });
  change({ charge: { cents: 1234, currency: "JPY" } });
  expect((await buy(lb(2))).body.label).toMatchObject({ cost: 1234, currency: "JPY", chargeLines: [] });
  change({ charge: { cents: 1234, currency: "dollars" } });
  expect((await buy(lb(2))).body.carrierCode).toBe("outcome_unknown");
});

test("documents of a shipment can be downloaded as label files can", async () => {
  const content = Buffer.from([0, 255, 71, 73, 70]);
  change({ documents: [{ kind: "customs", file: { contentType: "image/gif", content } }] });
  const { label } = (await buy(lb(2))).body;
  expect(label.documents).toEqual([{ kind: "customs", contentType: "image/gif", contentBytes: 5 }]);
  const answer = await fetch(`${hub.url}/api/v1/shipments/labels/${label.id}/content?document=1`, {
    headers: { authorization: `Bearer ${org.token}` },
  });
  expect(answer.headers.get("content-type")).toBe("image/gif");
  expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  const clerk = await org.withScopes(["shipments:read"]);
  expect((await clerk.get(`/shipments/labels/${label.id}/content?document=1`)).body.code).toBe("insufficient_scope");
});

test("the carrier's promise is that of the shipment, unless the order has one", async () => {
  hub.world.clock.set({ mode: "frozen", at: "2026-03-02T15:00:00Z" });
  const friday = "2026-03-06";
  change({ transitDays: 2 });
  const counted = (await buy({ ...lb(2), shipDate: friday })).body;
  expect(counted).toMatchObject({ label: { transitDays: 2 }, shipment: { promisedDate: "2026-03-10" } });
  change({ transitDays: 2, deliverBy: "2026-03-09" });
  const named = (await buy({ ...lb(2), shipDate: friday })).body;
  expect(named).toMatchObject({ label: { deliverBy: "2026-03-09" }, shipment: { promisedDate: "2026-03-09" } });
  const order = await anOrder({ deliverBy: "2026-04-01T12:00:00Z" });
  change({ deliverBy: "2026-03-09" });
  expect((await forOrder(order.id)).body.shipment.promisedDate).toBe("2026-04-01");
  // The label is paid for, whatever the carrier says about its delivery.
  for (const deliverBy of ["2999-01-01", "2001-01-01T00:00:00Z"]) {
    change({ deliverBy });
    expect((await buy(lb(2))).body).toMatchObject({ label: { deliverBy }, shipment: { promisedDate: null } });
  }
  hub.world.clock.set({ mode: "real" });
});

test("a label of before labels had several parcels has one", async () => {
  const { label } = (await buy(lb(2))).body;
  await hub.world.db.query("update shipment_labels set parcels = null, currency = null where id = $1", [label.id]);
  const { version: _version, ...old } = await get(`/shipments/labels/${label.id}`);
  expect(old).toMatchObject({ parcels: label.parcels, currency: "USD", trackingNumber: label.trackingNumber });
  expect((await fileOf(label.id, "?parcel=1")).status).toBe(200);
  expect((await org.delete(`/shipments/labels/${label.id}`)).status).toBe(200);
});
