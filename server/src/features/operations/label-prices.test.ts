import { describe, expect, test } from "vitest";
import { demoCarrier } from "../../carriers/demo/demo-carrier.ts";
import type { Quote } from "../../carriers/seam/quotes.ts";
import { workOff } from "../../queue/work.ts";
import { afterFile } from "../../testing/after-file.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { labelWork } from "../labels/labels.ts";
import { applyLabelResults } from "./operations.ts";

const hub = await startTestHub();
const org = await hub.org();
const location = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id as string;
const easypost = await startWithAccount.easypost();
const ups = await startWithAccount.ups();
afterFile(async () => {
  await easypost.standIn.close();
  await ups.standIn.close();
});
const accountOf = async (account: object) => {
  const answer = await org.post("/carrier-accounts", account);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id as string;
};
const carriers = {
  easypost: { ...easypost, id: await accountOf(easypost.account), service: "UPS/Ground", asking: "quote" },
  ups: { ...ups, id: await accountOf(ups.account), service: "03", asking: "rate" },
};

const anOrder = async (more: object = {}) => {
  const answer = await org.post("/orders", {
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [{ sku: "MUG-01", quantity: 2, weight: { value: 1, unit: "lb" } }],
    locationId: location,
    ...more,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id as string;
};

async function settle(): Promise<void> {
  await workOff(hub.world, labelWork);
  await applyLabelResults(hub.world, new AbortController().signal);
}

const labelOf = async (orderId: string) => (await org.get(`/shipments/labels?orderId=${orderId}`)).body.data[0];
type Price = { total: number; currency: string; transit_days: number; estimated_delivery_date: string };
type Step = { status?: string; price: Price; warning?: object };
const stepsOf = ({ orders, results }: Record<string, { steps: Step[] }[]>) => (orders ?? results)![0]!.steps;

/** Buys a label at the best rate of one account. */
async function buy(accountId: string, service: string, orderId: string, options?: object) {
  const actions = [
    {
      type: "choose_rate",
      params: { carrier_account_ids: [accountId], services: [service], ...(options && { options }) },
    },
    { type: "buy_label", params: options ? { options } : {} },
  ];
  const request = { order_ids: [orderId], actions };
  const preflight = (await org.post("/operations/preflight", request)).body;
  const run = (await org.post("/operations/run", request)).body;
  return { preflight, run };
}

describe.each(["easypost", "ups"] as const)("%s", (name) => {
  const { id, service, standIn, asking } = carriers[name];
  const rateCalls = (): number => standIn.requests.filter(({ operation }) => operation === asking).length;
  const prices: number[] = [];

  test.each([
    ["without options", undefined],
    ["with a signature", { signature: "signature" }],
    ["to a home", { residential: true }],
    ["to a home with a signature of an adult", { residential: true, signature: "adult_signature" }],
  ])("the price of the preflight is that of the run and of the label, %s", async (_what, options) => {
    const orderId = await anOrder();
    const before = rateCalls();
    const { preflight, run } = await buy(id, service, orderId, options);
    expect(stepsOf(run)[1], JSON.stringify(stepsOf(run))).toMatchObject({ status: "applied" });
    // Both steps have one and the same quote: one request for the preflight, one for the run.
    expect(rateCalls() - before).toBe(2);
    await settle();
    const { price } = stepsOf(preflight)[0]!;
    prices.push(price.total);
    for (const step of [stepsOf(preflight)[1]!, ...stepsOf(run)]) expect(step).toMatchObject({ price });
    expect(preflight.pipeline[1].prices).toEqual([{ currency: "USD", total: price.total, orders: 1 }]);
    const label = await labelOf(orderId);
    expect(label).toMatchObject({
      status: "purchased",
      cost: price.total,
      quotedCost: price.total,
      quotedCurrency: "USD",
      warning: null,
      options: options ?? {},
    });
    const ended = (await org.get(`/operations/runs/${run.id}`)).body;
    expect(ended).toMatchObject({ status: "succeeded", labels: { requested: 1, bought: 1, failed: 0 } });
    expect(stepsOf(ended)[1]).not.toHaveProperty("warning");
  });

  test("options change the price", () => {
    expect(new Set(prices).size).toBe(4);
  });

  test("an address that is a home has the price of one, in the quote and on the label", async () => {
    const orderId = await anOrder({ shippingAddress: { ...aParcel.to, residential: true } });
    const { preflight } = await buy(id, service, orderId);
    await settle();
    expect(stepsOf(preflight)[1]).toMatchObject({ price: { total: prices[2] } });
    const label = await labelOf(orderId);
    expect(label).toMatchObject({ cost: prices[2], options: { residential: true } });
    expect(label.to).not.toHaveProperty("residential");
    // What a step asks for wins over the order.
    const business = await anOrder({ shippingAddress: { ...aParcel.to, residential: true } });
    await buy(id, service, business, { residential: false });
    await settle();
    expect(await labelOf(business)).toMatchObject({ cost: prices[0], options: { residential: false } });
  });

  test("the promise of the quote is that of the shipment", async () => {
    const orderId = await anOrder();
    const { run } = await buy(id, service, orderId);
    await settle();
    const label = await labelOf(orderId);
    const { price } = stepsOf(run)[1]!;
    expect(label.transitDays).toBe(price.transit_days);
    const shipment = (await org.get(`/shipments/${label.shipmentId}`)).body;
    expect(shipment.promisedDate).toBe(price.estimated_delivery_date);
  });

  test("what the carrier keeps with a quote does not leave the hub", async () => {
    const orderId = await anOrder();
    const { preflight, run } = await buy(id, service, orderId);
    await settle();
    const label = await labelOf(orderId);
    const audit = (await org.get(`/audit?objectId=${label.id}`)).body;
    const told = JSON.stringify([preflight, run, label, audit, (await org.get(`/operations/runs/${run.id}`)).body]);
    expect(told).not.toMatch(/carrierData|"quote"|ca_0000/);
  });
});

describe("a price that changed between quote and purchase", () => {
  const { id, service, standIn } = carriers.easypost;

  test("a stale rate is rated again, and the label is bought at the same price", async () => {
    const orderId = await anOrder();
    const { run } = await buy(id, service, orderId);
    standIn.inject("stale_rate", { operation: "buy" });
    await settle();
    const label = await labelOf(orderId);
    expect(standIn.requests.at(-1)?.operation).not.toBe("rerate");
    expect(standIn.requests.some(({ operation }) => operation === "rerate")).toBe(true);
    expect(label).toMatchObject({ status: "purchased", cost: label.quotedCost, warning: null });
    expect((await org.get(`/operations/runs/${run.id}`)).body.status).toBe("succeeded");
  });

  test("another price is shown beside the quote, on the label and in the run", async () => {
    const orderId = await anOrder();
    const { run } = await buy(id, service, orderId);
    standIn.inject("stale_rate", { operation: "buy" });
    standIn.inject("prices_raised", { times: 2 });
    await settle();
    const { price } = stepsOf(run)[1]!;
    const label = await labelOf(orderId);
    const wanted = {
      code: "price_differs",
      message: `The carrier charged ${(price.total + 1).toFixed(2)} USD; its quote was ${price.total.toFixed(2)} USD.`,
    };
    expect(label).toMatchObject({
      status: "purchased",
      cost: Math.round((price.total + 1) * 100) / 100,
      quotedCost: price.total,
      warning: wanted,
      failure: null,
    });
    const ended = (await org.get(`/operations/runs/${run.id}`)).body;
    expect(ended.status).toBe("succeeded");
    expect(stepsOf(ended)[1]).toMatchObject({ status: "applied", warning: wanted });
  });
});

describe("a quote with data of the carrier", () => {
  const script = scriptLabels();
  const { rate } = demoCarrier;
  afterFile(() => void Object.assign(demoCarrier, { rate }));
  const kept = { rateId: "rate-1" };
  const quoteWith = (more: Partial<Quote>): void => {
    demoCarrier.rate = async (call, request) =>
      (await rate!(call, request)).map((one) => ("total" in one ? { ...one, ...more } : one));
  };
  const buyAtDemo = async (more: object = {}) => {
    const orderId = await anOrder();
    await org.post("/operations/run", {
      order_ids: [orderId],
      actions: [{ type: "buy_label", params: { carrier_account_id: await demo, service: "NAT_GROUND", ...more } }],
    });
    return orderId;
  };
  const demo = accountOf({ name: "Demo", carrier: "demo" });
  const inMinutes = (minutes: number): string =>
    new Date(hub.world.clock.now().getTime() + minutes * 60_000).toISOString();

  test("is handed back with the purchase until it expires", async () => {
    for (const [expiresAt, quote] of [
      [null, kept],
      [inMinutes(10), kept],
      [inMinutes(-1), undefined],
      ["not a time", kept],
    ] as const) {
      quoteWith({ carrierData: kept, expiresAt });
      const orderId = await buyAtDemo();
      await settle();
      expect(script.requests.at(-1)!.quote, String(expiresAt)).toEqual(quote);
      expect(await labelOf(orderId)).toMatchObject({ status: "purchased", warning: null });
    }
  });

  test("is not used after its ship date, and data that cannot be stored are dropped", async () => {
    quoteWith({ carrierData: kept });
    const orderId = await buyAtDemo();
    await hub.world.db.query("update shipment_labels set ship_date = ship_date - 1 where order_id = $1", [orderId]);
    await settle();
    expect(script.requests.at(-1)!.quote).toBeUndefined();
    quoteWith({ carrierData: { text: "x".repeat(20_000) } });
    await buyAtDemo();
    await settle();
    expect(script.requests.at(-1)!.quote).toBeUndefined();
  });

  test("a label that was bought by itself has no quote", async () => {
    const { label } = (await org.post("/shipments/labels", { ...aParcel, carrierAccountId: await demo })).body;
    expect(label).toMatchObject({ status: "purchased", quotedCost: null, quotedCurrency: null, warning: null });
    expect(script.requests.at(-1)!.quote).toBeUndefined();
    const refused = await org.post("/shipments/labels", { ...aParcel, carrierAccountId: await demo, quote: kept });
    expect(refused.status).toBe(400);
  });
});
