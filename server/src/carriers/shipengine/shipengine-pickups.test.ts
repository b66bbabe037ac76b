import { describe, expect, test } from "vitest";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { customer, files, pickupRequest, warehouse } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { shipengine } from "./shipengine.ts";

const fixture = fixtureIn(import.meta.dirname);
const trackingNumber = "9400100000000000000017";

describe("pickups", () => {
  const parcels = [
    {
      trackingNumber,
      service: "x",
      countryCode: "US",
      weight: { value: 1, unit: "lb" as const },
      carrierData: { labelId: "se-l1" },
    },
  ];
  const booking = async (attempt: number, pickups: object[] = [], changes = {}) => {
    const noted = attempt > 1 ? { sentAt: "2026-03-02T14:58:00.000Z" } : null;
    const { call, requests, notes } = scriptedCall({
      attempt,
      noted,
      answers: ({ method }) => ({ status: 200, body: method === "GET" ? { pickups } : fixture("pickup") }),
    });
    return { result: await shipengine.schedulePickup!(call, pickupRequest({ parcels, ...changes })), requests, notes };
  };

  test("are booked for the labels, with the local time as it is on the clock", async () => {
    const { result, requests, notes } = await booking(1);
    expect(requests[0]!.json).toEqual({
      label_ids: ["se-l1"],
      contact_details: { name: "Warehouse East", email: "dock@byron.example", phone: "5550100" },
      pickup_notes: "Dock 2",
      pickup_window: { start_at: "2026-03-03T10:00:00Z", end_at: "2026-03-03T16:00:00Z" },
    });
    expect(notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z" }]);
    expect(result).toEqual({ confirmationNumber: "292513CL4A3", messages: [], carrierData: { pickupId: "pik_1" } });
  });

  test("a repeat finds the pickup of the same labels", async () => {
    const { requests } = await booking(2, [fixture("pickup")]);
    expect(requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(requests[0]!.path).toBe("/v1/pickups?created_at_start=2026-03-02T14%3A53%3A00.000Z&page_size=100");
  });

  test.each([
    ["of other labels", fixture("pickup", { label_ids: ["se-l2"] })],
    ["that was cancelled", fixture("pickup", { cancelled_at: "2026-03-02T14:59:00Z" })],
  ])("a pickup %s does not count", async (_name, other) => {
    expect((await booking(2, [other])).requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });

  test("without labels or a contact are refused", async () => {
    await expect(booking(1, [], { parcels: [] })).rejects.toMatchObject({ code: "labels_required" });
    const { email: _email, phone: _phone, ...address } = warehouse;
    await expect(booking(1, [], { address })).rejects.toMatchObject({
      code: "contact_required",
      message: expect.stringContaining("has no email and no phone"),
    });
  });

  const booked = { confirmationNumber: "C1", readyTime: "", closeTime: "", carrierData: { pickupId: "pik_1" } };

  test("a second cancellation succeeds, one that is refused does not", async () => {
    const cancelling = async (cancelled_at: string | null) => {
      const { call } = scriptedCall({
        answers: ({ method }) =>
          method === "GET" ? { status: 200, body: fixture("pickup", { cancelled_at }) } : { status: 400 },
      });
      await shipengine.cancelPickup!(call, booked);
    };
    await expect(cancelling("2026-03-02T16:00:00Z")).resolves.toBeUndefined();
    await expect(cancelling(null)).rejects.toMatchObject({ code: "rejected" });
  });

  test("the state is scheduled until it is cancelled", async () => {
    const { call } = scriptedCall({ answers: () => ({ status: 200, body: fixture("pickup") }) });
    expect(await shipengine.findPickup!(call, booked)).toEqual({ status: "scheduled" });
  });
});

describe("manifests", () => {
  const parcels = [{ trackingNumber, service: "x", carrierData: { labelId: "se-l1" } }];
  const request = { from: warehouse, shipDate: "2026-03-02", parcels };
  const making = async (
    answers: (request: SentRequest) => ScriptedAnswer,
    attempt = 1,
    noted: object | null = null,
  ) => {
    const scripted = scriptedCall({
      attempt,
      noted: noted as Record<string, unknown> | null,
      credentials: { apiKey: "abc" },
      answers: (sent) => (sent.path.includes("/downloads/") ? { status: 200, body: files.pdf } : answers(sent)),
    });
    return {
      result: await shipengine.createManifest!(scripted.call, request).catch((error: unknown) => error),
      ...scripted,
    };
  };

  test("are made of the labels", async () => {
    const { result, requests } = await making(() => ({ status: 200, body: fixture("manifest") }));
    expect(requests[0]).toMatchObject({ method: "POST", path: "/v1/manifests", json: { label_ids: ["se-l1"] } });
    expect(result).toMatchObject({
      number: "9475711899564878915476",
      file: { contentType: "application/pdf" },
      carrierData: { manifestId: "se-m1" },
    });
  });

  test("that take time are noted and asked for by the next attempt", async () => {
    const open = { manifest_requests: [{ manifest_request_id: "se-mr1", status: "in_progress" }] };
    const first = await making(() => ({ status: 200, body: open }));
    expect(first.result).toMatchObject({ code: "in_progress", retryable: true, mayHaveHappened: true });
    expect(first.notes).toEqual([{ requestId: "se-mr1" }]);
    const second = await making(() => ({ status: 200, body: fixture("manifest") }), 2, { requestId: "se-mr1" });
    expect(second.requests[0]).toMatchObject({ method: "GET", path: "/v1/manifests/requests/se-mr1" });
  });

  test("are found by their labels after a lost answer", async () => {
    const { requests } = await making(() => ({ status: 200, body: fixture("manifest") }), 2);
    expect(requests[0]!.path).toBe("/v1/manifests?label_ids=se-l1");
    expect(requests.some(({ method }) => method === "POST")).toBe(false);
  });

  test("that the carrier refused inside 200 are an error", async () => {
    const body = { manifests: [], manifest_requests: [], errors: [{ message: "The label is on a manifest." }] };
    expect((await making(() => ({ status: 200, body }))).result).toMatchObject({
      code: "rejected",
      message: "ShipEngine: The label is on a manifest.",
    });
  });
});

describe("addresses", () => {
  const check = async (changes: object) => {
    const [result] = fixture("address-verified").results as object[];
    const { call } = scriptedCall({ answers: () => ({ status: 200, body: [{ ...result, ...changes }] }) });
    return await shipengine.checkAddress!(call, customer);
  };

  test.each([
    [{}, { verdict: "corrected", residential: true, address: { address1: "7 LAKE ST APT 3", zip: "60614-1234" } }],
    [
      { status: "warning", messages: [{ message: "Look again." }] },
      { verdict: "corrected", messages: ["Look again."] },
    ],
    [
      { status: "error", matched_address: null },
      { verdict: "invalid", residential: null },
    ],
    [{ status: "unverified", matched_address: null }, { verdict: "unknown" }],
    [{ status: "brand new" }, { verdict: "unknown" }],
  ])("%j", async (changes, expected) => {
    expect(await check(changes)).toMatchObject(expected);
  });

  test("the same address is valid", async () => {
    const { address1, address2, city, provinceCode, zip } = customer;
    const matched_address = {
      address_line1: address1,
      address_line2: address2,
      city_locality: city,
      state_province: provinceCode,
      postal_code: zip,
    };
    expect((await check({ matched_address })).verdict).toBe("valid");
  });
});
