import { expect, test } from "vitest";
import type { ScriptedAnswer } from "../seam/testing/scripted-call.ts";
import { dock, uspsCall, uspsFault, uspsFixture, uspsParts } from "./usps-fixtures.ts";
import { usps } from "./usps.ts";

const label = {
  trackingNumber: "92001",
  trackingNumbers: ["92001"],
  service: "PRIORITY_MAIL",
  purchasedAt: "",
  carrierData: null,
};

test.each<[string, ScriptedAnswer, number, object]>([
  [
    "before the manifest",
    { status: 200, body: { trackingNumber: "92001", status: "CANCELED" } },
    1,
    { state: "voided" },
  ],
  [
    "after the manifest",
    { status: 200, body: { status: "DISPUTED", disputeId: "103789" } },
    1,
    { state: "submitted", carrierData: { disputeId: "103789" } },
  ],
  [
    "a second refund request",
    uspsFault("A refund request for this order has already been submitted today"),
    1,
    { state: "submitted" },
  ],
  ["a second cancellation", uspsFault("The label was already canceled"), 1, { state: "voided" }],
  ["a repeat that finds nothing any more", uspsFault("Order not found"), 2, { state: "voided" }],
  [
    "an unknown label",
    uspsFault("Order not found"),
    1,
    { state: "rejected", message: "USPS: Order not found (000001)" },
  ],
  ["a refusal", uspsFault("A refund request for this order cannot be submitted"), 1, { state: "rejected" }],
])("voiding: %s", async (_name, answer, attempt, expected) => {
  const { call, requests } = uspsCall(() => answer, { attempt });
  expect(await usps.voidLabel!(call, label)).toMatchObject(expected);
  expect(requests()[0]).toMatchObject({
    method: "DELETE",
    path: "/labels/v3/label/92001",
    headers: { "x-payment-authorization-token": "payment-1" },
  });
});

test("a void that USPS cannot answer is thrown, not taken for a refusal", async () => {
  await expect(usps.voidLabel!(uspsCall(() => ({ status: 503 })).call, label)).rejects.toMatchObject({
    retryable: true,
  });
  await expect(usps.voidLabel!(uspsCall(() => ({ status: 200, body: {} })).call, label)).rejects.toMatchObject({
    retryable: true,
  });
});

const manifest = {
  from: dock,
  shipDate: "2026-03-03",
  parcels: [{ trackingNumber: "92001", service: "PRIORITY_MAIL", carrierData: null }],
};

test("a SCAN form is made of the day's labels, and not made twice", async () => {
  const { call, requests, notes } = uspsCall(() => uspsParts("scan-form.txt"));
  expect(await usps.createManifest!(call, manifest)).toEqual({
    number: "9475000000000000000017",
    file: { contentType: "application/pdf", content: Buffer.from("%PDF-1.4\n") },
  });
  expect(requests()[0]).toMatchObject({
    path: "/scan-forms/v3/scan-form",
    json: {
      mailingDate: "2026-03-03",
      entryFacilityZIPCode: "07102",
      destinationEntryFacilityType: "NONE",
      shipment: { trackingNumbers: ["92001"] },
      fromAddress: { firm: "Hub Goods" },
    },
  });
  const repeat = uspsCall(() => uspsParts("scan-form.txt"), { attempt: 2, noted: notes[0]! });
  await expect(usps.createManifest!(repeat.call, manifest)).rejects.toMatchObject({
    code: "outcome_unknown",
    mayHaveHappened: true,
  });
  expect(repeat.requests()).toEqual([]);
  const empty = uspsCall(() => ({ status: 200, body: uspsFixture("token") }));
  await expect(usps.createManifest!(empty.call, manifest)).rejects.toMatchObject({ mayHaveHappened: true });
});
