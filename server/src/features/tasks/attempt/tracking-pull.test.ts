import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

let parcels: object[] = [];
const carrier = createServer((_request, response) => {
  response.setHeader("content-type", "application/json").end(JSON.stringify({ data: parcels }));
});
await new Promise<void>((resolve) => carrier.listen(0, "127.0.0.1", resolve));
afterFile(async () => void carrier.close());

const baseUrl = `http://127.0.0.1:${(carrier.address() as AddressInfo).port}`;
const tasks = [
  {
    name: "tracking.pull",
    mode: "pull",
    recordType: "tracking",
    request: { path: "/parcels" },
    recordsPath: "data",
    externalIdPath: "trackingNumber",
  },
];
const bridge = await org.post("/bridges", { name: "Carrier", connector: "rest", settings: { baseUrl, tasks } });

async function pull(given: object[]) {
  parcels = given;
  for (const { trackingNumber } of given as { trackingNumber: string }[])
    await org.post("/shipments", { trackingNumber });
  const { body } = await org.post("/tasks/execute-sync", { bridgeId: bridge.body.id, taskName: "tracking.pull" });
  expect(body).toMatchObject({ status: "succeeded", error: null });
  return body.result;
}
const statusOf = async (number: string) =>
  (await org.get(`/shipments?trackingNumber=${number}`)).body.data.map(({ status }: { status: string }) => status);

test("a delivery time alone marks a parcel as delivered, also beside a status without a time or incomplete events", async () => {
  const at = "2026-03-02T10:00:00Z";
  const result = await pull([
    { trackingNumber: "P1", status: "delivered", deliveredAt: at },
    { trackingNumber: "P2", deliveredAt: at },
    { trackingNumber: "P3", deliveredAt: at, events: [{ at: "2026-03-01T10:00:00Z", status: "picked_up" }] },
    { trackingNumber: "P4", deliveredAt: at, events: [{ at, status: "Delivered" }] },
    { trackingNumber: "P5", status: "DELIVERED", statusAt: at, deliveredAt: at },
  ]);
  expect(result).toMatchObject({ matched: 5, added: 6, failed: 0 });
  for (const number of ["P1", "P2", "P3", "P4", "P5"])
    expect([number, await statusOf(number)]).toEqual([number, ["delivered"]]);
});

test("an event with empty or missing fields does not reject the tracking of the parcel", async () => {
  const at = "2026-03-02T10:00:00Z";
  const result = await pull([
    { trackingNumber: "Q1", events: [{ at, status: "in_transit", description: "", location: null }] },
    {
      trackingNumber: "Q2",
      carrier: null,
      estimatedDeliveryAt: null,
      status: "in_transit",
      statusAt: at,
      deliveredAt: null,
    },
    { trackingNumber: "Q3", events: [{ at, status: "in_transit", description: "x".repeat(900) }] },
  ]);
  expect(result).toMatchObject({ matched: 3, added: 3, failed: 0 });
  for (const number of ["Q1", "Q2", "Q3"]) expect([number, await statusOf(number)]).toEqual([number, ["in_transit"]]);
});

test("a time without an offset is read in the time zone of the organization, as in imported files", async () => {
  expect((await org.patch(`/organizations/${org.id}`, { timezone: "America/New_York" })).status).toBe(200);
  const result = await pull([
    { trackingNumber: "Z1", status: "in_transit", statusAt: "2026-03-02 10:00" },
    { trackingNumber: "Z2", events: [{ at: "2026-07-02T10:00:00", status: "in_transit" }] },
  ]);
  expect(result).toMatchObject({ matched: 2, added: 2, failed: 0 });
  const lastEventOf = async (number: string) =>
    (await org.get(`/shipments?trackingNumber=${number}`)).body.data[0].lastEventAt;
  expect([await lastEventOf("Z1"), await lastEventOf("Z2")]).toEqual([
    "2026-03-02T15:00:00.000Z",
    "2026-07-02T14:00:00.000Z",
  ]);
});
