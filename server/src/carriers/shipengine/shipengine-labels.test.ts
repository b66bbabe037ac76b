import { describe, expect, test } from "vitest";
import { shortKey } from "../seam/keys.ts";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { files, labelRequest } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";
import { shipengine } from "./shipengine.ts";

const fixture = fixtureIn(import.meta.dirname);
const service = "usps_ground_advantage";
const key = shortKey("label:1", 50);
const byKey = `GET /v1/labels/external_shipment_id/${key}`;
const shipmentByKey = `GET /v1/shipments/external_shipment_id/${key}`;
const missing = () => ({ status: 404, body: { errors: [{ error_code: "not_found", message: "Not found." }] } });
const conflict = () => ({ status: 409, body: fixture("error-conflict") });

type Routes = Record<string, (request: SentRequest) => ScriptedAnswer>;
type Buying = {
  attempt?: number;
  noted?: Record<string, unknown>;
  routes?: Routes;
  changes?: object;
  settings?: object;
};

async function buying({
  attempt = 1,
  noted,
  routes = {},
  changes = {},
  settings = { carrierIds: ["se-1"] },
}: Buying = {}) {
  const all: Routes = { "POST /v1/labels": () => ({ status: 200, body: fixture("label") }), ...routes };
  const answers = (request: SentRequest): ScriptedAnswer => {
    const route = all[`${request.method} ${request.path}`];
    if (!route) throw new Error(`Unexpected request ${request.method} ${request.path}`);
    return route(request);
  };
  const credentials = { apiKey: "abc" };
  const own = { ...settings };
  const scripted = scriptedCall({
    settings: own,
    credentials,
    effectKey: "label:1",
    attempt,
    noted: noted ?? null,
    answers,
  });
  const label = await shipengine.createLabel!(scripted.call, labelRequest(service, changes)).catch(
    (error: unknown) => error,
  );
  return { label, ...scripted, paths: scripted.requests.map(({ method, path }) => `${method} ${path}`) };
}

describe("a purchase", () => {
  test("is one request under our key, with the label in the answer", async () => {
    const { label, requests, notes } = await buying();
    expect(requests).toHaveLength(1);
    expect(requests[0]!.json).toMatchObject({
      label_format: "pdf",
      label_layout: "4x6",
      label_download_type: "inline",
      shipment: {
        carrier_id: "se-1",
        service_code: service,
        external_shipment_id: key,
        packages: [{ label_messages: { reference1: "Order 1001" } }],
      },
    });
    expect(key).toHaveLength(50);
    expect(notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z" }]);
    expect(label).toEqual({
      service,
      charge: {
        cents: 683,
        currency: "USD",
        lines: [
          { code: "shipping", label: "Shipping", cents: 593 },
          { code: "insurance", label: "Insurance", cents: 90 },
        ],
      },
      parcels: [
        { trackingNumber: "9400100000000000000017", file: { contentType: "application/pdf", content: files.pdf } },
      ],
      carrierData: { labelId: "se-l1", carrierId: "se-1", carrierCode: "stamps_com" },
    });
  });

  test("several parcels have their own numbers, and files where there are any", async () => {
    const routes = { "POST /v1/labels": () => ({ status: 200, body: fixture("label-two-parcels") }) };
    const parcels = [{ weight: { value: 1, unit: "lb" as const } }, { weight: { value: 2, unit: "lb" as const } }];
    const { label } = await buying({ routes, changes: { parcels } });
    expect(label).toMatchObject({
      charge: { cents: 2240, lines: [{ code: "003" }, { code: "375", cents: 240 }] },
      parcels: [
        { trackingNumber: "1Z0000000000000001", file: { contentType: "application/pdf" } },
        { trackingNumber: "1Z0000000000000002", file: { contentType: "image/png" } },
      ],
    });
  });

  test.each([
    ["https://api.shipengine.com/v1/downloads/1.zpl", { "api-key": "abc", accept: "*/*" }, false],
    ["https://files.example/1.zpl", {}, true],
    ["https://api.shipengine.com.example/1.zpl", {}, true],
  ])("a file at %s is fetched", async (href, headers, withoutCredentials) => {
    const body = fixture("label", { label_download: { href }, label_format: "zpl" });
    const { pathname } = new URL(href);
    const routes = {
      "POST /v1/labels": () => ({ status: 200, body }),
      [`GET ${pathname}`]: () => ({ status: 200, body: files.zpl }),
    };
    const { label, requests } = await buying({ routes });
    expect(requests[1]).toMatchObject({ url: href, withoutCredentials });
    expect(requests[1]!.headers).toEqual(headers);
    expect(label).toMatchObject({ parcels: [{ file: { contentType: "application/zpl" } }] });
  });

  test("the carrier is that of the quote, else the one with the service", async () => {
    const carriers = [
      { carrier_id: "se-8", services: [{ service_code: "ups_ground" }] },
      { carrier_id: "se-9", services: [{ service_code: service }] },
    ];
    const routes = { "GET /v1/carriers": () => ({ status: 200, body: { carriers } }) };
    const quoted = await buying({ settings: {}, changes: { quote: { carrierId: "se-7" } } });
    expect(quoted.requests[0]!.json).toMatchObject({ shipment: { carrier_id: "se-7" } });
    const found = await buying({ settings: {}, routes });
    expect(found.requests[1]!.json).toMatchObject({ shipment: { carrier_id: "se-9" } });
    const none = await buying({ settings: {}, routes, changes: { service: "dhl_express" } });
    expect(none.label).toMatchObject({ code: "service_not_offered" });
  });

  test("a return is marked, a size that does not exist in the format is refused", async () => {
    const { requests } = await buying({ changes: { options: { isReturn: true, label: { size: "a6" } } } });
    expect(requests[0]!.json).toMatchObject({ is_return_label: true, label_layout: "A6" });
    const refused = await buying({ changes: { options: { label: { size: "letter", format: "zpl" } } } });
    expect(refused.label).toMatchObject({
      code: "option_not_supported",
      message: expect.stringContaining("letter exists as pdf only"),
    });
    expect(refused.requests).toHaveLength(0);
  });
});

describe("failures of the purchase", () => {
  test.each<[string, ScriptedAnswer, object]>([
    [
      "an error inside 200",
      { status: 200, body: fixture("label", { status: "error", errors: [{ message: "Bad address." }] }) },
      { code: "rejected", message: "ShipEngine: Bad address.", mayHaveHappened: false },
    ],
    [
      "a label that is not made yet",
      { status: 200, body: { label_id: "se-l1", status: "processing" } },
      { code: "in_progress", retryable: true, mayHaveHappened: true },
    ],
    [
      "a label without a number",
      { status: 200, body: { label_id: "se-l1", status: "completed" } },
      { code: "unexpected_response", mayHaveHappened: true },
    ],
    [
      "a carrier that timed out",
      { status: 400, body: { errors: [{ error_code: "timeout", message: "No answer." }] } },
      { code: "timed_out", retryable: true, mayHaveHappened: true },
    ],
    [
      "a carrier that timed out without a code",
      { status: 400, body: { errors: [{ error_source: "carrier", message: "The carrier did not respond." }] } },
      { code: "timed_out", retryable: true, mayHaveHappened: true },
    ],
    [
      "a refusal",
      { status: 400, body: { errors: [{ error_code: "unspecified", message: "No." }] } },
      { code: "rejected", mayHaveHappened: false },
    ],
    ["500", { status: 500, body: "" }, { code: "remote_error", retryable: true, mayHaveHappened: true }],
    ["HTML with status 200", { status: 200, body: "<html>" }, { code: "invalid_json", mayHaveHappened: true }],
  ])("%s", async (_name, answer, expected) => {
    const routes = { "POST /v1/labels": () => answer, "GET /v1/labels/se-l1": () => answer };
    expect((await buying({ routes })).label).toMatchObject(expected);
  });

  test("a price that cannot be read is no price", async () => {
    const body = fixture("label", { shipment_cost: { currency: "usd" } });
    const { label } = await buying({ routes: { "POST /v1/labels": () => ({ status: 200, body }) } });
    expect(label).toMatchObject({ charge: null, parcels: [{ trackingNumber: "9400100000000000000017" }] });
  });
});

describe("a repeat", () => {
  const noted = { sentAt: "2026-03-02T14:30:00.000Z" };

  test.each([
    ["one label", fixture("label")],
    ["a list", { labels: [fixture("label", { status: "error", label_id: "se-l0" }), fixture("label")] }],
  ])("finds what was bought, answered as %s", async (_name, body) => {
    const { label, paths } = await buying({ attempt: 2, noted, routes: { [byKey]: () => ({ status: 200, body }) } });
    expect(paths).toEqual([byKey]);
    expect(label).toMatchObject({ carrierData: { labelId: "se-l1" } });
  });

  test("buys where nothing was bought", async () => {
    const { paths, notes } = await buying({ attempt: 2, noted, routes: { [byKey]: missing } });
    expect(paths).toEqual([byKey, "POST /v1/labels"]);
    expect(notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z" }]);
  });

  test("that meets its own shipment with a label by now takes that label", async () => {
    let looks = 0;
    const { label, paths } = await buying({
      attempt: 2,
      noted,
      routes: {
        [byKey]: () => (looks++ === 0 ? missing() : { status: 200, body: fixture("label") }),
        "POST /v1/labels": conflict,
      },
    });
    expect(paths).toEqual([byKey, "POST /v1/labels", byKey]);
    expect(label).toMatchObject({ carrierData: { labelId: "se-l1" } });
  });

  const meeting = async (shipment_status: string, earlier: Record<string, unknown>) =>
    await buying({
      attempt: 2,
      noted: earlier,
      routes: {
        [byKey]: missing,
        [shipmentByKey]: () => ({ status: 200, body: { shipment_id: "se-s1", shipment_status } }),
        "POST /v1/labels": conflict,
        "POST /v1/labels/shipment/se-s1": () => ({ status: 200, body: fixture("label") }),
      },
    });

  test.each([
    ["was sent half an hour ago", { sentAt: "2026-03-02T14:30:00.000Z" }],
    ["was refused", {}],
  ])("that meets its shipment buys it if the first purchase %s", async (_name, earlier) => {
    const { requests, notes, label } = await meeting("pending", earlier);
    const format = { label_format: "pdf", label_layout: "4x6", label_download_type: "inline" };
    expect(requests.at(-1)).toMatchObject({ path: "/v1/labels/shipment/se-s1", json: format });
    expect(notes.at(-1)).toEqual({ sentAt: "2026-03-02T15:00:00.000Z" });
    expect(label).toMatchObject({ carrierData: { labelId: "se-l1" } });
  });

  test.each([
    ["pending", "2026-03-02T14:59:00.000Z"],
    ["processing", "2026-03-02T14:30:00.000Z"],
    ["label_purchased", "2026-03-02T14:30:00.000Z"],
  ])("that meets its shipment %s, sent at %s, waits", async (shipment_status, sentAt) => {
    const { label, paths, notes } = await meeting(shipment_status, { sentAt });
    expect(paths).not.toContain("POST /v1/labels/shipment/se-s1");
    expect(label).toMatchObject({ code: "in_progress", retryable: true, mayHaveHappened: true });
    // The time of the first purchase counts, not that of the repeat. In between the note never says that nothing is under way.
    expect(notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z" }, { sentAt }]);
  });

  test("a refusal takes the note back, an unknown outcome does not", async () => {
    const refused = await buying({ routes: { "POST /v1/labels": () => ({ status: 400 }) } });
    expect(refused.notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z" }, {}]);
    const unknown = await buying({ routes: { "POST /v1/labels": () => ({ status: 500 }) } });
    expect(unknown.notes).toEqual([{ sentAt: "2026-03-02T15:00:00.000Z" }]);
  });

  test.each([401, 500])("whose look-up is answered with %d leaves the outcome open", async (status) => {
    const { label, paths } = await buying({ attempt: 2, noted, routes: { [byKey]: () => ({ status }) } });
    expect(label).toMatchObject({ mayHaveHappened: true });
    expect(paths).toEqual([byKey]);
  });
});
