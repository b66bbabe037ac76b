import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { RemoteError } from "../../core/remote-error.ts";
import { workOff } from "../../queue/work.ts";
import { scriptLabels } from "../../testing/scripted-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "./labels.schemas.ts";
import { labelWork } from "./labels.ts";

const hub = await startTestHub();
const node = await hub.secondNode();
const org = await hub.org();
const desk = scriptLabels();

const monday = Date.parse("2026-03-02T15:00:00Z");
const setClock = (minutes: number): void => {
  const at = new Date(monday + minutes * 60_000).toISOString();
  for (const { world } of [hub, node]) world.clock.set({ mode: "frozen", at });
};
beforeEach(() => setClock(0));
afterAll(() => {
  for (const { world } of [hub, node]) world.clock.set({ mode: "real" });
});

const created = await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" });
const parcel = () => ({ ...aParcel, carrierAccountId: created.body.id, reference: `R-${randomUUID()}` });
const read = async (id: string) => (await org.get(`/shipments/labels/${id}`)).body;
const parcelsOf = async (trackingNumber: string) =>
  (await org.get(`/shipments?trackingNumber=${trackingNumber}`)).body.data;
const salesOf = (id: string) => [...desk.sold.keys()].filter((key) => key.includes(id));
const asksFor = (id: string): number => desk.asked.filter(({ effectKey }) => effectKey.includes(id)).length;

/** Two nodes at once, until nothing is due any more. */
const tend = () => Promise.all([workOff(hub.world, labelWork), workOff(node.world, labelWork)]);

const fail = (options: object) => (): never => {
  throw new RemoteError("carrier_down", "The carrier is not itself.", options);
};

async function expectOneSale(id: string): Promise<void> {
  const label = await read(id);
  expect(label.status).toBe("purchased");
  expect(salesOf(id)).toEqual([`label:${id}`]);
  const numbers = [...desk.sold.values()].map(({ parcels }) => parcels[0]!.trackingNumber);
  expect(numbers.filter((number) => number === label.trackingNumber)).toHaveLength(1);
  expect(await parcelsOf(label.trackingNumber)).toMatchObject([{ id: label.shipmentId, status: "pre_transit" }]);
}

describe("when it is not known whether the carrier sold the label", () => {
  test.each([
    ["it was down and may be asked again", { before: fail({ retryable: true }) }],
    ["the answer was lost after the sale", { after: fail({ mayHaveHappened: true }) }],
    ["it failed with an unexpected error", { after: () => Promise.reject(new Error("a defect")) }],
  ])("%s: 202, and it is asked again under the same key", async (_, turn) => {
    desk.nextTurns.push(turn);
    const { status, body } = await org.post("/shipments/labels", parcel());
    expect(status).toBe(202);
    expect(body).toMatchObject({ label: { status: "requested", trackingNumber: null }, shipment: null });
    const { id } = body.label;
    setClock(0.9);
    await tend();
    expect([(await read(id)).status, asksFor(id)]).toEqual(["requested", 1]);
    setClock(3);
    await tend();
    expect(asksFor(id)).toBe(2);
    await expectOneSale(id);
    expect((await org.get(`/shipments/labels/${id}/content`)).status).toBe(200);
    setClock(60);
    await tend();
    expect(asksFor(id)).toBe(2);
  });

  test("another node asks meanwhile and hears first: both answers are the one label", async () => {
    desk.nextTurns.push({
      after: async (label) => {
        setClock(3);
        await tend();
        return label;
      },
    });
    const { status, body } = await org.post("/shipments/labels", parcel());
    expect([status, body.label.status, body.shipment.id]).toEqual([201, "purchased", body.label.shipmentId]);
    const { id } = body.label;
    expect(asksFor(id)).toBe(2);
    await expectOneSale(id);
    expect((await org.get(`/audit?objectId=${id}&type=label.purchased`)).body.pagination.total).toBe(1);
  });

  test("it does not answer in time", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => AbortSignal.any([soon()]));
    const soon = (): AbortSignal => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      return controller.signal;
    };
    try {
      desk.nextTurns.push({ after: () => new Promise(() => {}) });
      const { status, body } = await org.post("/shipments/labels", parcel());
      expect(status).toBe(202);
      expect(timeout).toHaveBeenCalledWith(20_000);
      setClock(3);
      await tend();
      await expectOneSale(body.label.id);
    } finally {
      timeout.mockRestore();
    }
  });

  test("and never will be: after three hours it fails and asks for a manual check", async () => {
    desk.nextTurns.push(...Array.from({ length: 24 }, () => ({ before: fail({ retryable: true }) })));
    const { body } = await org.post("/shipments/labels", parcel());
    for (let minutes = 11; minutes < 300; minutes += 11) {
      setClock(minutes);
      await tend();
    }
    desk.nextTurns.length = 0;
    expect(await read(body.label.id)).toMatchObject({ status: "failed", failure: { code: "outcome_unknown" } });
    expect(asksFor(body.label.id)).toBe(24);
  });

  test("its account was deleted: the label has failed", async () => {
    const own = await org.post("/carrier-accounts", { name: "Short-lived", carrier: "demo" });
    desk.nextTurns.push({ before: fail({ retryable: true }) });
    const { body } = await org.post("/shipments/labels", { ...parcel(), carrierAccountId: own.body.id });
    await org.delete(`/carrier-accounts/${own.body.id}`);
    setClock(3);
    await tend();
    expect(await read(body.label.id)).toMatchObject({
      status: "failed",
      carrierAccountId: null,
      failure: { code: "carrier_account_not_found" },
    });
  });
});

/** As if the process died at this moment: nothing that it wants to write down gets into the database. */
async function whileNothingIsWritten<T>(work: () => Promise<T>): Promise<T> {
  await hub.world.db.query(`create function refuse_label() returns trigger language plpgsql as
    $$ begin raise exception 'the process is dead'; end $$`);
  await hub.world.db.query(`create trigger dead before update of status on shipment_labels
    for each row execute function refuse_label()`);
  try {
    return await work();
  } finally {
    await hub.world.db.query("drop function refuse_label cascade");
  }
}

describe("a process that dies between the sale and its books", () => {
  test("leaves a label that others take up: sold once, one parcel; its key buys no second one", async () => {
    const [wanted, headers] = [parcel(), { "idempotency-key": randomUUID() }];
    const died = await whileNothingIsWritten(() => org.post("/shipments/labels", wanted, { headers }));
    expect(died.status).toBe(500);
    const [open] = (await org.get("/shipments/labels?status=requested")).body.data;
    expect(open.reference).toBe(wanted.reference);
    expect(salesOf(open.id)).toHaveLength(1);
    const again = await org.post("/shipments/labels", wanted, { headers });
    expect([again.status, again.body.label.id]).toEqual([202, open.id]);
    setClock(3);
    await tend();
    await expectOneSale(open.id);
    expect(asksFor(open.id)).toBe(2);
  });

  test("in the middle of giving it back, it is given back", async () => {
    const { label, shipment } = (await org.post("/shipments/labels", parcel())).body;
    const died = await whileNothingIsWritten(() => org.delete(`/shipments/labels/${label.id}`));
    // Asking for it is written down first; that is where this one dies.
    expect([died.status, desk.voided.includes(label.trackingNumber)]).toEqual([500, false]);
    desk.nextVoids.push(fail({ mayHaveHappened: true }));
    const lost = await org.delete(`/shipments/labels/${label.id}`);
    expect([lost.status, lost.body.code]).toEqual([502, "carrier_failed"]);
    expect(await read(label.id)).toMatchObject({ status: "purchased", isVoidPending: true });
    setClock(3);
    await tend();
    expect(await read(label.id)).toMatchObject({ status: "voided", isVoidPending: false });
    expect((await org.get(`/shipments/${shipment.id}`)).body.voidedAt).not.toBeNull();
  });
});

describe("the same Idempotency-Key", () => {
  test("twice answers the same and buys once", async () => {
    const [wanted, headers] = [parcel(), { "idempotency-key": randomUUID() }];
    const before = desk.sold.size;
    const first = await org.post("/shipments/labels", wanted, { headers });
    const second = await org.post("/shipments/labels", wanted, { headers });
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(desk.sold.size).toBe(before + 1);
  });

  test("at once on two nodes buys once", async () => {
    const [wanted, headers] = [parcel(), { "idempotency-key": randomUUID() }];
    const clients = [org, node.client(org.token)];
    const before = desk.sold.size;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => clients[i % 2]!.post("/shipments/labels", wanted, { headers })),
    );
    for (const { status, body } of answers) {
      // 202: while the carrier was asked. 409: before it was written down.
      expect([201, 202, 409]).toContain(status);
      if (status === 409) expect(body.code).toBe("idempotency_key_in_use");
    }
    expect(desk.sold.size).toBe(before + 1);
    const last = await org.post("/shipments/labels", wanted, { headers });
    expect(last.status).toBe(201);
    await expectOneSale(last.body.label.id);
  });
});

describe("giving a label back", () => {
  const buy = async () => (await org.post("/shipments/labels", parcel())).body;

  test("voids it and its shipment; a second time answers the same", async () => {
    const { label, shipment } = await buy();
    const first = await org.delete(`/shipments/labels/${label.id}`);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ status: "voided", contentBytes: null, voidedAt: expect.any(String) });
    expect((await org.get(`/shipments/${shipment.id}`)).body).toMatchObject({ status: "cancelled" });
    expect((await org.delete(`/shipments/labels/${label.id}`)).body).toEqual(first.body);
    expect(desk.voided.filter((number) => number === label.trackingNumber)).toHaveLength(1);
    expect((await org.get(`/shipments/labels/${label.id}/content`)).body.code).toBe("invalid_state");
    const [kept] = await hub.world.db.query<{ content: unknown }>("select content from shipment_labels where id = $1", [
      label.id,
    ]);
    expect(kept!.content).toBeNull();
    const { body } = await org.get(`/audit?objectId=${label.id}&type=label.voided`);
    expect(body.pagination.total).toBe(1);
  });

  test("many times at once does it once", async () => {
    const { label } = await buy();
    const clients = [org, node.client(org.token)];
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => clients[i % 2]!.delete(`/shipments/labels/${label.id}`)),
    );
    expect(answers.map(({ status, body }) => [status, body.status])).toEqual(answers.map(() => [200, "voided"]));
    expect((await org.get(`/audit?objectId=${label.id}&type=label.voided`)).body.pagination.total).toBe(1);
    expect((await org.get(`/audit?objectId=${label.shipmentId}&type=shipment.voided`)).body.pagination.total).toBe(1);
  });

  test("takes the parcel back from the order that lists it", async () => {
    const { label, shipment } = await buy();
    const order = await org.post("/orders", { status: "ready", lines: [{ sku: "MUG-01", quantity: 1 }] });
    const sale = await org.post("/shipments/labels", { ...parcel(), orderId: order.body.id });
    const params = { tracking_number: sale.body.label.trackingNumber };
    await org.post("/operations/run", { order_ids: [order.body.id], actions: [{ type: "mark_shipped", params }] });
    expect((await org.get(`/orders/${order.body.id}`)).body.status).toBe("shipped");
    await org.delete(`/shipments/labels/${sale.body.label.id}`);
    const after = (await org.get(`/orders/${order.body.id}`)).body;
    expect(after).toMatchObject({ status: "ready", shipments: [], lines: [{ shippedQuantity: 0 }] });
    expect((await org.get(`/shipments/${shipment.id}`)).body.voidedAt).toBeNull();
    expect((await read(label.id)).status).toBe("purchased");
  });

  test("is refused once the carrier has the parcel, without a request", async () => {
    const { label, shipment } = await buy();
    const at = new Date(monday).toISOString();
    await org.post(`/shipments/${shipment.id}/events`, { status: "picked_up", at });
    const { status, body } = await org.delete(`/shipments/labels/${label.id}`);
    expect([status, body.code]).toEqual([409, "label_not_voidable"]);
    expect(desk.voided).not.toContain(label.trackingNumber);
    expect(await read(label.id)).toEqual(label);
  });

  test("is refused by the carrier: the label stays purchased and its shipment valid", async () => {
    const { label, shipment } = await buy();
    desk.nextVoids.push(fail({}));
    const { body } = await org.delete(`/shipments/labels/${label.id}`);
    expect(body).toMatchObject({ status: 409, code: "label_not_voidable", carrierCode: "carrier_down" });
    expect(await read(label.id)).toMatchObject({ status: "purchased", isVoidPending: false, shipmentId: shipment.id });
    expect((await org.get(`/shipments/${shipment.id}`)).body.voidedAt).toBeNull();
    setClock(60);
    await tend();
    expect((await read(label.id)).status).toBe("purchased");
  });

  test("is possible after the shipment was voided, and while it is unknown whether the label was sold", async () => {
    const { label, shipment } = await buy();
    await org.post(`/shipments/${shipment.id}/void`);
    expect((await org.delete(`/shipments/labels/${label.id}`)).body.status).toBe("voided");
    desk.nextTurns.push({ after: fail({ mayHaveHappened: true }) }, { before: fail({ retryable: true }) });
    const { id } = (await org.post("/shipments/labels", parcel())).body.label;
    const soon = await org.delete(`/shipments/labels/${id}`);
    expect([soon.status, soon.body.code]).toEqual([502, "carrier_failed"]);
    const later = await org.delete(`/shipments/labels/${id}`);
    expect(later.body).toMatchObject({ status: "voided", trackingNumber: expect.any(String) });
    expect(desk.voided).toContain(later.body.trackingNumber);
  });

  test("is not possible without the account it was bought with", async () => {
    const own = await org.post("/carrier-accounts", { name: "Closed", carrier: "demo" });
    const sale = await org.post("/shipments/labels", { ...parcel(), carrierAccountId: own.body.id });
    await org.delete(`/carrier-accounts/${own.body.id}`);
    const { body } = await org.delete(`/shipments/labels/${sale.body.label.id}`);
    expect(body.code).toBe("label_not_voidable");
    expect((await org.get(`/shipments/labels/${sale.body.label.id}/content`)).status).toBe(200);
  });
});
