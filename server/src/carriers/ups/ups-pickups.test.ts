import { expect, test } from "vitest";
import { shortKey } from "../seam/keys.ts";
import type { PickupRequest } from "../seam/pickups.ts";
import { asObject } from "../seam/read.ts";
import { lostAnswer } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { customer, upsCall, upsFault, upsFixture, warehouse } from "./ups-fixtures.ts";
import { ups } from "./ups.ts";

const parcel = (service: string, countryCode = "US", pounds = 3) => ({
  trackingNumber: "1Z1",
  service,
  countryCode,
  weight: { value: pounds, unit: "lb" as const },
  carrierData: null,
});
const request: PickupRequest = {
  address: warehouse,
  readyTime: "2026-03-03T10:00:00-05:00",
  closeTime: "2026-03-03T17:30:00-05:00",
  packageCount: 5,
  totalWeight: { value: 20.5, unit: "lb" },
  instructions: "Dock 4",
  parcels: [parcel("03"), parcel("03"), parcel("01"), parcel("07", "CA")],
};
const booked = (): ScriptedAnswer => ({ status: 200, body: upsFixture("pickup") });
const isList = ({ path }: SentRequest): boolean => path === "/api/shipments/v2409/pickup/oncall";
const pending = (...PendingStatus: object[]): ScriptedAnswer => ({
  status: 200,
  body: { PickupPendingStatusResponse: { PendingStatus } },
});
const reference = shortKey("label:0198c0de-0000-7000-8000-000000000001", 30);
const repeat = { attempt: 2, noted: { sentAt: "2026-03-02T14:50:00.000Z" } };

test("a pickup is booked with the services and countries of its labels", async () => {
  const { call, requests } = upsCall(booked);
  expect(await ups.schedulePickup!(call, request)).toEqual({
    confirmationNumber: "2926HUBCALL7",
    charge: { cents: 725, currency: "USD" },
    messages: ["The driver may come early"],
  });
  expect(requests()[0]).toMatchObject({ method: "POST", path: "/api/pickupcreation/v2409/pickup" });
  expect(requests()[0]!.json).toEqual({
    PickupCreationRequest: {
      Request: { TransactionReference: { CustomerContext: expect.any(String) } },
      RatePickupIndicator: "Y",
      Shipper: { Account: { AccountNumber: "A1B2C3", AccountCountryCode: "US" } },
      PickupDateInfo: { CloseTime: "1730", ReadyTime: "1000", PickupDate: "20260303" },
      PickupAddress: {
        CompanyName: "Hub Goods",
        ContactName: "Sam Shipper",
        AddressLine: "1 Dock Road",
        City: "Newark",
        StateProvince: "NJ",
        PostalCode: "07102",
        CountryCode: "US",
        ResidentialIndicator: "N",
        Phone: { Number: "9735550100" },
      },
      AlternateAddressIndicator: "Y",
      PickupPiece: [
        { ServiceCode: "003", Quantity: "3", DestinationCountryCode: "US", ContainerCode: "01" },
        { ServiceCode: "001", Quantity: "1", DestinationCountryCode: "US", ContainerCode: "01" },
        { ServiceCode: "007", Quantity: "1", DestinationCountryCode: "CA", ContainerCode: "01" },
      ],
      TotalWeight: { Weight: "20.5", UnitOfMeasurement: "LBS" },
      OverweightIndicator: "N",
      PaymentMethod: "01",
      SpecialInstruction: "Dock 4",
      ReferenceNumber: reference,
      ShippingLabelsAvailable: "Y",
    },
  });
});

test("a parcel above 70 pounds is announced", async () => {
  const { call, requests } = upsCall(booked);
  await ups.schedulePickup!(call, { ...request, parcels: [parcel("03", "US", 71)] });
  expect(asObject(asObject(requests()[0]!.json).PickupCreationRequest).OverweightIndicator).toBe("Y");
});

test("a repeat finds the pickup by its reference, and books nothing", async () => {
  const { call, requests } = upsCall(
    (sent) => (isList(sent) ? pending({ PRN: "29OTHER" }, { PRN: "29MINE", ReferenceNumber: reference }) : booked()),
    repeat,
  );
  expect(await ups.schedulePickup!(call, request)).toEqual({ confirmationNumber: "29MINE", messages: [] });
  expect(requests().every(isList)).toBe(true);
  expect(requests()[0]!.headers.accountnumber).toBe("A1B2C3");
});

test("a repeat books if UPS lists no pickup for the day", async () => {
  const none = upsCall(
    (sent) => (isList(sent) ? pending({ PRN: "29OTHER", ServiceDate: "20260302" }) : booked()),
    repeat,
  );
  expect(await ups.schedulePickup!(none.call, request)).toMatchObject({ confirmationNumber: "2926HUBCALL7" });
  const error = upsCall((sent) => (isList(sent) ? upsFault("9510119", "No pending pickups found.") : booked()), repeat);
  expect(await ups.schedulePickup!(error.call, request)).toMatchObject({ confirmationNumber: "2926HUBCALL7" });
});

test.each<[string, ScriptedAnswer | (() => never), Partial<PickupRequest>, object]>([
  [
    "lists a pickup of that day without a reference",
    pending({ PRN: "29X", ServiceDate: "20260303" }),
    {},
    { code: "outcome_unknown" },
  ],
  [
    "does not list days after tomorrow",
    pending(),
    { readyTime: "2026-03-04T10:00:00-05:00" },
    { code: "outcome_unknown" },
  ],
  ["refuses the list", upsFault("9500534", "Invalid account."), {}, { code: "outcome_unknown" }],
  ["gives no answer", lostAnswer, {}, { code: "timeout", retryable: true }],
])("a repeat books nothing if UPS %s", async (_name, answer, change, expected) => {
  const { call, requests } = upsCall(
    (sent) => (isList(sent) ? (typeof answer === "function" ? answer() : answer) : booked()),
    repeat,
  );
  await expect(ups.schedulePickup!(call, { ...request, ...change })).rejects.toMatchObject({
    ...expected,
    mayHaveHappened: true,
  });
  expect(requests().every(isList)).toBe(true);
});

test("a repeat books nothing while the first request may still be running", async () => {
  const noted = { sentAt: "2026-03-02T14:59:00.000Z" };
  const { call } = upsCall((sent) => (isList(sent) ? pending() : booked()), { attempt: 2, noted });
  await expect(ups.schedulePickup!(call, request)).rejects.toMatchObject({ code: "in_progress", retryAfterMs: 60_000 });
});

test("a booking that UPS accepts without a number is not taken for a failure", async () => {
  const { call } = upsCall(() => ({ status: 200, body: {} }));
  await expect(ups.schedulePickup!(call, request)).rejects.toMatchObject({ mayHaveHappened: true, retryable: true });
});

test("a cancelled pickup can be cancelled again; other refusals are reported", async () => {
  const pickup = { confirmationNumber: "29MINE", carrierData: null };
  const done = upsCall(() => ({ status: 200, body: { PickupCancelResponse: {} } }));
  await ups.cancelPickup!(done.call, pickup);
  expect(done.requests()[0]).toMatchObject({ method: "DELETE", path: "/api/shipments/v2409/pickup/02" });
  expect(done.requests()[0]!.headers.prn).toBe("29MINE");
  await ups.cancelPickup!(upsCall(() => upsFault("9510105", "The pickup has already been cancelled.")).call, pickup);
  const late = upsCall(() => upsFault("9510107", "The pickup was completed."));
  await expect(ups.cancelPickup!(late.call, pickup)).rejects.toMatchObject({ code: "rejected" });
});

test.each([
  ["001", "scheduled"],
  ["012", "scheduled"],
  ["002", "dispatched"],
  ["003", "completed"],
  ["004", "missed"],
  ["007", "cancelled"],
])("pickup state %s is %s", async (OnCallStatusCode, status) => {
  const { call } = upsCall(() => pending({ PRN: "29MINE", OnCallStatusCode }));
  const pickup = { confirmationNumber: "29MINE", readyTime: "", closeTime: "", carrierData: null };
  expect(await ups.findPickup!(call, pickup)).toEqual({ status });
  expect(await ups.findPickup!(call, { ...pickup, confirmationNumber: "29GONE" })).toBeUndefined();
});

const found = asObject(asObject(upsFixture("address")).XAVResponse);

test.each([
  ["only its spelling differs", found, "valid", true],
  [
    "it is corrected",
    {
      ...found,
      Candidate: {
        AddressClassification: { Code: "1" },
        AddressKeyFormat: {
          AddressLine: "12 MAIN STREET",
          PoliticalDivision2: "ALBANY",
          PoliticalDivision1: "NY",
          PostcodePrimaryLow: "12208",
        },
      },
    },
    "corrected",
    false,
  ],
  ["it is ambiguous", { AmbiguousAddressIndicator: "", Candidate: [found.Candidate] }, "invalid", true],
  ["it is unknown to UPS", { NoCandidatesIndicator: "" }, "invalid", null],
  ["UPS does not decide", {}, "unknown", null],
])("an address is checked: %s", async (_name, XAVResponse, verdict, residential) => {
  const { call, requests } = upsCall(() => ({ status: 200, body: { XAVResponse } }));
  expect(await ups.checkAddress!(call, customer)).toMatchObject({ verdict, residential });
  expect(requests()[0]).toMatchObject({
    path: "/api/addressvalidation/v2/3",
    json: {
      XAVRequest: {
        AddressKeyFormat: {
          AddressLine: ["12 Main St", "Apt 4"],
          PostcodePrimaryLow: "12207",
          PostcodeExtendedLow: "1234",
        },
      },
    },
  });
});

test("a corrected address keeps the name; an address abroad is not sent to UPS", async () => {
  const body = {
    XAVResponse: {
      ValidAddressIndicator: "",
      Candidate: {
        AddressKeyFormat: {
          AddressLine: ["14 MAIN ST"],
          PoliticalDivision2: "ALBANY",
          PoliticalDivision1: "NY",
          PostcodePrimaryLow: "12207",
        },
      },
    },
  };
  const { call, requests } = upsCall(() => ({ status: 200, body }));
  expect(await ups.checkAddress!(call, customer)).toMatchObject({
    address: { name: "Lee Reader", address1: "14 MAIN ST", city: "ALBANY", zip: "12207", countryCode: "US" },
  });
  expect(await ups.checkAddress!(call, { ...customer, countryCode: "FR" })).toMatchObject({ verdict: "unknown" });
  expect(requests()).toHaveLength(1);
});
