import { beforeEach, describe, expect, test } from "vitest";
import { customer, dock, hubWithCarrier } from "../../testing/carriers/hub-with-carrier.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";

const shop = await hubWithCarrier(startWithAccount.shipengine);
const { org, standIn, accountId } = shop;
beforeEach(() => shop.reset());

const ground = "usps_ground_advantage";
const bought = async (more: object = {}, service = ground) => {
  const { status, text, body } = await shop.buy(service, more);
  expect(status, text).toBe(201);
  return body;
};
const newark = { city: "NEWARK", state: "NJ", zip: "07114" };

describe("tracking", () => {
  const track = async (id: string) => (await org.post(`/shipments/${id}/track`)).body.shipment;

  test("is polled by the hub, and a delivery ends it", async () => {
    const { shipment } = await bought();
    await standIn.scan(shipment.trackingNumber, {
      statusCode: "IT",
      description: "Arrived",
      place: newark,
      carrierOccurredAt: "2026-03-02T10:00:00",
    });
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
    await standIn.scan(shipment.trackingNumber, {
      statusCode: "DE",
      place: newark,
      carrierOccurredAt: "2026-03-02T11:00:00",
    });
    await shop.pollTracking(60);
    const { status, deliveredAt } = (await org.get(`/shipments/${shipment.id}`)).body;
    expect([status, deliveredAt]).toEqual(["delivered", "2026-03-02T16:00:00.000Z"]);
  });

  test.each(["unknown_status", "blank_event_status"])(
    "of an event without a known status (%s) keeps it",
    async (kind) => {
      const { shipment } = await bought();
      standIn.inject(kind, { operation: "scan" });
      await standIn.scan(shipment.trackingNumber, {
        statusCode: "IT",
        description: "Held at the border",
        place: newark,
      });
      const { events } = await track(shipment.id);
      expect(events[0]).toMatchObject({ description: "Held at the border" });
    },
  );

  test("reads the time of an event without a zone at its place", async () => {
    const { shipment } = await bought();
    standIn.inject("events_without_zone", { operation: "scan" });
    await standIn.scan(shipment.trackingNumber, { statusCode: "IT", place: newark });
    expect((await track(shipment.id)).events[0].at).toBe("2026-03-02T20:00:00.000Z");
  });
});

describe("options reach ShipEngine:", () => {
  const sentShipment = () => shop.sent("buy")[0].shipment;

  test("those of the parcel's way", async () => {
    await bought({
      shipDate: "2026-03-03",
      reference: "SHOP-17",
      options: {
        residential: true,
        signature: "adult_signature",
        saturdayDelivery: true,
        insuredValue: { amount: 120.5, currency: "USD" },
        references: ["PO 7"],
        billTo: { party: "third_party", account: "A1B2C3", countryCode: "US", zip: "10001" },
        label: { format: "pdf", size: "letter" },
        extra: { nonMachinable: true },
      },
    });
    expect(shop.sent("buy")[0]).toMatchObject({ label_format: "pdf", label_layout: "letter" });
    expect(sentShipment()).toMatchObject({
      ship_date: "2026-03-03",
      confirmation: "adult_signature",
      insurance_provider: "carrier",
      ship_to: { address_line1: customer.address1, address_residential_indicator: "yes" },
      packages: [
        {
          insured_value: { amount: 120.5, currency: "usd" },
          label_messages: { reference1: "SHOP-17", reference2: "PO 7" },
        },
      ],
      advanced_options: {
        saturday_delivery: true,
        bill_to_party: "third_party",
        bill_to_account: "A1B2C3",
        bill_to_country_code: "US",
        bill_to_postal_code: "10001",
        non_machinable: true,
      },
    });
  });

  test("customs, and insurance of several parcels", async () => {
    const item = {
      description: "Mug",
      quantity: 2,
      value: { amount: 12.5, currency: "USD" },
      weight: { value: 300, unit: "g" },
      hsCode: "691200",
    };
    const insuredValue = { amount: 50, currency: "USD" };
    const parcel = { weight: { value: 2, unit: "lb" }, insuredValue };
    await bought(
      { parcels: [parcel, parcel], options: { customs: { contents: "gift", items: [item] } } },
      "ups_ground",
    );
    expect(sentShipment()).toMatchObject({
      packages: [{ insured_value: { amount: 50 } }, { insured_value: { amount: 50 } }],
      customs: {
        contents: "gift",
        non_delivery: "return_to_sender",
        customs_items: [{ quantity: 2, value: 12.5, harmonized_tariff_code: "691200", country_of_origin: "US" }],
      },
    });
  });

  test("a return", async () => {
    await bought({ from: { ...customer }, to: dock, options: { isReturn: true } });
    expect(shop.sent("buy")[0]).toMatchObject({ is_return_label: true, shipment: { ship_to: { name: dock.name } } });
  });

  test.each([
    [{ label: { size: "a4", format: "zpl" } }, "label.size", "pdf"],
    [
      {
        customs: {
          contents: "gift",
          signer: "Ada",
          items: [
            {
              description: "Mug",
              quantity: 1,
              value: { amount: 1, currency: "USD" },
              weight: { value: 1, unit: "lb" },
            },
          ],
        },
      },
      "customs.signer",
      "sender",
    ],
  ])("%o is refused before anything is bought", async (options, option, allowed) => {
    const { status, body } = await shop.buy(ground, { options });
    expect([status, body.carrierCode]).toEqual([409, "option_not_supported"]);
    expect(body.detail).toContain(option);
    expect(body.detail).toContain(allowed);
    expect(shop.sent("buy")).toEqual([]);
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
