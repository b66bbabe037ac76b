import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { RemoteError } from "../../core/remote-error.ts";
import { workOff } from "../../queue/work.ts";
import { dyingBeforeKeeping } from "../../testing/die-before-keeping.ts";
import { inboxOf } from "../../testing/exception-desk.ts";
import { scriptLabels, scriptPickups } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { labelWork } from "../labels/labels.ts";
import { pickupWork } from "../pickups/pickups.ts";

const hub = await startTestHub();
const { db } = hub.world;
const [labels, pickups] = [scriptLabels(), scriptPickups()];

const refuse = () => Promise.reject(new RemoteError("rejected", "Not today."));
const saysNothing = () => Promise.reject(new RemoteError("carrier_down", "It is not itself.", { retryable: true }));

async function aDesk() {
  const org = await hub.org();
  const { body: account } = await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" });
  const { list, one, fix: act } = inboxOf(org);
  const fix = async (id: string, headers = {}) =>
    await org.post(`/exceptions/${id}/resolve`, { action: "retry" }, { headers });
  /** What is done about it takes what the same takes elsewhere. */
  const expectScope = async (id: string, scope: string) => {
    const narrow = await org.withScopes(["exceptions:read", "exceptions:write"]);
    const { status, body } = await narrow.post(`/exceptions/${id}/resolve`, { action: "retry" });
    expect([status, body.required]).toEqual([403, [scope]]);
  };
  /** The hub dies before it keeps an answer by itself; whoever asks again under the same key gets that of the fix. */
  const fixAndDie = async (id: string) => {
    const headers = { "idempotency-key": randomUUID() };
    await dyingBeforeKeeping(db, () => fix(id, headers));
    return await fix(id, headers);
  };
  return { org, account, list, one, act, fix, fixAndDie, expectScope };
}
type Desk = Awaited<ReturnType<typeof aDesk>>;

const actionsOf = ({ availableActions }: { availableActions: { action: string }[] }): string[] =>
  availableActions.map(({ action }) => action);

/** The carrier was asked as often as it is asked, and never answered. */
async function untilGivenUp(table: "shipment_labels" | "pickups", id: string): Promise<void> {
  await db.query(`update ${table} set attempts = 24, due_at = $2 where id = $1`, [id, hub.world.clock.now()]);
  await (table === "pickups" ? workOff(hub.world, pickupWork) : workOff(hub.world, labelWork));
}

describe("a label", () => {
  const buy = async ({ org, account }: Desk, more: object = {}) =>
    await org.post("/shipments/labels", {
      ...aParcel,
      carrierAccountId: account.id,
      reference: `R-${randomUUID()}`,
      ...more,
    });
  const anOrder = async ({ org, account }: Desk) => {
    const lines = [{ sku: "MUG", quantity: 1 }];
    const { body } = await org.post("/orders", { status: "ready", shippingAddress: aParcel.to, lines });
    const { to: _to, ...parcel } = aParcel;
    return { ...parcel, carrierAccountId: account.id, orderId: body.id as string };
  };
  const salesOf = (id: string): string[] => [...labels.sold.keys()].filter((key) => key.includes(id));

  test("that the carrier did not take back is given back once more, and is over when it is", async () => {
    const desk = await aDesk();
    const { label } = (await buy(desk)).body;
    labels.nextVoids.push(refuse, refuse);
    expect((await desk.org.delete(`/shipments/labels/${label.id}`)).body.code).toBe("label_not_voidable");
    const row = await desk.one();
    expect(row).toMatchObject({ kind: "label", code: "void_rejected", subject: { type: "label", id: label.id } });
    await desk.expectScope(row.id, "shipments:write");
    const again = await desk.fix(row.id);
    expect([again.status, again.body.code]).toEqual([409, "label_not_voidable"]);
    expect(await desk.one()).toMatchObject({ id: row.id, timesSeen: 2 });
    expect((await desk.fixAndDie(row.id)).body).toMatchObject({
      status: "resolved",
      exception: { resolution: "auto_resolved" },
    });
    expect((await desk.org.get(`/shipments/labels/${label.id}`)).body.status).toBe("voided");
    expect(labels.voided).toContain(label.trackingNumber);
  });

  test("that nobody knows the end of is asked for under the same key: it is bought once", async () => {
    const desk = await aDesk();
    // The first answer is lost after the sale.
    labels.nextTurns.push({ after: saysNothing });
    const { label } = (await buy(desk)).body;
    labels.nextTurns.push({ before: saysNothing });
    await untilGivenUp("shipment_labels", label.id);
    const row = await desk.one();
    expect(row).toMatchObject({ code: "outcome_unknown", message: expect.stringContaining("did not confirm") });
    const silent = await desk.fix(row.id);
    expect(silent.body).toMatchObject({ status: "in_progress", exception: { status: "open" } });
    await untilGivenUp("shipment_labels", label.id);
    expect((await desk.fixAndDie(row.id)).body).toMatchObject({ status: "resolved" });
    expect([salesOf(label.id), await desk.list()]).toEqual([[`label:${label.id}`], []]);
  });

  const unknownLabel = async (desk: Awaited<ReturnType<typeof aDesk>>, request: object) => {
    labels.nextTurns.push({ before: saysNothing });
    const { label } = (await desk.org.post("/shipments/labels", request)).body;
    await untilGivenUp("shipment_labels", label.id);
    return { id: label.id as string, row: await desk.one() };
  };

  test("that the carrier has sold is recorded as it shows it", async () => {
    const desk = await aDesk();
    const { orderId, ...parcel } = await anOrder(desk);
    const { id, row } = await unknownLabel(desk, { ...parcel, orderId });
    expect(actionsOf(row)).toEqual(["retry", "mark_purchased", "mark_not_purchased", "dismiss"]);
    await desk.expectScope(row.id, "shipments:write");
    const asked = labels.asked.length;
    const none = await desk.act(row.id, "mark_purchased");
    expect([none.status, none.body.errors]).toMatchObject([400, [{ pointer: "/purchase", code: "required" }]]);
    const furtherTrackingNumbers = ["1Z2"];
    const many = await desk.act(row.id, "mark_purchased", {
      purchase: { trackingNumber: "1Z1", furtherTrackingNumbers },
    });
    expect(many.body.errors).toMatchObject([{ pointer: "/purchase/furtherTrackingNumbers", code: "parcel_count" }]);
    const fixed = await desk.act(row.id, "mark_purchased", { purchase: { trackingNumber: "1Z1", cost: 8.45 } });
    expect(fixed.body).toMatchObject({ status: "resolved", exception: { resolution: "mark_purchased" } });
    const label = (await desk.org.get(`/shipments/labels/${id}`)).body;
    expect(label).toMatchObject({ status: "purchased", trackingNumber: "1Z1", cost: 8.45, failure: null });
    expect((await desk.org.get(`/orders/${orderId}`)).body).toMatchObject({
      status: "shipped",
      shipments: [{ id: label.shipmentId, trackingNumber: "1Z1" }],
    });
    expect((await desk.org.get(`/shipments/labels/${id}/content`)).body.detail).toContain(
      "Download it from the carrier",
    );
    expect((await desk.act(row.id, "mark_purchased", { purchase: { trackingNumber: "1Z1" } })).body.code).toBe(
      "exception_closed",
    );
    expect([labels.asked.length, await desk.list()]).toEqual([asked, []]);
  });

  test("that the carrier has not sold frees its items for another label", async () => {
    const desk = await aDesk();
    const { orderId, ...parcel } = await anOrder(desk);
    const { id, row } = await unknownLabel(desk, { ...parcel, orderId });
    const blocked = await desk.org.post("/operations/preflight", {
      order_ids: [orderId],
      actions: [
        { type: "buy_label", params: { carrier_account_id: parcel.carrierAccountId, service: parcel.service } },
      ],
    });
    expect(JSON.stringify(blocked.body)).toContain("outcome_unknown");
    const filter = { kind: "label", code: "outcome_unknown" };
    const bulk = await desk.org.post("/exceptions/resolve", { action: "mark_purchased", filter });
    expect(bulk.status).toBe(400);
    const fixed = await desk.org.post("/exceptions/resolve", { action: "mark_not_purchased", filter });
    expect(fixed.body.results).toEqual([{ id: row.id, status: "resolved" }]);
    const label = (await desk.org.get(`/shipments/labels/${id}`)).body;
    expect(label).toMatchObject({ status: "failed", failure: { code: "not_purchased" } });
    expect((await desk.org.post(`/shipments/labels/${id}/retry`)).body.code).toBe("invalid_state");
    const another = await desk.org.post("/shipments/labels", { ...parcel, orderId });
    expect([another.status, salesOf(id)]).toEqual([201, []]);
  });

  test("that was sold and is of no use is for people to decide about; it is over when it is given back", async () => {
    const desk = await aDesk();
    labels.nextTurns.push({
      after: (label) => ({ ...label, parcels: label.parcels.map((parcel) => ({ ...parcel, file: null })) }),
    });
    const { label } = (await buy(desk)).body;
    const row = await desk.one();
    expect([row.code, actionsOf(row)]).toEqual(["content_missing", ["dismiss"]]);
    const refused = await desk.fix(row.id);
    expect([refused.status, refused.body.allowed]).toEqual([409, ["dismiss"]]);
    expect((await desk.org.delete(`/shipments/labels/${label.id}`)).status).toBe(200);
    expect(await desk.list("&status=resolved")).toMatchObject([{ id: row.id, resolution: "auto_resolved" }]);
  });

  test("of a fix whose process died is bought by others; refused once more it is the same exception, open again", async () => {
    const desk = await aDesk();
    const wanted = await anOrder(desk);
    labels.nextTurns.push({ before: refuse });
    expect((await desk.org.post("/shipments/labels", wanted)).body.code).toBe("label_rejected");
    const { id } = await desk.one();
    labels.nextTurns.push({ before: refuse });
    // Nothing that the carrier says gets into the database.
    await db.query(`create function refuse_label() returns trigger language plpgsql as
      $$ begin raise exception 'the process is dead'; end $$`);
    await db.query(`create trigger dead before update of status on shipment_labels
      for each row execute function refuse_label()`);
    const key = { "idempotency-key": randomUUID() };
    const died = await desk.fix(id, key);
    await db.query("drop function refuse_label cascade");
    expect(died.status).toBe(500);
    // The wish is written down, and with it that somebody sees to it: nobody asks for a second one.
    expect(await desk.list("&status=resolved")).toMatchObject([{ id, resolution: "retry" }]);
    expect((await desk.fix(id)).body.code).toBe("exception_closed");
    expect((await desk.fix(id, key)).body).toMatchObject({ status: "resolved", exception: { id } });
    labels.nextTurns.push({ before: refuse });
    await db.query("update shipment_labels set due_at = $2 where org_id = $1 and status = 'requested'", [
      desk.org.id,
      hub.world.clock.now(),
    ]);
    await workOff(hub.world, labelWork);
    expect(await desk.one()).toMatchObject({ id, timesSeen: 2, resolution: null });
    expect((await desk.fix(id)).body).toMatchObject({ status: "resolved" });
    const bought = (await desk.org.get(`/shipments/labels?orderId=${wanted.orderId}&status=purchased`)).body.data;
    expect(bought.flatMap((label: { id: string }) => salesOf(label.id))).toHaveLength(1);
  });

  test("that a carrier refused is asked for again, once of those who ask, and over when it is bought", async () => {
    const desk = await aDesk();
    labels.nextTurns.push({ before: refuse });
    expect((await buy(desk)).body.code).toBe("label_rejected");
    const row = await desk.one();
    expect(row).toMatchObject({ kind: "label", code: "rejected", reason: "Not today." });
    await desk.expectScope(row.id, "shipments:write");
    const sold = labels.sold.size;
    const keys = Array.from({ length: 3 }, () => ({ "idempotency-key": randomUUID() }));
    const answers = await Promise.all(keys.map((key) => desk.fix(row.id, key)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(labels.sold.size - sold).toBe(1);
    expect(await desk.list()).toEqual([]);
    // Who asks again under the same key gets the same answer: that of the fix.
    const first = answers.findIndex(({ status }) => status === 200);
    expect(answers[first]!.body).toMatchObject({ status: "resolved", exception: { id: row.id } });
    expect((await desk.fix(row.id, keys[first])).body).toEqual(answers[first]!.body);
  });

  test("of an order that has left is no exception any more, nor of one that was bought elsewhere", async () => {
    const desk = await aDesk();
    const [left, bought] = [await anOrder(desk), await anOrder(desk)];
    for (const wanted of [left, bought]) {
      labels.nextTurns.push({ before: refuse });
      expect((await desk.org.post("/shipments/labels", wanted)).body.code).toBe("label_rejected");
    }
    const actions = [{ type: "cancel", params: { reason: "customer" } }];
    const run = await desk.org.post("/operations/run", { order_ids: [left.orderId], actions });
    expect(run.body.summary).toMatchObject({ succeeded: 1 });
    expect(await desk.one()).toMatchObject({ code: "rejected", orderId: bought.orderId });
    expect((await desk.org.post("/shipments/labels", bought)).status).toBe(201);
    const gone = { resolution: "auto_resolved" };
    expect(await desk.list("&status=resolved")).toMatchObject([gone, gone]);
  });
});

describe("a pickup", () => {
  const pickupAddress = { address1: "1 Port Street", city: "Newark", zip: "07114", countryCode: "US" };
  async function schedule({ org, account }: Desk) {
    const wanted = { carrierAccountId: account.id, pickupAddress, packageCount: 1 };
    const tomorrow = new Date(hub.world.clock.now().getTime() + 86_400_000).toISOString().slice(0, 10);
    const window = { pickupDate: tomorrow, readyTime: "12:00", closeTime: "16:00" };
    const { nextAvailable } = (await org.post("/pickups/check", { ...wanted, ...window })).body;
    return await org.post("/pickups", { ...wanted, ...nextAvailable });
  }

  test("that the carrier did not cancel is cancelled once more; that it is booked anew says nothing about that", async () => {
    const desk = await aDesk();
    const { id, confirmationNumber } = (await schedule(desk)).body;
    pickups.nextCancels.push(refuse, refuse);
    expect((await desk.org.delete(`/pickups/${id}`)).status).toBe(502);
    const row = await desk.one();
    expect(row).toMatchObject({ kind: "pickup", code: "cancel_rejected", subject: { id, name: confirmationNumber } });
    await desk.expectScope(row.id, "pickups:write");
    const again = await desk.fix(row.id);
    expect([again.status, again.body.code]).toEqual([502, "carrier_failed"]);
    const moved = await desk.org.patch(`/pickups/${id}`, { packageCount: 2 });
    expect([moved.status, (await desk.one()).timesSeen]).toEqual([200, 2]);
    expect((await desk.fixAndDie(row.id)).body).toMatchObject({
      status: "resolved",
      exception: { resolution: "auto_resolved" },
    });
    expect((await desk.org.get(`/pickups/${id}`)).body.status).toBe("cancelled");
    expect(pickups.cancelled).toContain(moved.body.confirmationNumber);
  });

  test("that nobody knows the end of is asked for under the same key; one that is refused is another wish", async () => {
    const desk = await aDesk();
    pickups.nextBookings.push(saysNothing);
    const { id } = (await schedule(desk)).body;
    await untilGivenUp("pickups", id);
    const row = await desk.one();
    expect([row.code, actionsOf(row)]).toEqual(["outcome_unknown", ["retry", "dismiss"]]);
    expect((await desk.fixAndDie(row.id)).body).toMatchObject({ status: "resolved" });
    expect((await desk.org.get(`/pickups/${id}`)).body.status).toBe("scheduled");
    expect([...pickups.booked].filter((key) => key.includes(id))).toHaveLength(1);
    const other = await aDesk();
    pickups.nextBookings.push(refuse);
    expect((await schedule(other)).status).toBe(502);
    const refused = await other.one();
    expect([refused.code, refused.reason, actionsOf(refused)]).toEqual(["rejected", "Not today.", ["dismiss"]]);
    expect((await other.fix(refused.id)).body.allowed).toEqual(["dismiss"]);
  });
});
