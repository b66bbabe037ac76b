import { expect, test } from "vitest";
import type { PickupRequest } from "../seam/pickups.ts";
import { lostAnswer } from "../seam/testing/scripted-call.ts";
import { asObject } from "../seam/read.ts";
import { dock, reader, uspsCall, uspsFault, uspsFixture } from "./usps-fixtures.ts";
import { uspsStatus } from "./usps-tracking.ts";
import { usps } from "./usps.ts";

const shippedAt = "2026-03-03T15:00:00Z";
const parcel = (trackingNumber: string) => ({ trackingNumber, shippedAt });

test("events have GMT times where USPS gives them, else the local time with its place", async () => {
  const { call, requests } = uspsCall(() => ({ status: 200, body: uspsFixture("tracking") }));
  expect(await usps.track!(call, [parcel("9200190000000000000011")])).toEqual([
    {
      trackingNumber: "9200190000000000000011",
      estimatedDelivery: "2026-03-06",
      events: [
        {
          at: "2026-03-06T14:10:45Z",
          status: "out_for_delivery",
          description: "Out for Delivery",
          city: "ALBANY",
          state: "NY",
          zip: "12207",
          countryCode: "US",
        },
        {
          at: "2026-03-05T01:13:00",
          status: "in_transit",
          description: "Arrived at USPS Regional Facility",
          city: "ALBANY NY DISTRIBUTION CENTER",
          countryCode: "US",
        },
        {
          at: "2026-03-03T16:00:00Z",
          status: "pre_transit",
          description: "Shipping Label Created, USPS Awaiting Item",
        },
      ],
    },
  ]);
  expect(requests()[0]).toMatchObject({
    method: "GET",
    path: "/tracking/v3/tracking/9200190000000000000011?expand=DETAIL",
  });
});

test("unknown numbers are left out; a quota that is used up ends the poll and keeps what was read", async () => {
  let asked = 0;
  const { call } = uspsCall(({ path }) => {
    if (path.includes("UNKNOWN")) return uspsFault("A record of that item could not be found.", "404", 404);
    return ++asked > 3
      ? { status: 429, headers: { "retry-after": "1800" } }
      : { status: 200, body: uspsFixture("tracking") };
  });
  const reports = await usps.track!(call, ["UNKNOWN", "1", "2", "3", "4", "5", "6", "7", "8"].map(parcel));
  expect(reports.map(({ trackingNumber }) => trackingNumber).toSorted()).toEqual(["1", "2", "3"]);
  expect(asked).toBeLessThan(7);
  await expect(
    usps.track!(uspsCall(() => ({ status: 429, headers: { "retry-after": "1800" } })).call, [parcel("1")]),
  ).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterMs: 1_800_000,
  });
  await expect(
    usps.track!(uspsCall(() => ({ status: 200, body: "<html></html>" })).call, [parcel("1")]),
  ).rejects.toMatchObject({ code: "invalid_json" });
});

test.each([
  ["01", "Delivered, Parcel Locker", "delivered"],
  ["OF", "Out for Delivery", "out_for_delivery"],
  ["03", "USPS in possession of item", "picked_up"],
  ["10", "Arrived at USPS Regional Origin Facility", "in_transit"],
  ["GX", "Shipping Label Created", "pre_transit"],
  ["02", "Notice Left", "delivery_failed"],
  ["53", "Receptacle Blocked", "delivery_failed"],
  ["14", "Arrived at Pickup Point", "ready_for_pickup"],
  ["16", "Available for Pickup", "ready_for_pickup"],
  ["09", "Returned to Sender", "returned"],
  ["24", "Forward Expired", "returned"],
  ["05", "Undeliverable as Addressed", "exception"],
  ["TL", "In Transit to Next Facility", "in_transit"],
  ["ZZ", "In Transit, Arriving Late", "delayed"],
  ["ZZ", "Processed Through Facility", "in_transit"],
  ["ZZ", "Held at Post Office, At Customer Request", "ready_for_pickup"],
  ["ZZ", "Something new", "unknown"],
])("event %s (%s) is %s", (code, description, expected) => {
  expect(uspsStatus(code, description)).toBe(expected);
});

const one = (service: string) => ({
  trackingNumber: "92001",
  service,
  countryCode: "US",
  weight: { value: 2.5, unit: "lb" as const },
  carrierData: null,
});
const request: PickupRequest = {
  address: dock,
  readyTime: "2026-03-03T10:00:00-05:00",
  closeTime: "2026-03-03T17:00:00-05:00",
  packageCount: 4,
  instructions: "Behind the desk",
  parcels: [one("PRIORITY_MAIL"), one("PRIORITY_MAIL"), one("MEDIA_MAIL")],
};
const booked = () => ({
  status: 200,
  headers: { etag: "v1" },
  body: { confirmationNumber: "WEC1", pickupDate: "2026-03-03" },
});
const pickup = {
  confirmationNumber: "WEC1",
  readyTime: request.readyTime,
  closeTime: request.closeTime,
  carrierData: null,
};

test("a pickup is booked for a day with the mail classes of its labels", async () => {
  const { call, requests } = uspsCall(booked);
  expect(await usps.schedulePickup!(call, request)).toEqual({
    confirmationNumber: "WEC1",
    messages: [],
    carrierData: { etag: "v1" },
  });
  expect(requests()[0]).toMatchObject({ method: "POST", path: "/pickup/v3/carrier-pickup" });
  expect(requests()[0]!.json).toEqual({
    pickupDate: "2026-03-03",
    pickupAddress: {
      firstName: "Sam",
      lastName: "Shipper",
      firm: "Hub Goods",
      address: { streetAddress: "1 Dock Road", city: "Newark", state: "NJ", ZIPCode: "07102" },
      contact: [{ cellNumber: "9735550100" }],
    },
    packages: [
      { packageType: "PRIORITY_MAIL", packageCount: 2 },
      { packageType: "OTHER", packageCount: 2 },
    ],
    estimatedWeight: 8,
    pickupLocation: { packageLocation: "FRONT_DOOR", specialInstructions: "Behind the desk" },
  });
  const later = uspsCall(() => ({ status: 200, body: { confirmationNumber: "WEC1", pickupDate: "2026-03-04" } }));
  expect(await usps.schedulePickup!(later.call, request)).toMatchObject({ messages: ["USPS comes on 2026-03-04."] });
});

test("a lost booking is not repeated: USPS cannot be asked for it", async () => {
  const lost = uspsCall(lostAnswer);
  await expect(usps.schedulePickup!(lost.call, request)).rejects.toMatchObject({ mayHaveHappened: true });
  const repeat = uspsCall(booked, { attempt: 2, noted: lost.notes[0]! });
  await expect(usps.schedulePickup!(repeat.call, request)).rejects.toMatchObject({
    code: "outcome_unknown",
    mayHaveHappened: true,
  });
  expect(repeat.all).toEqual([]);
  await expect(usps.schedulePickup!(uspsCall(() => ({ status: 200, body: {} })).call, request)).rejects.toMatchObject({
    mayHaveHappened: true,
  });
});

test("a pickup is cancelled with its current version", async () => {
  const { call, requests } = uspsCall(({ method }) =>
    method === "GET" ? { ...booked(), headers: { etag: "v7" } } : { status: 200 },
  );
  await usps.cancelPickup!(call, pickup);
  expect(requests().map(({ method, path, headers }) => [method, path, headers["if-match"]])).toEqual([
    ["GET", "/pickup/v3/carrier-pickup/WEC1", undefined],
    ["DELETE", "/pickup/v3/carrier-pickup/WEC1", "v7"],
  ]);
});

test("a pickup that is gone counts as cancelled; one without a version is not cancelled", async () => {
  await usps.cancelPickup!(uspsCall(() => uspsFault("The pickup was not found.")).call, pickup);
  await usps.cancelPickup!(
    uspsCall(({ method }) => (method === "GET" ? booked() : uspsFault("It has already been cancelled."))).call,
    pickup,
  );
  const versionless = uspsCall(() => ({ status: 200, body: { confirmationNumber: "WEC1" } }));
  await expect(usps.cancelPickup!(versionless.call, pickup)).rejects.toMatchObject({ retryable: true });
  const refused = uspsCall(({ method }) => (method === "GET" ? booked() : uspsFault("Too late to change.")));
  await expect(usps.cancelPickup!(refused.call, pickup)).rejects.toMatchObject({ code: "rejected" });
});

test("a booked pickup is scheduled until its day has passed", async () => {
  expect(await usps.findPickup!(uspsCall(booked).call, pickup)).toEqual({ status: "scheduled" });
  expect(
    await usps.findPickup!(uspsCall(booked, { now: new Date("2026-03-04T06:00:00Z") }).call, pickup),
  ).toBeUndefined();
  expect(await usps.findPickup!(uspsCall(() => uspsFault("The pickup has been cancelled.")).call, pickup)).toEqual({
    status: "cancelled",
  });
  expect(await usps.findPickup!(uspsCall(() => uspsFault("The pickup was not found.")).call, pickup)).toBeUndefined();
});

const found = asObject(uspsFixture("address"));
const dpv = (DPVConfirmation: string) => ({ ...found, additionalInfo: { DPVConfirmation, business: "Y" } });

test.each([
  ["only its spelling differs", found, { verdict: "valid", residential: true }],
  [
    "it is corrected",
    { ...found, address: { ...asObject(found.address), ZIPCode: "12208" } },
    { verdict: "corrected", address: { name: "Lee Ann Reader", zip: "12208-1234" } },
  ],
  [
    "its unit is missing",
    dpv("D"),
    { verdict: "invalid", residential: false, messages: ["The apartment or suite number is missing."] },
  ],
  ["its unit is unknown", dpv("S"), { verdict: "invalid" }],
  ["it is no delivery point", dpv("N"), { verdict: "invalid", messages: ["USPS does not deliver to this address."] }],
  ["USPS does not decide", {}, { verdict: "unknown", residential: null }],
])("an address is checked: %s", async (_name, body, expected) => {
  const { call, requests } = uspsCall(() => ({ status: 200, body }));
  expect(await usps.checkAddress!(call, reader)).toMatchObject(expected);
  expect(requests()[0]!.path).toBe(
    "/addresses/v3/address?streetAddress=12+Main+St&secondaryAddress=Apt+4&city=Albany&state=NY&ZIPCode=12207&ZIPPlus4=1234",
  );
});

test("an address that USPS does not find is invalid; one abroad is not sent; a failure is no verdict", async () => {
  const unknown = uspsCall(() => ({
    status: 404,
    body: { error: { code: "404", message: "There is no match for the address requested.", errors: [] } },
  }));
  expect(await usps.checkAddress!(unknown.call, reader)).toEqual({
    verdict: "invalid",
    residential: null,
    messages: ["USPS: There is no match for the address requested."],
  });
  const abroad = uspsCall(booked);
  expect(await usps.checkAddress!(abroad.call, { ...reader, countryCode: "FR" })).toMatchObject({ verdict: "unknown" });
  expect(abroad.all).toEqual([]);
  await expect(usps.checkAddress!(uspsCall(() => uspsFault("Quota", "429", 429)).call, reader)).rejects.toMatchObject({
    code: "rate_limited",
  });
});
