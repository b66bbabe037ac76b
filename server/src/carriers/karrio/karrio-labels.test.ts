import { describe, expect, test } from "vitest";
import { shortKey } from "../seam/keys.ts";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { customer, files, labelRequest, soldLabel, warehouse } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { karrio } from "./karrio.ts";

const fixture = fixtureIn(import.meta.dirname);
const key = shortKey("label:1", 40);
const byKey = `GET /v1/shipments?metadata_key=hub_key&metadata_value=${key}`;
const buyPath = "POST /v1/shipments/shp_7d1/purchase";
const readPath = "GET /v1/shipments/shp_7d1";
const draft = () => ({ status: 200, body: fixture("shipment-draft") });
const recovered = () => ({ status: 200, body: fixture("shipment-recovered") });

type Routes = Record<string, (request: SentRequest) => ScriptedAnswer>;
type Buying = {
  attempt?: number;
  noted?: Record<string, unknown>;
  routes?: Routes;
  changes?: object;
  settings?: object;
};

async function buying({ attempt = 1, noted, routes = {}, changes = {}, settings = {} }: Buying = {}) {
  const all: Routes = {
    "POST /v1/shipments": () => ({ status: 201, body: fixture("shipment-draft") }),
    [buyPath]: () => ({ status: 200, body: fixture("shipment-bought") }),
    "GET /v1/shipments/shp_7d1/label.pdf": () => ({ status: 200, body: files.pdf }),
    ...routes,
  };
  const answers = (request: SentRequest): ScriptedAnswer => {
    const route = all[`${request.method} ${request.path}`];
    if (!route) throw new Error(`Unexpected request ${request.method} ${request.path}`);
    return route(request);
  };
  const own = { baseUrl: "https://karrio.example", ...settings };
  const credentials = { token: "key_1" };
  const scripted = scriptedCall({
    settings: own,
    credentials,
    effectKey: "label:1",
    attempt,
    noted: noted ?? null,
    answers,
  });
  const request = labelRequest("ups_ground", changes);
  const label = await karrio.createLabel!(scripted.call, request).catch((error: unknown) => error);
  return { label, ...scripted, paths: scripted.requests.map(({ method, path }) => `${method} ${path}`) };
}

const sold = {
  service: "ups_ground",
  charge: { cents: 1183, currency: "USD" },
  transitDays: 3,
  deliverBy: "2026-03-05",
  parcels: [{ trackingNumber: "1Z0000000000000001", file: { contentType: "application/pdf", content: files.pdf } }],
  carrierData: { shipmentId: "shp_7d1", carrierName: "ups" },
};

describe("a purchase", () => {
  test("creates a draft under our key, notes it, buys the rate and has the label in the answer", async () => {
    const { label, requests, notes, paths } = await buying();
    expect(paths).toEqual(["POST /v1/shipments", buyPath]);
    expect(requests[0]!.json).toMatchObject({
      services: ["ups_ground"],
      label_type: "PDF",
      reference: "Order 1001",
      metadata: { hub_key: key },
    });
    expect(requests[1]!.json).toEqual({ selected_rate_id: "rat_1", label_type: "PDF" });
    expect(notes).toEqual([{ shipmentId: "shp_7d1" }, { shipmentId: "shp_7d1", sentAt: "2026-03-02T15:00:00.000Z" }]);
    expect(label).toMatchObject(sold);
  });

  test("the connection that was quoted is preferred to a cheaper one", async () => {
    const { requests } = await buying({ changes: { quote: { carrierId: "ups_west" } } });
    expect(requests[1]!.json).toMatchObject({ selected_rate_id: "rat_2" });
  });

  test("a return is turned around by karrio", async () => {
    const changes = { from: customer, to: warehouse, options: { isReturn: true, residential: true } };
    const { requests } = await buying({ changes });
    expect(requests[0]!.json).toMatchObject({
      is_return: true,
      shipper: { person_name: "Warehouse East" },
      recipient: { person_name: "Ada Byron", residential: true },
    });
  });

  test("several parcels have their own numbers, with the file at the lead; numbers of return labels do not count", async () => {
    const meta = { tracking_numbers: ["1Z0000000000000001", "1Z0000000000000002", "1Z0000000000000003"] };
    const routes = { [buyPath]: () => ({ status: 200, body: fixture("shipment-bought", { meta }) }) };
    const parcels = [{ weight: { value: 1, unit: "lb" as const } }, { weight: { value: 2, unit: "lb" as const } }];
    expect((await buying({ routes, changes: { parcels } })).label).toMatchObject({
      parcels: [sold.parcels[0], { trackingNumber: "1Z0000000000000002", file: null }],
    });
    expect((await buying({ routes })).label).toMatchObject({ parcels: sold.parcels });
  });

  test("parts that the hub cannot store are made to fit, or left out", async () => {
    const extra_charges = [{ name: `Fuel\nsurcharge ${"x".repeat(200)}`, amount: 1.73, currency: "USD" }];
    const rate = { service: "ups_ground", total_charge: 11.83, currency: "USD", extra_charges };
    const selected_rate = { ...rate, transit_days: 2.5, estimated_delivery: "soon" };
    const body = fixture("shipment-bought", { selected_rate });
    const { label } = await buying({ routes: { [buyPath]: () => ({ status: 200, body }) } });
    const text = expect.stringMatching(/^Fuel surcharge x{85}$/) as string;
    expect(label).toMatchObject({ transitDays: 3, charge: { lines: [{ code: text, label: text }] } });
    expect(label).not.toHaveProperty("deliverBy");
  });

  test("an account for tests does not buy from a live connection", async () => {
    const rates = [{ id: "rat_1", service: "ups_ground", total_charge: 1, currency: "USD", test_mode: false }];
    const routes = { "POST /v1/shipments": () => ({ status: 201, body: fixture("shipment-draft", { rates }) }) };
    const { label, paths } = await buying({ settings: { testMode: true }, routes });
    expect(label).toMatchObject({ code: "live_connection" });
    expect(paths).toEqual(["POST /v1/shipments"]);
    expect((await buying({ settings: { testMode: true } })).label).toMatchObject(sold);
  });

  test("a service without a rate is refused with the words of the carrier", async () => {
    const body = fixture("shipment-draft", { rates: [], messages: [{ message: "Too heavy.", carrier_name: "ups" }] });
    const { label } = await buying({ routes: { "POST /v1/shipments": () => ({ status: 201, body }) } });
    expect(label).toMatchObject({
      code: "service_not_offered",
      message: "karrio does not offer ups_ground for this shipment. ups: Too heavy.",
    });
  });
});

describe("failures of the purchase", () => {
  test.each<[string, ScriptedAnswer, object, number]>([
    [
      "a refusal",
      { status: 424, body: { messages: [{ message: "Bad address." }] } },
      { code: "rejected", mayHaveHappened: false },
      3,
    ],
    ["500", { status: 500 }, { code: "remote_error", mayHaveHappened: true }, 2],
    [
      "an answer without a number",
      { status: 200, body: { id: "shp_7d1", status: "created" } },
      { code: "unexpected_response", mayHaveHappened: true },
      2,
    ],
  ])("%s", async (_name, answer, expected, noteCount) => {
    const { label, notes } = await buying({ routes: { [buyPath]: () => answer } });
    expect(label).toMatchObject(expected);
    // A refusal takes the time of the purchase back: the next attempt need not wait.
    expect(notes).toHaveLength(noteCount);
    expect("sentAt" in notes.at(-1)!).toBe(noteCount === 2);
  });

  test.each(["The request timed out", "The carrier did not respond in time."])(
    "a carrier that did not answer (%s) may have sold the label: karrio is asked, and nothing is bought again",
    async (message) => {
      const silent = {
        [buyPath]: () => ({ status: 424, body: { messages: [{ message }] } }),
        "GET /v1/shipments/shp_7d1": () => ({ status: 200, body: fixture("shipment-draft") }),
      };
      const { label, notes } = await buying({ routes: silent });
      expect(label).toMatchObject({ code: "timed_out", retryable: true, mayHaveHappened: true });
      expect(notes.at(-1)).toEqual({ shipmentId: "shp_7d1", carrierTimedOut: true });
      const second = await buying({ routes: silent, attempt: 2, noted: notes.at(-1)! });
      expect(second.label).toMatchObject({ code: "outcome_unknown", mayHaveHappened: true });
    },
  );
});

describe("a repeat", () => {
  test("after a lost creation finds the draft by our key, among others", async () => {
    const results = [
      fixture("shipment-draft", { id: "shp_other" }),
      fixture("shipment-draft", { metadata: { hub_key: key } }),
    ];
    const { paths, notes } = await buying({
      attempt: 2,
      routes: { [byKey]: () => ({ status: 200, body: { results } }) },
    });
    expect(paths).toEqual([byKey, buyPath]);
    expect(notes[0]).toEqual({ shipmentId: "shp_7d1" });
  });

  test("of two shipments with our key takes the one that was bought", async () => {
    const metadata = { hub_key: key };
    const results = [fixture("shipment-draft", { id: "shp_x", metadata }), fixture("shipment-recovered", { metadata })];
    const { label, paths } = await buying({
      attempt: 2,
      routes: { [byKey]: () => ({ status: 200, body: { results } }) },
    });
    expect(paths).toEqual([byKey, "GET /v1/shipments/shp_7d1/label.pdf"]);
    expect(label).toMatchObject(sold);
  });

  test("creates the draft where there is none", async () => {
    const { paths } = await buying({ attempt: 2, routes: { [byKey]: () => ({ status: 200, body: { results: [] } }) } });
    expect(paths).toEqual([byKey, "POST /v1/shipments", buyPath]);
  });

  test("after a lost purchase takes the label, with its file from karrio", async () => {
    const noted = { shipmentId: "shp_7d1", sentAt: "2026-03-02T14:59:30.000Z" };
    const { label, paths, requests } = await buying({ attempt: 2, noted, routes: { [readPath]: recovered } });
    expect(paths).toEqual([readPath, "GET /v1/shipments/shp_7d1/label.pdf"]);
    expect(requests[1]).toMatchObject({ headers: { authorization: "Token key_1" }, withoutCredentials: false });
    expect(label).toMatchObject(sold);
  });

  test.each([
    [{ shipmentId: "shp_7d1" }, true],
    [{ shipmentId: "shp_7d1", sentAt: "2026-03-02T14:57:00.000Z" }, true],
    [{ shipmentId: "shp_7d1", sentAt: "2026-03-02T14:59:00.000Z" }, false],
  ])("of a draft noted as %j buys it: %s", async (noted, buys) => {
    const { label, paths } = await buying({ attempt: 2, noted, routes: { [readPath]: draft } });
    expect(paths.includes(buyPath)).toBe(buys);
    if (!buys) expect(label).toMatchObject({ code: "in_progress", retryable: true, mayHaveHappened: true });
  });

  test("that karrio refuses because the shipment was bought reads the label", async () => {
    let looks = 0;
    const { label, paths } = await buying({
      attempt: 2,
      noted: { shipmentId: "shp_7d1" },
      routes: {
        [readPath]: () => (looks++ === 0 ? draft() : recovered()),
        [buyPath]: () => ({
          status: 409,
          body: { errors: [{ code: "state_error", message: "cannot be purchased again" }] },
        }),
      },
    });
    expect(paths).toEqual([readPath, buyPath, readPath, "GET /v1/shipments/shp_7d1/label.pdf"]);
    expect(label).toMatchObject(sold);
  });

  test.each([401, 404, 500])("whose look-up is answered with %d leaves the outcome open", async (status) => {
    const noted = { shipmentId: "shp_7d1", sentAt: "2026-03-02T14:00:00.000Z" };
    const { label, paths } = await buying({ attempt: 2, noted, routes: { [readPath]: () => ({ status }) } });
    expect(label).toMatchObject({ mayHaveHappened: true });
    expect(paths).toEqual([readPath]);
  });
});

describe("voids", () => {
  const carrierData = { shipmentId: "shp_7d1" };
  const voiding = async (answer: ScriptedAnswer, label = soldLabel({ carrierData })) => {
    const results = [{ id: "shp_9", tracking_number: label.trackingNumber }];
    const { call, requests } = scriptedCall({
      settings: { baseUrl: "https://karrio.example" },
      answers: ({ method }) => (method === "GET" ? { status: 200, body: { results } } : answer),
    });
    return { answer: await karrio.voidLabel!(call, label), requests };
  };

  test.each<[string, ScriptedAnswer, object]>([
    ["done", { status: 200, body: { status: "cancelled" } }, { state: "voided" }],
    ["done before", { status: 202, body: { status: "cancelled" } }, { state: "voided" }],
    [
      "refused by its state",
      { status: 409, body: { errors: [{ message: "It is delivered." }] } },
      { state: "rejected", message: "karrio: It is delivered." },
    ],
    [
      "refused by the carrier",
      { status: 424, body: { messages: [{ message: "Too late." }] } },
      { state: "rejected", message: "karrio: Too late." },
    ],
    ["not done inside 200", { status: 200, body: { status: "created" } }, { state: "rejected" }],
  ])("%s", async (_name, answer, expected) => {
    const result = await voiding(answer);
    expect(result.requests[0]).toMatchObject({ method: "POST", path: "/v1/shipments/shp_7d1/cancel" });
    expect(result.answer).toMatchObject(expected);
  });

  test("a label without its ID is found by its number; a wrong token is no refusal", async () => {
    const { requests } = await voiding({ status: 200, body: { status: "cancelled" } }, soldLabel());
    expect(requests[1]!.path).toBe("/v1/shipments/shp_9/cancel");
    await expect(voiding({ status: 401 })).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("the follow-up", async () => {
    const asking = async (status: string) => {
      const { call } = scriptedCall({
        settings: { baseUrl: "https://karrio.example" },
        answers: () => ({ status: 200, body: { status } }),
      });
      return await karrio.findVoid!(call, soldLabel({ carrierData }));
    };
    expect(await asking("cancelled")).toEqual({ state: "voided" });
    expect(await asking("created")).toBeUndefined();
  });
});
