import { expect, test } from "vitest";
import { afterFile } from "../../../testing/after-file.ts";
import { buyThroughHub, connectAccount } from "../../../testing/carriers/buy-through-hub.ts";
import { startWithAccount } from "../../../testing/carriers/stand-in-accounts.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();

/** Phoenix never changes its clocks. */
const phoenix = { city: "PHOENIX", state: "AZ", zip: "85001" };
const local = (instant: string): string => new Date(Date.parse(instant) - 7 * 3_600_000).toISOString().slice(0, 19);
const withOffset = (instant: string): string => `${local(instant)}-07:00`;
type Scan = (trackingNumber: string, at: string, isDelivered: boolean) => unknown;

const easypost = await startWithAccount.easypost();
const shipengine = await startWithAccount.shipengine();
const karrio = await startWithAccount.karrio();
const ups = await startWithAccount.ups();
const fedex = await startWithAccount.fedex();
const usps = await startWithAccount.usps();
for (const { standIn } of [easypost, shipengine, karrio, ups, fedex, usps]) afterFile(() => standIn.close());

const scans: Record<string, Scan> = {
  easypost: (number, at, isDelivered) =>
    easypost.standIn.scan(number, {
      status: isDelivered ? "delivered" : "out_for_delivery",
      place: phoenix,
      datetime: withOffset(at),
    }),
  shipengine: (number, at, isDelivered) =>
    shipengine.standIn.scan(number, {
      ...(isDelivered ? { statusCode: "DE" } : { statusCode: "IT", statusDetailCode: "OUT_FOR_DELIVERY" }),
      place: phoenix,
      occurredAt: at.replace(/\.\d+Z$/, "Z"),
      carrierOccurredAt: local(at),
    }),
  karrio: (number, at, isDelivered) =>
    karrio.standIn.scan(number, {
      status: isDelivered ? "delivered" : "out_for_delivery",
      location: "PHOENIX, AZ, US",
      date: local(at).slice(0, 10),
      time: local(at).slice(11, 16),
    }),
  ups: (number, at, isDelivered) =>
    ups.standIn.scan(number, {
      at: withOffset(at),
      type: isDelivered ? "D" : "O",
      code: isDelivered ? "FS" : "OT",
      description: "Scan",
      ...phoenix,
    }),
  fedex: (number, at, isDelivered) =>
    fedex.standIn.scan(number, {
      at: withOffset(at),
      eventType: isDelivered ? "DL" : "OD",
      description: "Scan",
      ...phoenix,
    }),
  usps: (number, at, isDelivered) =>
    usps.standIn.scan(number, {
      at: withOffset(at),
      eventCode: isDelivered ? "01" : "OF",
      eventType: isDelivered ? "Delivered" : "Out for Delivery",
      ...phoenix,
    }),
};

const phone = "5555550100";
const sales: Record<string, { phone?: string; service?: string }> = {
  shipengine: { phone },
  fedex: { phone, service: "FEDEX_GROUND" },
};

/** The operation that takes the fault `events_without_zone`. karrio never has zones. */
const faultAt: Record<string, string> = {
  easypost: "scan",
  shipengine: "scan",
  ups: "track",
  fedex: "track",
  usps: "track",
};

test.each([
  ["easypost", easypost],
  ["shipengine", shipengine],
  ["karrio", karrio],
  ["ups", ups],
  ["fedex", fedex],
  ["usps", usps],
] as const)("%s: a scan is found by a poll, also without a zone, and the delivery is final", async (name, carrier) => {
  // Tracking goes through the oldest account of a carrier.
  const own = await hub.org();
  const accountId = await connectAccount(own, carrier.account);
  const { trackingNumber, shipmentId } = await buyThroughHub(own, accountId, sales[name]);
  const track = async () => (await own.post(`/shipments/${shipmentId}/track`)).body.shipment;
  const onMinute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}:00.000Z`;
  const first = onMinute(Date.now() + 60_000);
  if (name in faultAt) carrier.standIn.inject("events_without_zone", { operation: faultAt[name]! });
  await scans[name]!(trackingNumber, first, false);
  const moving = await track();
  expect(moving.status).toBe("out_for_delivery");
  const [found] = moving.events.filter(({ status }: { status: string }) => status === "out_for_delivery");
  expect(found).toMatchObject({ at: first, location: expect.stringContaining("PHOENIX") });
  hub.advance(60_000);
  const second = onMinute(Date.now() + 120_000);
  await scans[name]!(trackingNumber, second, true);
  expect(await track()).toMatchObject({ status: "delivered", deliveredAt: second });
  hub.advance(-60_000);
});

test.each(["ups", "usps"] as const)("%s: a number that was used before has no delivery of then", async (name) => {
  const own = await hub.org();
  const carrier = name === "ups" ? ups : usps;
  const accountId = await connectAccount(own, carrier.account);
  const { trackingNumber, shipmentId } = await buyThroughHub(own, accountId);
  carrier.standIn.inject("tracking_number_reused", { operation: "track" });
  await scans[name]!(trackingNumber, new Date(Date.now() + 1_000).toISOString(), false);
  const { shipment } = (await own.post(`/shipments/${shipmentId}/track`)).body;
  expect(shipment).toMatchObject({ status: "out_for_delivery", deliveredAt: null });
});
