import { describe, expect, test } from "vitest";
import { shortKey } from "../seam/keys.ts";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { files, pickupRequest, warehouse } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { easypost } from "./easypost.ts";

const fixture = fixtureIn(import.meta.dirname);
const reference = shortKey("pickup:1", 40);
const parcelOf = (id: string, carrier = "USPS") => ({
  trackingNumber: id,
  service: `${carrier}/Priority`,
  countryCode: "US",
  weight: { value: 1, unit: "lb" as const },
  carrierData: { shipmentIds: [id], carrier },
});

type Routes = Record<string, (request: SentRequest) => ScriptedAnswer>;
type Booking = {
  attempt?: number;
  noted?: Record<string, unknown> | null;
  parcels?: ReturnType<typeof parcelOf>[];
  routes?: Routes;
};

async function booking({ attempt = 1, noted = null, parcels = [parcelOf("shp_1")], routes = {} }: Booking = {}) {
  const all: Routes = {
    "POST /v2/pickups": () => ({ status: 200, body: fixture("pickup-created") }),
    "POST /v2/pickups/pickup_7d3/buy": () => ({ status: 200, body: fixture("pickup-bought") }),
    ...routes,
  };
  const answers = (request: SentRequest): ScriptedAnswer => all[`${request.method} ${request.path}`]!(request);
  const scripted = scriptedCall({ credentials: { apiKey: "EZAK" }, effectKey: "pickup:1", attempt, noted, answers });
  const result = await easypost.schedulePickup!(scripted.call, pickupRequest({ parcels })).catch(
    (error: unknown) => error,
  );
  return { result, ...scripted, paths: scripted.requests.map(({ method, path }) => `${method} ${path}`) };
}

describe("pickups", () => {
  test("are created for the label, noted, and bought from its carrier", async () => {
    const { result, requests, notes } = await booking();
    expect(requests[0]!.json).toMatchObject({
      pickup: {
        address: { street1: "12 Mill Road", zip: "08817" },
        min_datetime: "2026-03-03T10:00:00-05:00",
        max_datetime: "2026-03-03T16:00:00-05:00",
        instructions: "Dock 2",
        is_account_address: false,
        reference,
        shipment: { id: "shp_1" },
      },
    });
    expect(requests[1]!.json).toEqual({ carrier: "USPS", service: "NextDay" });
    expect(notes).toEqual([{ pickupId: "pickup_7d3" }]);
    expect(result).toEqual({
      confirmationNumber: "WTC70000001",
      charge: { cents: 0, currency: "USD" },
      messages: [],
      carrierData: { pickupId: "pickup_7d3" },
    });
  });

  test("the charge is that of the carrier", async () => {
    const { result } = await booking({ parcels: [parcelOf("shp_1", "UPS")] });
    expect(result).toMatchObject({ charge: { cents: 650, currency: "USD" } });
  });

  test("of several labels need a batch, which is waited for by the next attempt", async () => {
    const parcels = [parcelOf("shp_1"), parcelOf("shp_2")];
    const routes = (state: string): Routes => ({
      "POST /v2/batches": () => ({ status: 200, body: { id: "batch_1", state: "creating" } }),
      "GET /v2/batches/batch_1": () => ({ status: 200, body: { id: "batch_1", state } }),
    });
    const first = await booking({ parcels, routes: routes("creating") });
    expect(first.result).toMatchObject({ code: "in_progress", retryable: true, mayHaveHappened: false });
    expect(first.requests[0]!.json).toEqual({ batch: { shipments: [{ id: "shp_1" }, { id: "shp_2" }] } });
    expect(first.notes).toEqual([{ batchId: "batch_1" }]);
    const byReference = { [`GET /v2/pickups/${reference}`]: () => ({ status: 404 }) };
    const noted = { batchId: "batch_1" };
    const second = await booking({ parcels, attempt: 2, noted, routes: { ...routes("created"), ...byReference } });
    expect(second.paths).not.toContain("POST /v2/batches");
    expect(second.requests[2]!.json).toMatchObject({ pickup: { batch: { id: "batch_1" } } });
    expect(second.notes).toEqual([{ batchId: "batch_1", pickupId: "pickup_7d3" }]);
    expect(second.result).toMatchObject({ confirmationNumber: "WTC70000001" });
  });

  test("a repeat after a lost purchase returns the booking", async () => {
    const routes = { "GET /v2/pickups/pickup_7d3": () => ({ status: 200, body: fixture("pickup-bought") }) };
    const { result, paths } = await booking({ attempt: 2, noted: { pickupId: "pickup_7d3" }, routes });
    expect(paths).toEqual(["GET /v2/pickups/pickup_7d3"]);
    expect(result).toMatchObject({ confirmationNumber: "WTC70000001" });
  });

  test("a repeat after a lost creation finds the pickup by reference", async () => {
    const routes = { [`GET /v2/pickups/${reference}`]: () => ({ status: 200, body: fixture("pickup-created") }) };
    const { paths } = await booking({ attempt: 2, routes });
    expect(paths).toEqual([`GET /v2/pickups/${reference}`, "POST /v2/pickups/pickup_7d3/buy"]);
  });

  test("a look-up that fails leaves the outcome open", async () => {
    const routes = { "GET /v2/pickups/pickup_7d3": () => ({ status: 401 }) };
    const { result } = await booking({ attempt: 2, noted: { pickupId: "pickup_7d3" }, routes });
    expect(result).toMatchObject({ code: "outcome_unknown", mayHaveHappened: true });
  });

  test("without labels, of two carriers, or without an offer are refused", async () => {
    expect((await booking({ parcels: [] })).result).toMatchObject({ code: "labels_required" });
    const mixed = [parcelOf("shp_1"), parcelOf("shp_2", "UPS")];
    expect((await booking({ parcels: mixed })).result).toMatchObject({
      code: "one_carrier_required",
      message: "The labels are of USPS and UPS. Book one pickup for each carrier.",
    });
    const messages = [{ carrier: "USPS", type: "pickup_error", message: "No pickup on Sunday." }];
    const body = fixture("pickup-created", { pickup_rates: [], messages });
    expect((await booking({ routes: { "POST /v2/pickups": () => ({ status: 200, body }) } })).result).toMatchObject({
      code: "pickup_refused",
      message: "USPS: No pickup on Sunday.",
    });
  });

  const booked = {
    confirmationNumber: "WTC70000001",
    readyTime: "2026-03-03T10:00:00-05:00",
    closeTime: "2026-03-03T16:00:00-05:00",
    carrierData: { pickupId: "pickup_7d3" },
  };
  const cancelling = async (status: string) => {
    const { call } = scriptedCall({
      answers: ({ method }) =>
        method === "GET"
          ? { status: 200, body: { status } }
          : { status: 422, body: { error: { message: "Not now." } } },
    });
    await easypost.cancelPickup!(call, booked);
  };

  test("a second cancellation succeeds, one that is refused does not", async () => {
    await expect(cancelling("canceled")).resolves.toBeUndefined();
    await expect(cancelling("scheduled")).rejects.toMatchObject({ code: "rejected", message: "EasyPost: Not now." });
  });

  test.each([
    ["scheduled", { status: "scheduled" }],
    ["canceled", { status: "cancelled" }],
    ["unknown", undefined],
  ])("the state %s", async (status, expected) => {
    const { call } = scriptedCall({ answers: () => ({ status: 200, body: { status } }) });
    expect(await easypost.findPickup!(call, booked)).toEqual(expected);
  });
});

describe("SCAN forms", () => {
  const making = async (attempt: number, body: object, form: object | null = null) => {
    const { call, requests } = scriptedCall({
      attempt,
      answers: ({ method, path }) => {
        if (path.startsWith("/scan_form/")) return { status: 200, body: files.pdf };
        return { status: 200, body: method === "GET" ? { scan_form: form } : body };
      },
    });
    const parcels = [{ trackingNumber: "1", service: "USPS/Priority", carrierData: { shipmentIds: ["shp_1"] } }];
    const request = { from: warehouse, shipDate: "2026-03-02", parcels };
    return { manifest: await easypost.createManifest!(call, request), requests };
  };

  test("are made of the labels, with their file", async () => {
    const { manifest, requests } = await making(1, fixture("scan-form"));
    expect(requests[0]).toMatchObject({
      path: "/v2/scan_forms",
      json: { scan_form: { shipments: [{ id: "shp_1" }] } },
    });
    expect(manifest).toEqual({
      number: null,
      file: { contentType: "application/pdf", content: files.pdf },
      carrierData: { scanFormId: "sf_7d4" },
    });
  });

  test("are found at the label by a repeat, and made where there is none", async () => {
    const again = await making(2, {}, fixture("scan-form"));
    expect(again.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
    expect((await making(2, fixture("scan-form"))).requests[1]).toMatchObject({ method: "POST" });
  });

  test("a form that failed is a refusal with its reason", async () => {
    const body = fixture("scan-form", { status: "failed", message: "Labels have different addresses." });
    await expect(making(1, body)).rejects.toMatchObject({
      code: "rejected",
      message: "EasyPost: Labels have different addresses.",
    });
  });
});
