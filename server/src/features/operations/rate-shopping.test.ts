import { expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aSmallCard } from "../carrier-accounts/carrier-accounts.schemas.ts";
import { aParcel } from "../labels/labels.schemas.ts";

const hub = await startTestHub();
const org = await hub.org();
const easypost = await startWithAccount.easypost();
const ups = await startWithAccount.ups();
afterFile(async () => {
  await easypost.standIn.close();
  await ups.standIn.close();
});
const accountOf = async (account: object): Promise<string> => (await org.post("/carrier-accounts", account)).body.id;
const accounts = {
  easypost: await accountOf(easypost.account),
  ups: await accountOf(ups.account),
  paper: await accountOf({ name: "Paper", carrier: "rate-card" }),
};
const card = {
  ...aSmallCard,
  services: [{ ...aSmallCard.services[0], rates: { "2": [1, 1, 1], "5": [1, 1, 1], "8": [1, 1, 1] } }],
};
await org.post(`/carrier-accounts/${accounts.paper}/rate-cards`, { card });
const locationId = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id as string;
const orderTo = async (shippingAddress: object): Promise<string> =>
  (
    await org.post("/orders", {
      status: "ready",
      shippingAddress,
      lines: [{ sku: "MUG-01", quantity: 1, weight: { value: 1, unit: "lb" } }],
      locationId,
    })
  ).body.id;
const near = await orderTo(aParcel.to);
const far = await orderTo({ ...aParcel.to, city: "Los Angeles", provinceCode: "CA", zip: "90001" });

const choose = async (params: object = {}, order = near) => {
  const actions = [{ type: "choose_rate", params }];
  const { body } = await org.post("/operations/preflight", { order_ids: [order], actions });
  return body.errors ?? body.orders[0].steps[0];
};
const change = (id: string, patch: object) => org.patch(`/carrier-accounts/${id}`, patch);

test("the cheapest account that sells labels is chosen, not a cheaper card", async () => {
  expect(await choose()).toMatchObject({ verdict: "ok", price: { carrier_account_id: accounts.easypost } });
  const named = await choose({ carrier_account_ids: [accounts.paper, accounts.ups] });
  expect(named).toMatchObject({
    verdict: "warning",
    price: { carrier_account_id: accounts.paper },
    warning: { code: "no_labels", message: expect.stringContaining("Paper does not sell labels") },
  });
});

test("an account that is for comparison only is left out unless it is named", async () => {
  const changed = await change(accounts.easypost, { comparisonOnly: true });
  expect([changed.status, changed.body.comparisonOnly]).toEqual([200, true]);
  expect((await org.get(`/carrier-accounts/${accounts.ups}`)).body.comparisonOnly).toBe(false);
  expect(await choose()).toMatchObject({ verdict: "ok", price: { carrier_account_id: accounts.ups } });
  expect(await choose({ carrier_account_ids: [accounts.easypost] })).toMatchObject({
    price: { carrier_account_id: accounts.easypost },
    warning: { code: "comparison_only" },
  });
  await change(accounts.ups, { isActive: false });
  expect(await choose()).toMatchObject({
    verdict: "blocked",
    error: { code: "no_rate", fix: expect.stringContaining("carrier_account_ids") },
  });
  await change(accounts.ups, { isActive: true });
  await change(accounts.easypost, { comparisonOnly: false });
});

test("the cheapest service that arrives in time is chosen, by the days that carriers promise", async () => {
  const atUps = (params: object = {}) => choose({ carrier_account_ids: [accounts.ups], ...params }, far);
  const slow = await atUps();
  const fast = await atUps({ prefer: "fastest" });
  const [slowDay, fastDay] = [slow, fast].map(({ price }) => price.estimated_delivery_date as string);
  expect(fastDay! < slowDay!).toBe(true);
  const inTime = await atUps({ deliver_by: fastDay });
  expect(inTime.price.estimated_delivery_date <= fastDay!).toBe(true);
  expect(inTime.price.total).toBeLessThanOrEqual(fast.price.total);
  expect(await atUps({ deliver_by: slowDay })).toMatchObject({
    price: { service: slow.price.service },
  });
  const today = hub.world.clock.now().toISOString().slice(0, 10);
  expect(await atUps({ deliver_by: today })).toMatchObject({
    error: { code: "no_rate", message: `No service arrives by ${today}; the earliest arrives on ${fastDay}.` },
  });
});

test("days that have passed and options that an account does not offer are named", async () => {
  expect(await choose({ ship_date: "2020-01-01", deliver_by: "2020-01-01" })).toMatchObject([
    { pointer: "/actions/0/params/ship_date", code: "date_in_past" },
  ]);
  expect(await choose({ deliver_by: "2020-01-01" })).toMatchObject([
    { pointer: "/actions/0/params/deliver_by", code: "date_in_past" },
  ]);
  // UPS has no PDF labels: buy_label would be refused.
  const pdf = { label: { format: "pdf" } };
  expect(await choose({ carrier_account_ids: [accounts.ups], options: pdf })).toMatchObject({
    error: { code: "no_rate", message: expect.stringContaining("has no pdf labels") },
  });
  expect(await choose({ options: pdf })).toMatchObject({ price: { carrier_account_id: accounts.easypost } });
});
