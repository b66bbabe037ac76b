import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import type { CarrierName } from "../../testing/handover-fixture.ts";
import { dock, handoverCarrier, handoverServices } from "../../testing/handover-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";
import { manifestWork } from "./manifests.ts";

const hub = await startTestHub();
const org = await hub.org();
const monday = "2026-03-02T15:00:00.000Z";
const setClock = (at: string): void => hub.world.clock.set({ mode: "frozen", at });
beforeEach(() => setClock(monday));
afterAll(() => hub.world.clock.set({ mode: "real" }));
const day = "2026-03-02";

async function aDemo() {
  const { body } = await org.post("/carrier-accounts", { name: `Demo ${randomUUID()}`, carrier: "demo" });
  const carrierAccountId: string = body.id;
  return {
    carrierAccountId,
    buy: async (more: object = {}): Promise<string> =>
      (await org.post("/shipments/labels", { ...aParcel, carrierAccountId, shipDate: day, ...more })).body.label.id,
    close: async (more: object = {}) =>
      await org.post("/shipments/manifests", { carrierAccountId, from: aParcel.from, shipDate: day, ...more }),
  };
}

async function labelsOn(manifestId: string): Promise<string[]> {
  const { body } = await org.get(`/shipments/labels?manifestId=${manifestId}`);
  return body.data.map(({ id }: { id: string }) => id).toSorted();
}

async function atCarrier(name: CarrierName) {
  const carrier = await handoverCarrier(hub, org, name);
  const { carrierAccountId, locationId } = carrier;
  const [first, second] = handoverServices[name].together;
  const labels = [await carrier.buy(first, day), await carrier.buy(second, day)];
  const close = async (more: object = {}) =>
    await org.post("/shipments/manifests", { carrierAccountId, locationId, shipDate: day, ...more });
  return { ...carrier, labels, close };
}
const read = async (id: string) => (await org.get(`/shipments/manifests/${id}`)).body;

/** Until the request has ended: carriers may make a manifest in the background. */
async function settle(): Promise<void> {
  for (const at of ["15:05:00", "15:20:00", "15:50:00", "16:30:00"]) {
    setClock(`${day}T${at}Z`);
    await workOff(hub.world, manifestWork);
  }
}

describe("a manifest", () => {
  test("lists the labels of the day that are on none yet, with a number and a file", async () => {
    const { buy, close } = await aDemo();
    const first = [await buy(), await buy()];
    await buy({ shipDate: "2026-03-03" });
    await buy({ from: { ...aParcel.from, address1: "2 Port Street" } });
    const { status, body } = await close();
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body).toMatchObject({ status: "created", labelCount: 2, packageCount: 2, shipDate: day, group: null });
    expect(body.number).toMatch(/^DEMO/);
    expect(await labelsOn(body.id)).toEqual(first.toSorted());
    const file = await org.get(`/shipments/manifests/${body.id}/content`);
    expect(file.headers.get("content-type")).toBe("application/pdf");
    expect(file.text).toContain("2 packages");
    const later = await buy();
    const second = await close();
    expect(await labelsOn(second.body.id)).toEqual([later]);
    const third = await close();
    expect(third.status).toBe(400);
    expect(third.body.errors).toMatchObject([{ pointer: "/shipDate", code: "no_labels" }]);
    const listed = await org.get(`/shipments/manifests?carrierAccountId=${body.carrierAccountId}&shipDate=${day}`);
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([second.body.id, body.id]);
    const events = await org.get(`/audit?objectId=${body.id}`);
    expect(events.body.data.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      "manifest.created",
      "manifest.requested",
    ]);
  });

  test("takes chosen labels, and names the one that does not fit", async () => {
    const { buy, close } = await aDemo();
    const [wanted, other] = [await buy(), await buy({ shipDate: "2026-03-03" })];
    const refused = await close({ labelIds: [wanted, other] });
    expect(refused.body.errors).toMatchObject([{ pointer: "/labelIds/1", code: "label_not_waiting" }]);
    await buy();
    const { body } = await close({ labelIds: [wanted] });
    expect(await labelsOn(body.id)).toEqual([wanted]);
  });

  test("is one, however often and at the same time it is requested", async () => {
    const { buy, close } = await aDemo();
    await buy();
    const answers = await Promise.all(Array.from({ length: 4 }, () => close()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.every(({ status }) => [201, 400, 409].includes(status))).toBe(true);
  });

  test("needs a place, a carrier that makes manifests, and an active account", async () => {
    const { carrierAccountId, close } = await aDemo();
    const nowhere = await org.post("/shipments/manifests", { carrierAccountId });
    expect(nowhere.body.errors).toMatchObject([{ pointer: "/locationId", code: "required" }]);
    const { carrierAccountId: ups } = await handoverCarrier(hub, org, "ups");
    const unsupported = await org.post("/shipments/manifests", { carrierAccountId: ups, from: dock });
    expect(unsupported).toMatchObject({ status: 409, body: { detail: "UPS does not support manifests." } });
    await org.patch(`/carrier-accounts/${carrierAccountId}`, { isActive: false });
    expect((await close()).body.code).toBe("carrier_account_inactive");
  });
});

describe.each(["easypost", "shipengine", "karrio", "usps"] as const)("%s", (name) => {
  test("makes one manifest of the day, with its file", async () => {
    const { labels, close, standIn } = await atCarrier(name);
    const { status, body } = await close();
    // ShipEngine makes it in the background.
    expect([201, 202], JSON.stringify(body)).toContain(status);
    await settle();
    expect(await read(body.id)).toMatchObject({ status: "created", labelCount: 2, contentType: "application/pdf" });
    expect((await org.get(`/shipments/manifests/${body.id}/content`)).status).toBe(200);
    expect(standIn.journal("manifest")).toHaveLength(1);
    expect((standIn.journal("manifest")[0]!.trackingNumbers as string[]).toSorted()).toEqual(
      labels.map(({ trackingNumber }) => trackingNumber).toSorted(),
    );
  });

  test("makes none twice when the response was lost", async () => {
    const { close, standIn } = await atCarrier(name);
    standIn.inject("cut_after", { operation: "manifest" });
    const { status, body } = await close();
    expect(status, JSON.stringify(body)).toBe(202);
    await settle();
    expect(standIn.journal("manifest")).toHaveLength(1);
    const { status: outcome } = await read(body.id);
    // USPS cannot be asked for a SCAN form.
    expect(outcome).toBe(name === "usps" ? "requested" : "created");
  });
});

describe("faults", () => {
  test.each(["shipengine", "karrio"] as const)(
    "%s refuses: the labels are free, and an exception retries",
    async (name) => {
      const { close, standIn } = await atCarrier(name);
      standIn.inject("manifest_refused", { operation: "manifest" });
      const { status, body } = await close();
      expect(status, JSON.stringify(body)).toBe(502);
      expect(body.detail).toContain("refused the manifest");
      expect(await read(body.manifestId)).toMatchObject({ status: "failed" });
      expect(await labelsOn(body.manifestId)).toEqual([]);
      const { data } = (await org.get("/exceptions?kind=manifest&status=open")).body;
      expect(data).toMatchObject([{ kind: "manifest", subject: { type: "manifest", id: body.manifestId } }]);
      await org.post(`/exceptions/${data[0].id}/resolve`, { action: "retry" });
      await settle();
      expect((await org.get("/exceptions?kind=manifest&status=open")).body.data).toEqual([]);
      expect(standIn.journal("manifest")).toHaveLength(1);
    },
  );

  test("EasyPost makes SCAN forms of USPS labels only: the groups are named", async () => {
    const { buy, close } = await atCarrier("easypost");
    await buy("UPS/Ground", day);
    const refused = await close();
    expect(refused.body.errors).toMatchObject([{ pointer: "/group", code: "several_groups" }]);
    expect((await close({ group: "USPS" })).body).toMatchObject({ status: "created", labelCount: 2, group: "USPS" });
  });

  test("the rejected void of a label on a manifest names the manifest", async () => {
    const { labels, close, standIn } = await atCarrier("easypost");
    const { body } = await close();
    standIn.inject("refund_rejected", { operation: "void" });
    const refused = await org.delete(`/shipments/labels/${labels[0]!.id}`);
    expect(refused.status, JSON.stringify(refused.body)).toBe(409);
    expect(refused.body.detail).toContain(`It is on the manifest ${body.id}.`);
  });

  test("a reader without pii:read sees the manifest, and not the sender or the file", async () => {
    const { buy, close } = await aDemo();
    await buy();
    const { body } = await close();
    const reader = await org.withScopes(["shipments:read"]);
    expect((await reader.get(`/shipments/manifests/${body.id}`)).body.from.address1).not.toBe("1 Port Street");
    expect((await reader.get(`/shipments/manifests/${body.id}/content`)).status).toBe(403);
  });
});
