import { beforeEach, describe, expect, test } from "vitest";
import { customer, dock, hubWithCarrier } from "../../testing/carriers/hub-with-carrier.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";

const shop = await hubWithCarrier(startWithAccount.easypost);
const { org, standIn, accountId } = shop;
beforeEach(() => shop.reset());

const ground = "USPS/GroundAdvantage";
const bought = async (more: object = {}, service = ground) => {
  const { status, text, body } = await shop.buy(service, more);
  expect(status, text).toBe(201);
  return body;
};
const newark = { city: "NEWARK", state: "NJ", zip: "07114" };

test("a label of an account with a test key is bought in EasyPost's test mode", async () => {
  const id = await shop.connect({ credentials: { apiKey: standIn.testKey } });
  const { label } = await bought({ carrierAccountId: id });
  expect(shop.sales()).toMatchObject([{ mode: "test", trackingNumber: label.trackingNumber }]);
});

describe("tracking", () => {
  const track = async (id: string) => (await org.post(`/shipments/${id}/track`)).body.shipment;

  test("is polled by the hub, and a delivery ends it", async () => {
    const { shipment } = await bought();
    await standIn.scan(shipment.trackingNumber, { status: "in_transit", message: "Arrived", place: newark });
    await shop.pollTracking(0);
    expect((await org.get(`/shipments/${shipment.id}`)).body).toMatchObject({
      status: "in_transit",
      events: [
        {
          status: "in_transit",
          description: "Arrived",
          at: "2026-03-02T15:00:00.000Z",
          location: expect.stringContaining("NEWARK"),
        },
      ],
    });
    await standIn.scan(shipment.trackingNumber, { status: "delivered", place: { ...newark, city: "PORTLAND" } });
    await shop.pollTracking(60);
    const { status, deliveredAt } = (await org.get(`/shipments/${shipment.id}`)).body;
    expect([status, deliveredAt]).toEqual(["delivered", "2026-03-02T16:00:00.000Z"]);
  });

  test("of a status that no document names keeps the event", async () => {
    const { shipment } = await bought();
    standIn.inject("unknown_status", { operation: "scan" });
    await standIn.scan(shipment.trackingNumber, { status: "in_transit", message: "Held at the border", place: newark });
    const { events } = await track(shipment.id);
    expect(events).toMatchObject([{ status: "unknown", description: "Held at the border" }]);
  });

  test.each(["events_without_zone", "local_time_as_utc"])("reads the time of an event (%s)", async (kind) => {
    const { shipment } = await bought();
    standIn.inject(kind, { operation: "scan" });
    await standIn.scan(shipment.trackingNumber, { status: "in_transit", place: newark });
    const [event] = (await track(shipment.id)).events;
    // 15:00 in Newark. Without a place: 09:00 as reported, taken as the time of the destination in Oregon.
    expect(event.at).toBe(kind === "events_without_zone" ? "2026-03-02T20:00:00.000Z" : "2026-03-02T17:00:00.000Z");
  });

  test("of a number that was used before shows only the new parcel", async () => {
    const old = (await bought({ orderId: (await shop.order()).id })).shipment;
    await standIn.scan(old.trackingNumber, { status: "delivered", place: newark });
    expect((await track(old.id)).status).toBe("delivered");
    shop.setClock(100 * 1440);
    standIn.inject("tracking_number_reused", { operation: "buy" });
    const { shipment } = await bought({ orderId: (await shop.order()).id });
    expect(shipment.trackingNumber).toBe(old.trackingNumber);
    const tracked = await track(shipment.id);
    expect([tracked.status, tracked.events]).toEqual(["pre_transit", []]);
    await standIn.scan(shipment.trackingNumber, { status: "in_transit", place: newark });
    shop.setClock(100 * 1440 + 2);
    expect((await track(shipment.id)).events).toMatchObject([{ status: "in_transit" }]);
  });
});

describe("options reach EasyPost:", () => {
  const sentOptions = () => shop.sent("rate")[0].shipment;

  test("those of the parcel's way", async () => {
    await bought({
      shipDate: "2026-03-03",
      reference: "SHOP-17",
      options: {
        residential: true,
        signature: "adult_signature",
        saturdayDelivery: true,
        references: ["PO 7"],
        billTo: { party: "third_party", account: "A1B2C3", countryCode: "US", zip: "10001" },
        label: { format: "pdf", size: "letter" },
        extra: { endorsement: "RETURN_SERVICE_REQUESTED", machinable: false },
      },
    });
    expect(sentOptions()).toMatchObject({
      to_address: { street1: customer.address1, residential: true },
      from_address: { company: dock.company },
      options: {
        label_date: "2026-03-03T12:00:00Z",
        delivery_confirmation: "ADULT_SIGNATURE",
        saturday_delivery: true,
        payment: { type: "THIRD_PARTY", account: "A1B2C3", country: "US", postal_code: "10001" },
        label_format: "PDF",
        label_size: "8.5x11",
        print_custom_1: "SHOP-17",
        print_custom_2: "PO 7",
        endorsement: "RETURN_SERVICE_REQUESTED",
        machinable: false,
      },
    });
  });

  test("customs", async () => {
    const toronto = { ...customer, city: "Toronto", provinceCode: "ON", zip: "M5V 2T6", countryCode: "CA" };
    const item = {
      description: "Mug",
      quantity: 2,
      value: { amount: 12.5, currency: "USD" },
      weight: { value: 300, unit: "g" },
      hsCode: "691200",
    };
    const customs = { contents: "gift", incoterm: "DDP", items: [item] };
    await bought({ to: toronto, options: { customs } }, "USPS/PriorityMailInternational");
    expect(sentOptions()).toMatchObject({
      options: { incoterm: "DDP" },
      customs_info: {
        contents_type: "gift",
        customs_signer: dock.name,
        customs_items: [
          { description: "Mug", quantity: 2, value: 25, hs_tariff_number: "691200", origin_country: "US" },
        ],
      },
    });
  });

  test("a return, whose addresses EasyPost turns around", async () => {
    await bought({ from: customer, to: dock, options: { isReturn: true } });
    expect(sentOptions()).toMatchObject({
      is_return: true,
      from_address: { street1: dock.address1 },
      to_address: { street1: customer.address1 },
    });
  });

  test.each([
    [{ label: { size: "a4" } }, "label.size", "4x6 and letter"],
    [{ insuredValue: { amount: 10, currency: "EUR" } }, "insuredValue", "USD"],
  ])("%o is refused before anything is bought", async (options, option, allowed) => {
    const { status, body } = await shop.buy(ground, { options });
    expect([status, body.carrierCode]).toEqual([409, "option_not_supported"]);
    expect(body.detail).toContain(option);
    expect(body.detail).toContain(allowed);
    expect(shop.sent("buy")).toEqual([]);
  });

  test("an extra option that EasyPost does not have names those that it has", async () => {
    const { status, body } = await shop.buy(ground, { options: { extra: { balloon: true } } });
    expect([status, body.code]).toEqual([400, "validation_failed"]);
    expect(body.errors[0].pointer).toBe("/options/extra/balloon");
  });

  test("a destination without customs data is refused with the reason", async () => {
    const toronto = { ...customer, city: "Toronto", provinceCode: "ON", zip: "M5V 2T6", countryCode: "CA" };
    const { body } = await shop.buy("USPS/PriorityMailInternational", { to: toronto });
    expect(body.detail).toContain("Customs information is required");
  });
});

test("a pickup needs labels of the account", async () => {
  const wanted = {
    carrierAccountId: accountId,
    pickupAddress: dock,
    pickupDate: "2026-03-03",
    readyTime: "13:00",
    closeTime: "17:00",
    packageCount: 1,
  };
  const { status, body } = await org.post("/pickups", wanted);
  expect([status, body.carrierCode]).toEqual([502, "labels_required"]);
  expect(body.detail).toContain("labels that were bought through it");
});
