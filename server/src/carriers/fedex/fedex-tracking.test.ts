import { expect, test } from "vitest";
import type { PickupRequest } from "../seam/pickups.ts";
import { asList, asObject } from "../seam/read.ts";
import { lostAnswer } from "../seam/testing/scripted-call.ts";
import { buyer, fedexCall, fedexFault, fedexFixture, shop } from "./fedex-fixtures.ts";
import { fedexStatus } from "./fedex-tracking.ts";
import { fedex } from "./fedex.ts";

const shippedAt = "2026-03-03T15:00:00Z";
const answer = () => ({ status: 200, body: fedexFixture("tracking") });

test("of a reused number the result of this shipment counts; unknown numbers are left out", async () => {
  const { call, requests } = fedexCall(answer);
  const parcels = ["700000000011", "700000000099", "700000000077"].map((trackingNumber) => ({
    trackingNumber,
    shippedAt,
  }));
  expect(await fedex.track!(call, parcels)).toEqual([
    {
      trackingNumber: "700000000011",
      estimatedDelivery: "2026-03-06",
      events: [
        {
          at: "2026-03-06T06:47:00-05:00",
          status: "out_for_delivery",
          description: "On FedEx vehicle for delivery",
          city: "ALBANY",
          state: "NY",
          zip: "12207",
          countryCode: "US",
        },
        {
          at: "2026-03-05T06:47:00-05:00",
          status: "exception",
          description: "Shipment exception: Barcode label unreadable",
          city: "ALBANY",
          state: "NY",
        },
        {
          at: "2026-03-03T00:00:00",
          status: "picked_up",
          description: "Picked up",
          city: "NEWARK",
          state: "NJ",
          countryCode: "US",
        },
      ],
    },
  ]);
  expect(requests()[0]).toMatchObject({
    path: "/track/v1/trackingnumbers",
    json: {
      includeDetailedScans: true,
      trackingInfo: [{ trackingNumberInfo: { trackingNumber: "700000000011" } }, {}, {}],
    },
  });
  const [old] = await fedex.track!(call, [{ trackingNumber: "700000000011", shippedAt: "2025-02-10T12:00:00Z" }]);
  expect(old!.events).toMatchObject([{ status: "delivered" }]);
  expect(await fedex.track!(call, [{ trackingNumber: "700000000011", shippedAt: "2024-01-01T12:00:00Z" }])).toEqual([]);
});

test("thirty numbers are tracked per request, with the keys for tracking", async () => {
  const { call, requests, all } = fedexCall(answer, {
    credentials: { trackClientId: "track-client", trackClientSecret: "s" },
  });
  const parcels = Array.from({ length: 61 }, (_, index) => ({ trackingNumber: `7${index}`, shippedAt }));
  await fedex.track!(call, parcels);
  expect(requests().map(({ json }) => asList(asObject(json).trackingInfo).length)).toEqual([30, 30, 1]);
  expect(all[0]!.form).toMatchObject({ client_id: "track-client" });
});

test.each([
  ["OC", undefined, "pre_transit"],
  ["PU", "PU", "picked_up"],
  ["IT", "IT", "in_transit"],
  ["AR", "IT", "in_transit"],
  ["DP", "IT", "in_transit"],
  ["AF", "IT", "in_transit"],
  ["OD", "IT", "out_for_delivery"],
  ["DL", "DL", "delivered"],
  ["DE", "DE", "delivery_failed"],
  ["SE", "SE", "exception"],
  ["HL", "HL", "ready_for_pickup"],
  ["HP", "HP", "ready_for_pickup"],
  ["DY", "DY", "delayed"],
  ["CD", "CD", "on_hold"],
  ["RS", "RS", "returned"],
  ["CA", "CA", "cancelled"],
  ["NEW", "DL", "delivered"],
  ["NEW", "NEW", "unknown"],
])("scan %s with derived status %s is %s", (eventType, derived, expected) => {
  expect(fedexStatus(eventType, derived)).toBe(expected);
});

const parcel = (service: string) => ({
  trackingNumber: "7",
  service,
  countryCode: "US",
  weight: { value: 1, unit: "lb" as const },
  carrierData: null,
});
const request: PickupRequest = {
  address: shop,
  readyTime: "2026-03-03T10:00:00-05:00",
  closeTime: "2026-03-03T17:30:00-05:00",
  packageCount: 2,
  totalWeight: { value: 20.5, unit: "lb" },
  instructions: "Dock 4",
  parcels: [parcel("FEDEX_GROUND"), parcel("GROUND_HOME_DELIVERY")],
};
const booked = () => ({
  status: 200,
  body: { output: { pickupConfirmationCode: "3001", message: "Courier on the way", location: "COSA" } },
});

test("a pickup is booked with the network of its labels, and what is needed to cancel it is kept", async () => {
  const { call, requests, notes } = fedexCall(booked);
  expect(await fedex.schedulePickup!(call, request)).toEqual({
    confirmationNumber: "3001",
    messages: ["Courier on the way"],
    carrierData: { carrierCode: "FDXG", scheduledDate: "2026-03-03", location: "COSA" },
  });
  expect(notes).toHaveLength(1);
  expect(requests()[0]).toMatchObject({ method: "POST", path: "/pickup/v1/pickups" });
  expect(requests()[0]!.json).toEqual({
    associatedAccountNumber: { value: "123456789" },
    originDetail: {
      pickupAddressType: "OTHER",
      pickupLocation: {
        address: {
          streetLines: ["1 Dock Road"],
          city: "Newark",
          stateOrProvinceCode: "NJ",
          postalCode: "07102",
          countryCode: "US",
          residential: false,
        },
        contact: { personName: "Sam Shipper", companyName: "Hub Goods", phoneNumber: "9735550100" },
        accountNumber: { value: "123456789" },
      },
      readyDateTimestamp: "2026-03-03T10:00:00Z",
      customerCloseTime: "17:30:00",
      packageLocation: "FRONT",
    },
    carrierCode: "FDXG",
    packageCount: 2,
    totalWeight: { units: "LB", value: 20.5 },
    remarks: "Dock 4",
  });
});

test.each([
  [[parcel("PRIORITY_OVERNIGHT")], {}, "FDXE"],
  [[], {}, "FDXE"],
  [[], { pickupNetwork: "ground" }, "FDXG"],
])("the driver for %j with settings %j is of %s", async (parcels, settings, carrierCode) => {
  const { call, requests } = fedexCall(booked, { settings });
  await fedex.schedulePickup!(call, { ...request, parcels });
  expect(asObject(requests()[0]!.json).carrierCode).toBe(carrierCode);
});

test("Express and Ground parcels need a pickup each", async () => {
  const { call, requests } = fedexCall(booked);
  const parcels = [parcel("FEDEX_GROUND"), parcel("FEDEX_2_DAY")];
  await expect(fedex.schedulePickup!(call, { ...request, parcels })).rejects.toMatchObject({
    code: "option_not_supported",
  });
  expect(requests()).toEqual([]);
});

test("a lost booking is not repeated: FedEx cannot be asked for it", async () => {
  const lost = fedexCall(lostAnswer);
  await expect(fedex.schedulePickup!(lost.call, request)).rejects.toMatchObject({ mayHaveHappened: true });
  const repeat = fedexCall(booked, { attempt: 2, noted: lost.notes[0]! });
  await expect(fedex.schedulePickup!(repeat.call, request)).rejects.toMatchObject({
    code: "outcome_unknown",
    mayHaveHappened: true,
  });
  expect(repeat.requests()).toEqual([]);
  const unread = fedexCall(() => ({ status: 200, body: { output: {} } }));
  await expect(fedex.schedulePickup!(unread.call, request)).rejects.toMatchObject({ mayHaveHappened: true });
});

test("a pickup is cancelled with number, network, day and location; a second time too", async () => {
  const pickup = {
    confirmationNumber: "3001",
    reason: "No parcels",
    carrierData: { carrierCode: "FDXE", scheduledDate: "2026-03-03", location: "COSA" },
  };
  const { call, requests } = fedexCall(() => ({ status: 200, body: { output: {} } }));
  await fedex.cancelPickup!(call, pickup);
  expect(requests()[0]).toMatchObject({
    method: "PUT",
    path: "/pickup/v1/pickups/cancel",
    json: {
      associatedAccountNumber: { value: "123456789" },
      pickupConfirmationCode: "3001",
      remarks: "No parcels",
      carrierCode: "FDXE",
      scheduledDate: "2026-03-03",
      location: "COSA",
    },
  });
  await fedex.cancelPickup!(fedexCall(() => fedexFault("PICKUP.CANCEL", "Pickup already cancelled.")).call, pickup);
  const late = fedexCall(() => fedexFault("PICKUP.NUMBER.EXPIRED", "PREVIOUS DAY PICKUP, CANNOT CANCEL OR UPDATE"));
  await expect(fedex.cancelPickup!(late.call, pickup)).rejects.toMatchObject({ code: "rejected" });
});

const [resolved] = asList(asObject(asObject(fedexFixture("address")).output).resolvedAddresses);

test.each([
  ["only its spelling differs", resolved, { verdict: "valid", residential: true }],
  [
    "it is corrected",
    { ...resolved, city: "TROY" },
    { verdict: "corrected", address: { name: "Lee Reader", city: "TROY", zip: "12207-1234" } },
  ],
  [
    "the suite is missing",
    { ...resolved, attributes: { DPV: true, SuiteRequiredButMissing: true } },
    { verdict: "invalid", messages: ["The apartment or suite number is missing."] },
  ],
  [
    "it is not matched",
    { classification: "UNKNOWN", attributes: { Matched: "false", DPV: "false" } },
    { verdict: "invalid", residential: null },
  ],
  ["the country is not supported", { attributes: { CountrySupported: "false" } }, { verdict: "unknown" }],
  ["FedEx returns nothing", undefined, { verdict: "unknown", residential: null }],
])("an address is checked: %s", async (_name, one, expected) => {
  const { call, requests } = fedexCall(() => ({
    status: 200,
    body: { output: { resolvedAddresses: one ? [one] : [] } },
  }));
  expect(await fedex.checkAddress!(call, buyer)).toMatchObject(expected);
  expect(requests()[0]).toMatchObject({
    path: "/address/v1/addresses/resolve",
    json: {
      addressesToValidate: [
        { address: { streetLines: ["12 Main St", "Apt 4"], city: "Albany", postalCode: "12207-1234" } },
      ],
    },
  });
});

test("an address that FedEx does not find is invalid", async () => {
  const { call } = fedexCall(() => fedexFault("STANDARDIZED.ADDRESS.NOTFOUND", "Standardized address is not found."));
  expect(await fedex.checkAddress!(call, buyer)).toMatchObject({ verdict: "invalid" });
});
