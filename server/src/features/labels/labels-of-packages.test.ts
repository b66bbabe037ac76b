import { describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { afterFile } from "../../testing/after-file.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "./labels.schemas.ts";
import { labelWork } from "./labels.ts";

const hub = await startTestHub();
const org = await hub.org();
const script = scriptLabels();
const demo = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id as string;
const location = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id as string;
const lb = (value: number) => ({ value, unit: "lb" });
const box = { length: 10, width: 8, height: 4, unit: "in" };
const packages = [{ weight: lb(3), dimensions: box, count: 2 }, { weight: lb(5) }];
const threeParcels = [
  { weight: lb(3), dimensions: box },
  { weight: lb(3), dimensions: box },
  { weight: lb(5), dimensions: null },
];

const anOrder = async (more: object = {}) =>
  (
    await org.post("/orders", {
      status: "ready",
      shippingAddress: aParcel.to,
      lines: [{ id: "mugs", sku: "MUG-01", quantity: 3, weight: lb(1) }],
      locationId: location,
      packages,
      ...more,
    })
  ).body;
const buy = (orderId: string, more: object = {}) =>
  org.post("/shipments/labels", { carrierAccountId: demo, service: "NAT_GROUND", orderId, ...more });

describe("a label for an order with several packages", () => {
  test("has a parcel for each of them", async () => {
    const { id } = await anOrder();
    const { status, body } = await buy(id);
    expect(status).toBe(201);
    expect(body.label).toMatchObject({ weight: lb(11), dimensions: null, parcels: threeParcels });
    expect(new Set(body.label.parcels.map((one: { trackingNumber: string }) => one.trackingNumber)).size).toBe(3);
    const order = (await org.get(`/orders/${id}`)).body;
    expect(order).toMatchObject({ status: "shipped", lines: [{ shippedQuantity: 3 }] });
    expect(script.requests.at(-1)!.parcels).toHaveLength(3);
  });

  test("has one parcel of a weight that the request gives, or of its lines", async () => {
    const weighed = await buy((await anOrder()).id, { weight: lb(4) });
    expect(weighed.body.label).toMatchObject({ parcels: [{ weight: lb(4), dimensions: null }] });
    const { id } = await anOrder();
    const some = await buy(id, { lines: [{ lineId: "mugs", quantity: 2 }] });
    expect(some.body.label).toMatchObject({ parcels: [{ weight: lb(2) }] });
    // Which packages are left is unknown.
    expect((await buy(id)).body.errors).toMatchObject([{ pointer: "/parcels", code: "partly_shipped" }]);
    expect((await buy(id, { parcels: [{ weight: lb(1) }] })).status).toBe(201);
  });

  test.each([
    [[{ weight: lb(1) }, {}], "required", "Package 2 of the order has no weight."],
    [[{ weight: lb(0), count: 2 }], "required", "Package 1 of the order has no weight."],
    [[{ weight: lb(1), count: 26 }], "too_many_parcels", "at most 25 parcels"],
  ])("is refused where a carrier could not sell it: %j", async (wrong, code, message) => {
    const { id } = await anOrder({ packages: wrong });
    const { status, body } = await buy(id);
    expect([status, body.errors]).toMatchObject([
      400,
      [{ pointer: "/parcels", code, message: expect.stringContaining(message) }],
    ]);
  });
});

describe("quoted and bought in a run", () => {
  const actionsWith = (accountId: string, service: string) => [
    { type: "choose_rate", params: { carrier_account_ids: [accountId], services: [service] } },
    { type: "buy_label" },
  ];

  test.each(["easypost", "ups"] as const)("%s prices and labels all parcels together", async (name) => {
    const { standIn, account } = await startWithAccount[name]();
    afterFile(() => standIn.close());
    const accountId = (await org.post("/carrier-accounts", account)).body.id as string;
    const service = name === "ups" ? "03" : "UPS/Ground";
    const { id } = await anOrder();
    const request = { order_ids: [id], actions: actionsWith(accountId, service) };
    const [, step] = (await org.post("/operations/preflight", request)).body.orders[0].steps;
    expect(step, JSON.stringify(step)).toHaveProperty("price");
    await org.post("/operations/run", request);
    await workOff(hub.world, labelWork);
    const [label] = (await org.get(`/shipments/labels?orderId=${id}`)).body.data;
    expect(label, JSON.stringify(label.failure)).toMatchObject({
      status: "purchased",
      cost: step.price.total,
      quotedCost: step.price.total,
      parcels: threeParcels,
    });
  });

  test("the preflight refuses what the run would refuse", async () => {
    const { id } = await anOrder({ packages: [{ weight: lb(1) }, {}] });
    const request = { order_ids: [id], actions: actionsWith(demo, "NAT_GROUND") };
    const [step] = (await org.post("/operations/preflight", request)).body.orders[0].steps;
    expect(step.error).toMatchObject({ code: "weight_missing", message: "Package 2 of the order has no weight." });
  });
});
