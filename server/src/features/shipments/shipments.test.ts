import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const day = 86_400_000;

/** A moment before now, so that nothing is in the future. */
const ago = (days: number): string => new Date(Date.now() - days * day).toISOString();
const number = (): string => `T${randomUUID().slice(0, 12)}`;
const shipped = (more: object = {}) => org.post("/shipments", { carrier: "ups", trackingNumber: number(), ...more });

describe("recording a shipment", () => {
  test("takes what is known, and makes the rest of it", async () => {
    const destination = { city: "El Paso", provinceCode: "TX", zip: "79901", countryCode: "US" };
    const weight = { value: 2.5, unit: "lb" };
    const { status, body } = await shipped({
      destination,
      weight,
      cost: 11.4,
      promisedDate: "2026-03-05",
      service: "ground",
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: "pre_transit",
      isTrackingActive: true,
      source: "api",
      cost: 11.4,
      currency: "USD",
      timezone: "America/Denver",
      promisedDate: "2026-03-05",
      promiseSource: "request",
      events: [],
      version: 1,
    });
    expect((await org.get(`/shipments/${body.id}`)).body).toEqual(body);
  });

  test("links the order it names, which says where to and until when", async () => {
    const shippingAddress = { city: "Albany", provinceCode: "NY", zip: "12207", countryCode: "US" };
    const order = (await org.post("/orders", { shippingAddress, deliverBy: "2026-03-06T02:00:00Z" })).body;
    const { body } = await shipped({ orderNumber: order.number });
    expect(body).toMatchObject({
      orderId: order.id,
      destination: shippingAddress,
      promisedDate: "2026-03-05",
      promiseSource: "order",
    });
    for (const ref of [order.id, order.number]) {
      expect((await org.get(`/shipments?orderId=${ref}`)).body.data).toMatchObject([{ id: body.id }]);
    }
    expect((await org.get("/shipments?orderId=nobody-has-it")).body.code).toBe("order_not_found");
    expect((await shipped({ orderNumber: "of somebody else" })).body).toMatchObject({
      orderId: null,
      orderNumber: "of somebody else",
    });
    const unknown = await shipped({ orderId: randomUUID() });
    expect(unknown.body).toMatchObject({ status: 404, code: "order_not_found", errors: [{ pointer: "/orderId" }] });
  });

  test("refuses the same parcel twice, however it is written", async () => {
    const { body: first } = await shipped({ trackingNumber: "1Z 999-AA1" });
    const again = await shipped({ trackingNumber: "1z999aa1", carrier: "UPS" });
    expect(again.body).toMatchObject({ status: 409, code: "shipment_exists", existingId: first.id });
    expect((await shipped({ trackingNumber: "1z999aa1", carrier: "dhl" })).status).toBe(201);
    await org.post(`/shipments/${first.id}/void`);
    expect((await shipped({ trackingNumber: "1z999aa1" })).status).toBe(201);
  });

  test("names everything that is wrong at once", async () => {
    const { status, body } = await shipped({
      cost: 1.005,
      currency: "XXQ",
      promisedAt: "2026-03-05T00:00:00Z",
      promisedDate: "2026-03-05",
      deliveredAt: new Date(Date.now() + 3 * day).toISOString(),
      events: [{ at: ago(1), status: "in_transitt" }],
    });
    expect(status).toBe(400);
    expect(body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)).toEqual([
      "/currency unknown_currency",
      "/cost too_many_decimals",
      "/deliveredAt date_in_future",
      "/promisedDate contradiction",
      "/events/0/status enum",
    ]);
    expect(body.errors.at(-1).suggestion).toBe("in_transit");
  });

  test("many at once: each row stands for itself", async () => {
    const twin = number();
    const taken = (await shipped()).body.trackingNumber;
    const { body } = await org.post("/shipments/bulk", {
      shipments: [
        { trackingNumber: twin },
        { trackingNumber: twin },
        { trackingNumber: taken, carrier: "ups" },
        { orderId: randomUUID() },
        "nonsense",
        {},
      ],
    });
    expect(body.summary).toEqual({ total: 6, created: 2, failed: 4 });
    expect(body.results.map(({ error }: { error?: { code: string } }) => error?.code)).toEqual([
      undefined,
      "shipment_exists",
      "shipment_exists",
      "order_not_found",
      "validation_failed",
      undefined,
    ]);
    expect(body.results[3].error.errors[0].pointer).toBe("/shipments/3/orderId");
  });
});

describe("tracking events", () => {
  test("lead to the same shipment in whatever order they arrive, and however often", async () => {
    const events = [
      { at: ago(5), status: "pre_transit" },
      { at: ago(4), status: "PickedUp", location: "Newark" },
      { at: ago(3), status: "in_transit" },
      { at: ago(2), status: "attempt_failed", description: "Nobody home" },
      { at: ago(1), status: "delivered" },
    ];
    const [forth, back] = [await shipped({ promisedDate: ago(2).slice(0, 10) }), await shipped()];
    for (const event of events) await org.post(`/shipments/${forth.body.id}/events`, event);
    for (const event of [...events, ...events].toReversed()) await org.post(`/shipments/${back.body.id}/events`, event);
    const answers = [];
    for (const { body } of [forth, back]) answers.push((await org.get(`/shipments/${body.id}`)).body);
    expect(answers[0].events).toEqual(answers[1].events);
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: "delivered",
        isTrackingActive: false,
        atRisk: false,
        acceptedAt: events[1]!.at,
        firstAttemptAt: events[3]!.at,
        deliveredAt: events[4]!.at,
      });
    }
    expect(answers[0].events[1]).toMatchObject({ status: "picked_up", carrierStatus: "PickedUp", location: "Newark" });
  });

  test("come for many parcels by their numbers; what is known already is said to be", async () => {
    const [one, other] = [(await shipped()).body, (await shipped({ carrier: "dhl" })).body];
    const event = { at: ago(1), status: "in_transit" };
    const rows = [
      { trackingNumber: one.trackingNumber.toLowerCase(), ...event },
      { trackingNumber: one.trackingNumber, carrier: "UPS", ...event },
      { trackingNumber: other.trackingNumber, carrier: "ups", ...event },
      { trackingNumber: "never seen", ...event },
      { trackingNumber: one.trackingNumber, at: "yesterday", status: "in_transit" },
    ];
    const { body } = await org.post("/shipments/events", { events: rows });
    expect(body.summary).toEqual({ total: 5, added: 1, corrected: 0, duplicate: 1, unmatched: 2, failed: 1 });
    expect(body.results[4].error.errors[0].pointer).toBe("/events/4/at");
    expect((await org.post("/shipments/events", { events: rows })).body.summary).toMatchObject({
      added: 0,
      duplicate: 2,
    });
    expect((await org.get(`/shipments/${one.id}`)).body).toMatchObject({ status: "in_transit", version: 2 });
    expect((await org.get(`/shipments/${other.id}`)).body.status).toBe("pre_transit");
  });

  test("are written down as what they changed", async () => {
    const { body } = await shipped();
    const event = { at: ago(1), status: "in_transit" };
    for (let i = 0; i < 2; i++) await org.post(`/shipments/${body.id}/events`, event);
    const { data } = (await org.get(`/audit?objectId=${body.id}`)).body;
    expect(data.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      "shipment.created",
      "shipment.status_changed",
    ]);
  });

  test("of the last parcel deliver the order, if it was shipped", async () => {
    const order = (await org.post("/orders", { status: "ready", lines: [{ sku: "MUG", quantity: 1 }] })).body;
    const actions = [{ type: "mark_shipped", params: { tracking_number: number(), carrier: "ups" } }];
    await org.post("/operations/run", { order_ids: [order.id], actions });
    const second = (await shipped({ orderId: order.id })).body;
    const [first] = (await org.get(`/shipments?orderId=${order.id}`)).body.data.filter(
      ({ source }: { source: string }) => source === "run",
    );
    const arrived = { at: ago(0.1), status: "delivered" };
    await org.post(`/shipments/${first.id}/events`, arrived);
    expect((await org.get(`/orders/${order.id}`)).body.status).toBe("shipped");
    await org.post("/shipments/events", { events: [{ trackingNumber: second.trackingNumber, ...arrived }] });
    expect((await org.get(`/orders/${order.id}`)).body.status).toBe("delivered");
    const { data } = (await org.get(`/orders/${order.id}/timeline`)).body;
    expect(data[0]).toMatchObject({
      kind: "delivered",
      changes: [{ path: "/status", from: "shipped", to: "delivered" }],
    });
    const unshipped = (await org.post("/orders", {})).body;
    await shipped({ orderId: unshipped.id, deliveredAt: ago(1) });
    expect((await org.get(`/orders/${unshipped.id}`)).body.status).toBe("new");
  });
});

test("who a parcel is for is shown only with pii:read", async () => {
  const destination = { name: "Ada Byron", address1: "12 Main Street", city: "Albany", zip: "12207" };
  const { body } = await shipped({ destination });
  const reader = await org.withScopes(["shipments:read"]);
  const masked = { name: "***", address1: "***", city: "Albany", zip: "12207" };
  expect((await reader.get(`/shipments/${body.id}`)).body.destination).toEqual(masked);
  expect((await reader.get(`/shipments?trackingNumber=${body.trackingNumber}`)).body.data[0].destination).toEqual(
    masked,
  );
  const trusted = await org.withScopes(["shipments:read", "pii:read"]);
  expect((await trusted.get(`/shipments/${body.id}`)).body.destination).toEqual(destination);
});

describe("changing a shipment", () => {
  test("merges what is said, and knows what follows from it", async () => {
    const { body } = await shipped({ destination: { zip: "10001", countryCode: "US" }, deliveredAt: ago(1) });
    const changed = await org.patch(
      `/shipments/${body.id}`,
      { promisedAt: "2026-03-06T03:00:00Z", destination: { city: "New York" }, metadata: { claim: "C-1" } },
      { headers: { "if-match": '"1"' } },
    );
    expect(changed.body).toMatchObject({
      promisedDate: "2026-03-05",
      destination: { zip: "10001", city: "New York" },
      metadata: { claim: "C-1" },
      version: 2,
    });
    expect((await org.patch(`/shipments/${body.id}`, {})).body.code).toBe("empty_patch");
    const stale = await org.patch(`/shipments/${body.id}`, { service: "air" }, { headers: { "if-match": '"1"' } });
    expect(stale.status).toBe(412);
    const twin = (await shipped()).body.trackingNumber;
    expect((await org.patch(`/shipments/${body.id}`, { trackingNumber: twin })).body.code).toBe("shipment_exists");
  });

  test("voids it once; events are kept and change nothing any more", async () => {
    const { body } = await shipped();
    const { body: voided } = await org.post(`/shipments/${body.id}/void`);
    expect(voided).toMatchObject({ status: "cancelled", isTrackingActive: false, version: 2 });
    expect((await org.post(`/shipments/${body.id}/void`)).body).toEqual(voided);
    const { body: after } = await org.post(`/shipments/${body.id}/events`, { at: ago(0.1), status: "in_transit" });
    expect(after).toMatchObject({ status: "cancelled", events: [{ status: "in_transit" }] });
  });

  test.each([
    ["delivered", { deliveredAt: "2026-03-01T10:00:00Z" }],
    ["in_transit", { acceptedAt: "2026-03-01T10:00:00Z" }],
    ["attempt_failed", { events: [{ at: "2026-03-01T10:00:00Z", status: "attempt_failed" }] }],
  ])("D16: cannot void what the carrier has scanned: it is %s", async (status, more) => {
    const { body } = await shipped(more);
    expect(body.status).toBe(status);
    const refused = await org.post(`/shipments/${body.id}/void`);
    expect(refused.body).toMatchObject({ status: 409, code: "invalid_state" });
    expect((await org.get(`/shipments/${body.id}`)).body).toMatchObject({ status, voidedAt: null });
  });
});
