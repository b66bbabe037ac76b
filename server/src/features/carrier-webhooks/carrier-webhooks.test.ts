import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { afterFile } from "../../testing/after-file.ts";
import { buyThroughHub, connectAccount } from "../../testing/carriers/buy-through-hub.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import type { AccountRequest } from "../../testing/carriers/stand-in-accounts.ts";
import { eventually } from "../../testing/eventually.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { labelWork } from "../labels/labels.ts";
import { trackingWork } from "../shipments/shipments.ts";
import { removeOldCarrierWebhooks } from "./carrier-webhooks.ts";

const hub = await startTestHub();
let org: TestOrg;
beforeAll(async () => {
  org = await hub.org();
});

const easypost = await startWithAccount.easypost();
const shipengine = await startWithAccount.shipengine();
const karrio = await startWithAccount.karrio();
const ups = await startWithAccount.ups();
for (const { standIn } of [easypost, shipengine, karrio, ups]) afterFile(() => standIn.close());

const pathOf = (accountId: string): string => `/carrier-accounts/${accountId}/inbound-webhooks`;
const urlOf = (accountId: string): string => `${hub.url}/api/v1${pathOf(accountId)}`;
const accountOf = async (id: string, who = org) => (await who.get(`/carrier-accounts/${id}`)).body;
const shipmentOf = async (id: string) => (await org.get(`/shipments/${id}`)).body;
const labelOf = async (id: string) => (await org.get(`/shipments/labels/${id}`)).body;
const typesOf = async (objectId: string): Promise<string[]> =>
  (await org.get(`/audit?objectId=${objectId}`)).body.data.map(({ type }: { type: string }) => type);

/** An account that is subscribed to the webhooks of its stand-in. */
async function subscribed(account: AccountRequest) {
  const id = await connectAccount(org, account);
  const answer = await org.post(`/carrier-accounts/${id}/webhook`, { publicUrl: hub.url });
  expect(answer.status, answer.text).toBe(200);
  return { id, answer: answer.body };
}

const albany = { city: "ALBANY", state: "NY", zip: "12207" };

describe("POST /carrier-accounts/{id}/webhook", () => {
  test("subscribes once, keeps the secret, and needs nothing entered at EasyPost", async () => {
    const { id, answer } = await subscribed(easypost.account);
    expect(answer).toMatchObject({ url: urlOf(id), isSubscribed: true, problem: null, setup: null, secret: null });
    expect((await org.post(`/carrier-accounts/${id}/webhook`)).body).toMatchObject({ url: urlOf(id) });
    const hooks = easypost.standIn.journal("webhook").filter(({ url }) => url === urlOf(id));
    expect(hooks).toHaveLength(1);
    expect(await accountOf(id)).toMatchObject({
      webhook: { url: urlOf(id), isSubscribed: true, lastReceivedAt: null, accepted: 0, refused: 0, unmatched: 0 },
    });
    expect(await typesOf(id)).toContain("carrier_account.webhook_subscribed");
    const { id: label, shipmentId, trackingNumber } = await buyThroughHub(org, id);
    expect(label).toBeTruthy();
    expect(await easypost.standIn.scan(trackingNumber, { status: "in_transit", place: albany })).toContain(200);
    expect((await shipmentOf(shipmentId)).status).toBe("in_transit");
  });

  test("returns the credential that has to be entered at UPS, the same each time", async () => {
    const { id, answer } = await subscribed(ups.account);
    expect(answer).toMatchObject({ isSubscribed: true, setup: expect.stringContaining("developer.ups.com") });
    expect(answer.secret).toMatch(/^[\w-]{43}$/);
    expect((await org.post(`/carrier-accounts/${id}/webhook`, {})).body.secret).toBe(answer.secret);
    expect(JSON.stringify(await accountOf(id))).not.toContain(answer.secret);
    const rows = await hub.world.db.query<{ sealed: string }>(
      "select sealed_secret as sealed from carrier_webhooks where account_id = $1",
      [id],
    );
    expect(rows[0]!.sealed).toMatch(/^s1\./);
  });

  test("says that a carrier sends no webhooks, that the URL is missing or is not one of the hub", async () => {
    const fedex = await startWithAccount.fedex();
    afterFile(() => fedex.standIn.close());
    const silent = await connectAccount(org, fedex.account);
    const refused = await org.post(`/carrier-accounts/${silent}/webhook`, { publicUrl: hub.url });
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"]);
    expect(refused.body.detail).toContain("FedEx sends no webhooks");
    const id = await connectAccount(org, easypost.account);
    for (const [body, code] of [
      [{}, "required"],
      [{ publicUrl: "hub.example.com" }, "not_allowed"],
      [{ publicUrl: "https://hub.example.com/path" }, "not_allowed"],
    ] as const) {
      const { status, body: problem } = await org.post(`/carrier-accounts/${id}/webhook`, body);
      expect([status, problem.errors[0]]).toMatchObject([400, { pointer: "/publicUrl", code }]);
    }
    expect((await accountOf(id)).webhook).toBeNull();
  });

  test("reports what the carrier says, and the account keeps it", async () => {
    const id = await connectAccount(org, { ...easypost.account, credentials: { apiKey: "EZAKwrong" } });
    const { status, body } = await org.post(`/carrier-accounts/${id}/webhook`, { publicUrl: hub.url });
    expect([status, body.code]).toEqual([502, "carrier_failed"]);
    expect((await accountOf(id)).webhook).toMatchObject({ isSubscribed: false, problem: body.detail });
  });
});

describe("a hub with public URLs", () => {
  test("subscribes new accounts automatically and renews the subscription once a day", async () => {
    const public_ = await startTestHub({ settings: settingsWith([]) });
    const who = await public_.org();
    const id = await connectAccount(who, easypost.account);
    await workOff(public_.world, trackingWork);
    expect((await accountOf(id, who)).webhook).toBeNull();
    public_.world.settings.publicUrls = [public_.url];
    const ofUps = await connectAccount(who, ups.account);
    await who.patch(`/carrier-accounts/${id}`, { description: "Changed" });
    await workOff(public_.world, trackingWork);
    const { webhook } = await accountOf(id, who);
    expect(webhook).toMatchObject({ isSubscribed: true, problem: null });
    // Its user has to enter something at UPS first.
    expect((await accountOf(ofUps, who)).webhook).toBeNull();
    const hook = easypost.standIn.journal("webhook").find(({ url }) => url === webhook.url)!;
    easypost.standIn.disableWebhook(String(hook.id));
    const renewals = () => easypost.standIn.journal("webhook_enabled").filter((entry) => entry.id === hook.id).length;
    for (const [hours, expected] of [
      [12, 0],
      [13, 1],
      [1, 1],
    ] as const) {
      public_.advance(hours * 3_600_000);
      await workOff(public_.world, trackingWork);
      expect(renewals()).toBe(expected);
    }
    // Other credentials may belong to another account at the carrier.
    await who.patch(`/carrier-accounts/${id}`, { credentials: { apiKey: easypost.standIn.productionKey } });
    await workOff(public_.world, trackingWork);
    expect(renewals()).toBe(2);
    const foreign = await who.post(`/carrier-accounts/${id}/webhook`, { publicUrl: "https://other.example.com" });
    expect(foreign.body.errors[0].message).toContain(public_.url);
  });
});

function settingsWith(publicUrls: string[]) {
  return { outbound: { allowPrivate: true, allowFromPreview: false }, publicUrls };
}

describe("a webhook of EasyPost", () => {
  test("moves the parcel as a poll would, and a duplicate changes nothing", async () => {
    const { id } = await subscribed(easypost.account);
    const { trackingNumber, shipmentId } = await buyThroughHub(org, id);
    const at = new Date(Date.now() - 3_600_000).toISOString();
    easypost.standIn.inject("duplicate_event", { operation: "webhook" });
    await easypost.standIn.scan(trackingNumber, { status: "delivered", place: albany, datetime: at });
    const delivered = await shipmentOf(shipmentId);
    expect(delivered).toMatchObject({ status: "delivered", deliveredAt: at, lastPolledAt: null });
    expect(await accountOf(id)).toMatchObject({ webhook: { accepted: 1, lastReceivedAt: expect.any(String) } });
    // A late scan from before the delivery does not undo it.
    const earlier = new Date(Date.now() - 7_200_000).toISOString();
    await easypost.standIn.scan(trackingNumber, { status: "in_transit", place: albany, datetime: earlier });
    expect(await shipmentOf(shipmentId)).toMatchObject({ status: "delivered", deliveredAt: at });
    // A poll has the same events: nothing new.
    const before = await shipmentOf(shipmentId);
    const polled = await org.post(`/shipments/${shipmentId}/track`);
    expect(polled.status).toBe(409);
    expect((await shipmentOf(shipmentId)).version).toBe(before.version);
  });

  test("about an unknown number is acknowledged and counted", async () => {
    const { id } = await subscribed(easypost.account);
    const secret = await secretOf(id);
    const foreign = { id: "trk_1", object: "Tracker", tracking_code: "9400100000000000000000", tracking_details: [] };
    const body = JSON.stringify({ description: "tracker.updated", id: "evt_1", result: { ...foreign, status: "x" } });
    expect(await easypost.standIn.sendSigned(urlOf(id), body, secret)).toBe(200);
    expect((await accountOf(id)).webhook).toMatchObject({ accepted: 1, unmatched: 1 });
    const other = JSON.stringify({ description: "batch.updated", id: "evt_2", result: {} });
    expect(await easypost.standIn.sendSigned(urlOf(id), other, secret)).toBe(200);
    expect((await accountOf(id)).webhook).toMatchObject({ accepted: 2, unmatched: 1 });
  });

  test("with a wrong or missing signature is refused and counted, and nothing is stored", async () => {
    const { id } = await subscribed(easypost.account);
    const [rival, silent] = [await subscribed(easypost.account), await connectAccount(org, easypost.account)];
    const body = JSON.stringify({ description: "tracker.updated", id: "evt_1", result: {} });
    const rivalSecret = await secretOf(rival.id);
    const statuses = [
      await easypost.standIn.sendSigned(urlOf(id), body, "guessed"),
      await easypost.standIn.sendSigned(urlOf(id), body, rivalSecret),
      (await hub.anonymous.post(pathOf(id), undefined, { rawBody: body })).status,
    ];
    expect(statuses).toEqual([401, 401, 401]);
    const problem = await hub.anonymous.post(pathOf(id), undefined, { rawBody: body });
    expect(problem.body).toMatchObject({ code: "invalid_signature" });
    const counted = await eventually(
      () => accountOf(id),
      ({ webhook }) => webhook.refused === 4,
    );
    expect(counted.webhook).toMatchObject({ accepted: 0, lastWebhookProblem: expect.stringContaining("signature") });
    const stored = await hub.world.db.query("select from carrier_inbound_webhooks where account_id = $1", [id]);
    expect(stored).toHaveLength(0);
    for (const other of [silent, randomUUID()]) {
      const { status, body: unknown } = await hub.anonymous.post(pathOf(other), undefined, { rawBody: body });
      expect([status, unknown.code]).toEqual([404, "carrier_account_not_found"]);
    }
    const large = await hub.anonymous.post(pathOf(id), undefined, { rawBody: "x".repeat(1024 ** 2 + 1) });
    expect(large.status).toBe(413);
    const garbled = await easypost.standIn.sendSigned(urlOf(id), "not json", await secretOf(id));
    expect(garbled).toBe(400);
    const metrics = await fetch(`${hub.url}/metrics`);
    expect(await metrics.text()).toMatch(/hub_carrier_webhooks_total\{.*outcome="refused".*\} [4-9]/);
  });

  test("is not taken for an inactive account", async () => {
    const { id } = await subscribed(easypost.account);
    const secret = await secretOf(id);
    await org.patch(`/carrier-accounts/${id}`, { isActive: false });
    expect(await easypost.standIn.sendSigned(urlOf(id), "{}", secret)).toBe(404);
  });

  test("with a corrected price is recorded once beside the label; the cost of the shipment follows", async () => {
    const { id } = await subscribed(easypost.account);
    const { id: labelId, trackingNumber, shipmentId, cost } = await buyThroughHub(org, id);
    expect(await labelOf(labelId)).toMatchObject({ adjustments: [], finalCost: cost });
    const wrong = { amount: "2.35", reason: "Heavier than declared", billedOunces: 48 };
    const { invoiceId } = await easypost.standIn.adjust(trackingNumber, wrong);
    const cents = (amount: number): number => Math.round(amount * 100) / 100;
    expect(await labelOf(labelId)).toMatchObject({
      cost,
      finalCost: cents(cost + 2.35),
      adjustments: [
        {
          id: invoiceId,
          amount: 2.35,
          currency: "USD",
          reason: "Heavier than declared",
          weight: { value: 48, unit: "oz" },
        },
      ],
    });
    expect((await shipmentOf(shipmentId)).cost).toBe(cents(cost + 2.35));
    // The carrier corrects its correction under the same ID.
    await easypost.standIn.adjust(trackingNumber, { ...wrong, amount: "1.10" }, invoiceId);
    await easypost.standIn.adjust(trackingNumber, { ...wrong, amount: "1.10" }, invoiceId);
    const corrected = await labelOf(labelId);
    expect(corrected).toMatchObject({ finalCost: cents(cost + 1.1), adjustments: [{ amount: 1.1 }] });
    await easypost.standIn.adjust(trackingNumber, { amount: "-0.50", reason: "Credit", billedOunces: 40 });
    expect(await labelOf(labelId)).toMatchObject({ finalCost: cents(cost + 0.6) });
    expect((await shipmentOf(shipmentId)).cost).toBe(cents(cost + 0.6));
    const events = (await typesOf(labelId)).filter((type) => type === "label.charge_adjusted");
    expect(events).toHaveLength(3);
    const clerk = await org.withScopes(["shipments:read"]);
    expect((await clerk.get(`/shipments/labels/${labelId}`)).body.adjustments[0].reason).toBe("***");
    // A cost that a user has corrected stays.
    const patched = await org.patch(`/shipments/${shipmentId}`, { cost: 99 });
    expect(patched.status, patched.text).toBe(200);
    await easypost.standIn.adjust(trackingNumber, { amount: "0.10", reason: "Fuel", billedOunces: 40 });
    expect((await shipmentOf(shipmentId)).cost).toBe(99);
  });

  test("with a price in another currency leaves the final cost open", async () => {
    const { id } = await subscribed(easypost.account);
    const { id: labelId, trackingNumber, shipmentId, cost } = await buyThroughHub(org, id);
    const invoice = { id: "si_cad", tracking_code: trackingNumber, adjustment_amount: "1.00", currency: "CAD" };
    const body = JSON.stringify({ description: "shipment.invoice.created", result: invoice });
    expect(await easypost.standIn.sendSigned(urlOf(id), body, await secretOf(id))).toBe(200);
    expect(await labelOf(labelId)).toMatchObject({ cost, finalCost: null, adjustments: [{ currency: "CAD" }] });
    expect((await shipmentOf(shipmentId)).cost).toBe(cost);
  });

  test("about a refund settles it as the daily check does", async () => {
    const { id } = await subscribed(easypost.account);
    const { id: labelId, trackingNumber } = await buyThroughHub(org, id);
    const voided = await org.delete(`/shipments/labels/${labelId}`);
    expect(voided.body).toMatchObject({ status: "voided", refund: { state: "submitted" } });
    expect(await easypost.standIn.settleRefund(trackingNumber, "refunded")).toContain(200);
    expect(await labelOf(labelId)).toMatchObject({ status: "voided", refund: { state: "voided" } });
    expect(await typesOf(labelId)).toContain("label.refunded");
    const { version } = await labelOf(labelId);
    await easypost.standIn.settleRefund(trackingNumber, "refunded");
    await workOff(hub.world, labelWork);
    expect((await labelOf(labelId)).version).toBe(version);
  });

  test("is remembered for a week", async () => {
    const left = async () => await hub.world.db.query("select from carrier_inbound_webhooks");
    expect((await left()).length).toBeGreaterThan(0);
    await removeOldCarrierWebhooks(hub.world);
    expect((await left()).length).toBeGreaterThan(0);
    hub.advance(8 * 24 * 3_600_000);
    await removeOldCarrierWebhooks(hub.world);
    expect(await left()).toHaveLength(0);
    hub.advance(-8 * 24 * 3_600_000);
  });
});

/** What the carrier was given. */
async function secretOf(accountId: string): Promise<string> {
  const [row] = await hub.world.db.query<{ sealed: string }>(
    "select sealed_secret as sealed from carrier_webhooks where account_id = $1",
    [accountId],
  );
  return hub.world.secrets.open(row!.sealed, `carrier-webhook:${org.id}:${accountId}`);
}

describe("a webhook of ShipEngine", () => {
  test("is verified with the published keys, which are fetched once", async () => {
    const { id } = await subscribed(shipengine.account);
    const { trackingNumber, shipmentId } = await buyThroughHub(org, id, { phone: "5555550100" });
    const statuses = await shipengine.standIn.scan(trackingNumber, { statusCode: "IT", place: albany });
    expect(statuses).toContain(200);
    expect((await shipmentOf(shipmentId)).status).toBe("in_transit");
    await shipengine.standIn.scan(trackingNumber, { statusCode: "DE", place: albany });
    expect((await shipmentOf(shipmentId)).status).toBe("delivered");
    const [body, old] = ['{"resource_type":"API_TRACK"}', new Date(Date.now() - 3_600_000)];
    expect(await shipengine.standIn.sendSigned(urlOf(id), body)).toBe(200);
    expect(await shipengine.standIn.sendSigned(urlOf(id), body, old)).toBe(401);
    const forged = await hub.anonymous.post(pathOf(id), undefined, {
      rawBody: body,
      headers: { "x-shipengine-timestamp": new Date().toISOString(), "x-shipengine-rsa-sha256-signature": "AAAA" },
    });
    expect(forged.status).toBe(401);
    await eventually(
      () => accountOf(id),
      ({ webhook }) => webhook.refused === 2,
    );
  });

  test("in a flood while ShipEngine is down leads to few calls, and purchases go on", async () => {
    const { id } = await subscribed(shipengine.account);
    const down = shipengine.standIn;
    const asked = () => down.requests.filter(({ operation }) => operation === "jwks").length;
    const before = asked();
    down.inject("error_before", { operation: "jwks", times: 1_000 });
    const body = '{"resource_type":"API_TRACK"}';
    const headers = { "x-shipengine-timestamp": new Date().toISOString(), "x-shipengine-rsa-sha256-key-id": "k" };
    const flood = await Promise.all(
      Array.from({ length: 60 }, () => hub.anonymous.post(pathOf(id), undefined, { rawBody: body, headers })),
    );
    // 429: more at once than one address may send.
    expect(flood.filter(({ status }) => status !== 502 && status !== 429)).toEqual([]);
    expect(flood.find(({ status }) => status === 502)!.headers.get("retry-after")).toBe("10");
    // Four at a time, and a GET is repeated by the HTTP client.
    expect(asked() - before).toBeLessThanOrEqual(12);
    down.calm();
    const { trackingNumber } = await buyThroughHub(org, id, { phone: "5555550100" });
    expect(trackingNumber).toBeTruthy();
  });
});

describe("a webhook of karrio", () => {
  test("is verified with the secret that karrio made", async () => {
    const { id } = await subscribed(karrio.account);
    const { trackingNumber, shipmentId } = await buyThroughHub(org, id);
    karrio.standIn.inject("duplicate_event", { operation: "webhook" });
    const statuses = await karrio.standIn.scan(trackingNumber, {
      status: "out_for_delivery",
      location: "Albany, NY, US",
    });
    expect(statuses).toContain(200);
    expect((await shipmentOf(shipmentId)).status).toBe("out_for_delivery");
    expect((await accountOf(id)).webhook).toMatchObject({ accepted: 1, refused: 0 });
    const wrong = await hub.anonymous.post(pathOf(id), undefined, {
      rawBody: "{}",
      headers: { "x-event-id": "guess" },
    });
    expect(wrong.status).toBe(401);
  });
});

describe("a webhook of UPS", () => {
  test("is taken with the credential that was entered at UPS", async () => {
    const { id, answer } = await subscribed(ups.account);
    const { trackingNumber, shipmentId } = await buyThroughHub(org, id);
    // After the label was made.
    const at = new Date(Date.now() + 2_000).toISOString().replace(/\.\d+Z$/, "+00:00");
    ups.standIn.scan(trackingNumber, {
      at,
      type: "I",
      code: "OR",
      description: "Origin Scan",
      city: "Albany",
      state: "NY",
    });
    expect((await ups.standIn.pushTo(urlOf(id), trackingNumber, "guessed"))!.status).toBe(401);
    expect((await ups.standIn.pushTo(urlOf(id), trackingNumber, answer.secret))!.status).toBe(200);
    expect(await shipmentOf(shipmentId)).toMatchObject({
      status: "in_transit",
      acceptedAt: new Date(at).toISOString(),
    });
    const again = await ups.standIn.pushTo(urlOf(id), trackingNumber, answer.secret);
    expect(await again!.json()).toEqual({ status: "duplicate" });
  });
});

test("a deleted account takes no webhooks", async () => {
  const { id } = await subscribed(easypost.account);
  const secret = await secretOf(id);
  expect((await org.delete(`/carrier-accounts/${id}`)).status).toBe(200);
  expect(await easypost.standIn.sendSigned(urlOf(id), "{}", secret)).toBe(404);
});
