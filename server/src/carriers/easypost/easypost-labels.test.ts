import { describe, expect, test } from "vitest";
import { shortKey } from "../seam/keys.ts";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { files, labelRequest } from "../seam/testing/sample-requests.ts";
import { lostAnswer, scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { easypost } from "./easypost.ts";

const fixture = fixtureIn(import.meta.dirname);
const service = "USPS/GroundAdvantage";
const effectKey = "label:1";
const reference = shortKey(effectKey, 40);
const notFound = {
  status: 404,
  body: { error: { code: "NOT_FOUND", message: "The requested resource could not be found." } },
};

/** Answers by method and path; a shipment is created, bought and its file fetched unless the test says otherwise. */
function shop(more: Record<string, (request: SentRequest) => ScriptedAnswer> = {}) {
  const routes: typeof more = {
    "POST /v2/shipments": () => ({ status: 201, body: fixture("shipment-created") }),
    "POST /v2/shipments/shp_7d1/buy": () => ({ status: 200, body: fixture("shipment-bought") }),
    "GET /postage_label/7d1.pdf": () => ({
      status: 200,
      headers: { "content-type": "application/pdf" },
      body: files.pdf,
    }),
    ...more,
  };
  return (request: SentRequest): ScriptedAnswer => {
    const route = routes[`${request.method} ${request.path}`];
    if (!route) throw new Error(`Unexpected request ${request.method} ${request.path}`);
    return route(request);
  };
}

type Buying = {
  attempt?: number;
  noted?: Record<string, unknown> | null;
  routes?: Parameters<typeof shop>[0];
  changes?: object;
};

async function buying({ attempt = 1, noted = null, routes = {}, changes = {} }: Buying = {}) {
  const scripted = scriptedCall({ credentials: { apiKey: "EZAK" }, effectKey, attempt, noted, answers: shop(routes) });
  const result = easypost.createLabel!(scripted.call, labelRequest(service, changes));
  const label = await result.catch((error: unknown) => error);
  return { label, ...scripted, paths: scripted.requests.map(({ method, path }) => `${method} ${path}`) };
}

describe("a purchase", () => {
  test("creates the shipment under our reference, notes its ID, buys the rate and fetches the file", async () => {
    const { label, requests, notes, paths } = await buying({
      changes: { options: { insuredValue: { amount: 100, currency: "USD" } } },
    });
    expect(paths).toEqual(["POST /v2/shipments", "POST /v2/shipments/shp_7d1/buy", "GET /postage_label/7d1.pdf"]);
    expect(requests[0]!.json).toMatchObject({ shipment: { reference, options: { print_custom_1: "Order 1001" } } });
    expect(requests[1]!.json).toEqual({ rate: { id: "rate_ground" }, insurance: "100.00" });
    expect(requests[2]).toMatchObject({ host: "files.easypost.example", withoutCredentials: true, headers: {} });
    expect(notes).toEqual([{ shipmentId: "shp_7d1" }]);
    expect(label).toEqual({
      service,
      charge: {
        cents: 693,
        currency: "USD",
        lines: [
          { code: "PostageFee", label: "Postage", cents: 593 },
          { code: "InsuranceFee", label: "Insurance Fee", cents: 100 },
        ],
      },
      transitDays: 3,
      parcels: [
        { trackingNumber: "9400100000000000000017", file: { contentType: "application/pdf", content: files.pdf } },
      ],
      carrierData: { shipmentIds: ["shp_7d1"], carrier: "USPS" },
    });
  });

  test("the account that was quoted is preferred to a cheaper one", async () => {
    const { requests } = await buying({ changes: { quote: { accountId: "ca_post_2" } } });
    expect(requests[1]!.json).toEqual({ rate: { id: "rate_ground_b" } });
  });

  test.each([
    ["a host that does not answer", () => lostAnswer()],
    ["a page of HTML", () => ({ status: 200, body: "<html>" })],
    ["a file that is gone", () => ({ status: 404 })],
  ])("%s leaves the label without its file", async (_name, answer) => {
    const { label } = await buying({ routes: { "GET /postage_label/7d1.pdf": answer } });
    expect(label).toMatchObject({ parcels: [{ trackingNumber: "9400100000000000000017", file: null }] });
  });

  test("a selected rate without a price is no price", async () => {
    const body = fixture("shipment-bought", { selected_rate: { service: "Priority" } });
    const { label } = await buying({ routes: { "POST /v2/shipments/shp_7d1/buy": () => ({ status: 200, body }) } });
    expect(label).toMatchObject({ charge: null, carrierData: { carrier: "USPS" } });
  });

  test("a service without a rate is refused before anything is bought, with the carrier's words", async () => {
    const messages = [{ carrier: "USPS", type: "rate_error", message: "Too heavy for this service." }];
    const body = fixture("shipment-created", { rates: [], messages });
    const { label, paths } = await buying({ routes: { "POST /v2/shipments": () => ({ status: 201, body }) } });
    expect(label).toMatchObject({
      code: "service_not_offered",
      mayHaveHappened: false,
      message: expect.stringContaining("USPS: Too heavy for this service."),
    });
    expect(paths).toEqual(["POST /v2/shipments"]);
  });

  test("expired rates are fetched again, once", async () => {
    const expired = {
      status: 422,
      body: { error: { code: "SHIPMENT.RATE.EXPIRED", message: "The rate has expired." } },
    };
    let bought = 0;
    const { label, paths } = await buying({
      routes: {
        "POST /v2/shipments/shp_7d1/buy": () =>
          bought++ === 0 ? expired : { status: 200, body: fixture("shipment-bought") },
        "POST /v2/shipments/shp_7d1/rerate": () => ({ status: 200, body: fixture("shipment-created") }),
      },
    });
    expect(label).toMatchObject({ service });
    expect(paths.slice(1, 4)).toEqual([
      "POST /v2/shipments/shp_7d1/buy",
      "POST /v2/shipments/shp_7d1/rerate",
      "POST /v2/shipments/shp_7d1/buy",
    ]);
  });

  test.each([
    [{ insuredValue: { amount: 100, currency: "EUR" } }, /insuredValue in EUR\. Insure in USD/],
    [{ label: { size: "a4" } }, /label\.size/],
  ])("%j is refused without a request", async (options, message) => {
    const { label, requests } = await buying({ changes: { options } });
    expect(label).toMatchObject({ code: "option_not_supported", message: expect.stringMatching(message) });
    expect(requests).toHaveLength(0);
  });
});

describe("failures of the purchase", () => {
  const failing = async (status: number, code: string) =>
    await buying({
      routes: { "POST /v2/shipments/shp_7d1/buy": () => ({ status, body: { error: { code, message: "Words." } } }) },
    });

  test.each([
    [422, "SHIPMENT.POSTAGE.TIMED_OUT", { code: "timed_out", retryable: true, mayHaveHappened: true }],
    [422, "SHIPMENT.POSTAGE.NO_RESPONSE", { code: "timed_out", retryable: true, mayHaveHappened: true }],
    [409, "SHIPMENT.PURCHASE.IN_PROGRESS", { code: "in_progress", retryable: true, mayHaveHappened: true }],
    [422, "SHIPMENT.POSTAGE.FAILURE", { code: "rejected", retryable: false, mayHaveHappened: false }],
    [402, "INSUFFICIENT_FUNDS", { code: "payment_required", retryable: false, mayHaveHappened: false }],
    [429, "RATE_LIMITED", { code: "rate_limited", retryable: true, mayHaveHappened: false }],
    [500, "INTERNAL_SERVER_ERROR", { code: "remote_error", retryable: true, mayHaveHappened: true }],
  ])("%d %s", async (status, code, expected) => {
    expect((await failing(status, code)).label).toMatchObject({ ...expected, message: "EasyPost: Words." });
  });

  test("an answer without a tracking number leaves the outcome open", async () => {
    const routes = { "POST /v2/shipments/shp_7d1/buy": () => ({ status: 200, body: fixture("shipment-created") }) };
    expect((await buying({ routes })).label).toMatchObject({ code: "unexpected_response", mayHaveHappened: true });
  });
});

describe("a repeat", () => {
  const bought = () => ({ status: 200, body: fixture("shipment-bought") });
  const open = () => ({ status: 200, body: fixture("shipment-created") });

  test("after a lost creation finds the shipment by reference and buys it", async () => {
    const { label, notes, paths } = await buying({ attempt: 2, routes: { [`GET /v2/shipments/${reference}`]: open } });
    expect(paths.slice(0, 2)).toEqual([`GET /v2/shipments/${reference}`, "POST /v2/shipments/shp_7d1/buy"]);
    expect(notes).toEqual([{ shipmentId: "shp_7d1" }]);
    expect(label).toMatchObject({ service });
  });

  test("creates the shipment where there is none", async () => {
    const { paths } = await buying({ attempt: 2, routes: { [`GET /v2/shipments/${reference}`]: () => notFound } });
    expect(paths.slice(0, 2)).toEqual([`GET /v2/shipments/${reference}`, "POST /v2/shipments"]);
  });

  test("after a lost purchase returns what was bought, and buys nothing", async () => {
    const noted = { shipmentId: "shp_7d1" };
    const { label, paths } = await buying({ attempt: 2, noted, routes: { "GET /v2/shipments/shp_7d1": bought } });
    expect(paths).toEqual(["GET /v2/shipments/shp_7d1", "GET /postage_label/7d1.pdf"]);
    expect(label).toMatchObject({ parcels: [{ trackingNumber: "9400100000000000000017" }] });
  });

  test("buys the noted shipment if it is still open", async () => {
    const noted = { shipmentId: "shp_7d1" };
    const { paths } = await buying({ attempt: 2, noted, routes: { "GET /v2/shipments/shp_7d1": open } });
    expect(paths.slice(0, 2)).toEqual(["GET /v2/shipments/shp_7d1", "POST /v2/shipments/shp_7d1/buy"]);
  });

  test("that EasyPost refuses because postage exists reads the label", async () => {
    let looks = 0;
    const { label, paths } = await buying({
      attempt: 2,
      noted: { shipmentId: "shp_7d1" },
      routes: {
        "GET /v2/shipments/shp_7d1": () => (looks++ === 0 ? open() : bought()),
        "POST /v2/shipments/shp_7d1/buy": () => ({ status: 422, body: fixture("error-postage-exists") }),
      },
    });
    expect(label).toMatchObject({ parcels: [{ trackingNumber: "9400100000000000000017" }] });
    expect(paths.filter((path) => path.startsWith("GET /v2"))).toHaveLength(2);
  });

  test.each([
    [401, "outcome_unknown"],
    [404, "outcome_unknown"],
    [503, "remote_error"],
  ])("whose look-up is answered with %d leaves the outcome open", async (status, code) => {
    const noted = { shipmentId: "shp_7d1" };
    const { label, paths } = await buying({
      attempt: 2,
      noted,
      routes: { "GET /v2/shipments/shp_7d1": () => ({ status }) },
    });
    expect(label).toMatchObject({ code, mayHaveHappened: true });
    expect(paths).toEqual(["GET /v2/shipments/shp_7d1"]);
  });
});

describe("several parcels", () => {
  const parcels = [{ weight: { value: 1, unit: "lb" as const } }, { weight: { value: 2, unit: "lb" as const } }];
  const routes = {
    "POST /v2/orders": () => ({ status: 201, body: fixture("order-created") }),
    "POST /v2/orders/order_7d2/buy": () => ({ status: 200, body: fixture("order-bought") }),
    "GET /postage_label/7d2a.pdf": () => ({ status: 200, body: files.pdf }),
    "GET /postage_label/7d2b.pdf": () => ({ status: 200, body: files.png }),
  };

  test("are bought as one order with a label each", async () => {
    const { label, requests, notes } = await buying({ routes, changes: { parcels } });
    expect(requests[1]!.json).toEqual({ carrier: "USPS", service: "GroundAdvantage" });
    expect(notes).toEqual([{ orderId: "order_7d2" }]);
    expect(label).toMatchObject({
      charge: { cents: 1186, lines: [{ cents: 1186 }] },
      parcels: [
        { trackingNumber: "940010000000000000021", file: { contentType: "application/pdf" } },
        { trackingNumber: "940010000000000000022", file: { contentType: "image/png", content: files.png } },
      ],
      carrierData: { shipmentIds: ["shp_7d2a", "shp_7d2b"] },
    });
  });

  test("that were bought before are found by the noted order", async () => {
    const { paths } = await buying({
      attempt: 3,
      noted: { orderId: "order_7d2" },
      changes: { parcels },
      routes: { ...routes, "GET /v2/orders/order_7d2": () => ({ status: 200, body: fixture("order-bought") }) },
    });
    expect(paths).not.toContain("POST /v2/orders/order_7d2/buy");
  });

  test("cannot be insured together", async () => {
    const options = { insuredValue: { amount: 5, currency: "USD" } };
    const { label } = await buying({ routes, changes: { parcels, options } });
    expect(label).toMatchObject({
      code: "option_not_supported",
      message: expect.stringContaining("insuredValue of several parcels"),
    });
  });
});
