import { describe, expect, test } from "vitest";
import { rateRequest } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer } from "../seam/testing/scripted-call.ts";
import { shipengine } from "./shipengine.ts";

const credentials = { apiKey: "TEST_abc" };
const settings = { carrierIds: ["se-1", "se-2"] };

const quoting = async (answer: ScriptedAnswer) => {
  const { call } = scriptedCall({ settings, credentials, answers: () => answer });
  return await shipengine.rate!(call, rateRequest());
};

describe("failures", () => {
  const failure = (error_code: string, more = {}) => ({
    request_id: "1",
    errors: [{ error_source: "shipengine", error_type: "validation", error_code, message: "Invalid.", ...more }],
  });

  test.each<[string, ScriptedAnswer, object]>([
    [
      "a field and its rule",
      { status: 400, body: failure("invalid_field_value", { field_name: "ship_to.postal_code" }) },
      { code: "rejected", message: "ShipEngine: ship_to.postal_code: Invalid." },
    ],
    [
      "words of the carrier",
      { status: 400, body: failure("unspecified", { carrier_name: "UPS" }) },
      { code: "rejected", message: "ShipEngine: UPS: Invalid." },
    ],
    ["wrong key", { status: 401, body: failure("unauthorized") }, { code: "unauthorized" }],
    ["no funds", { status: 400, body: failure("insufficient_funds") }, { code: "payment_required" }],
    [
      "429 with Retry-After",
      { status: 429, headers: { "retry-after": "20" }, body: failure("rate_limit_exceeded") },
      { code: "rate_limited", retryable: true, retryAfterMs: 20_000 },
    ],
    [
      "500",
      { status: 500, body: { request_id: "1", error: { message: "Something bad happened" } } },
      { code: "remote_error", retryable: true, message: "ShipEngine: Something bad happened" },
    ],
    [
      "an HTML page",
      { status: 503, body: "<html>" },
      { code: "remote_error", message: "ShipEngine answered 503 without a reason." },
    ],
  ])("%s", async (_name, answer, expected) => {
    await expect(quoting(answer)).rejects.toMatchObject({ mayHaveHappened: false, ...expected });
  });

  test("an account without carriers", async () => {
    const { call } = scriptedCall({ credentials, answers: () => ({ status: 200, body: { carriers: [] } }) });
    await expect(shipengine.rate!(call, rateRequest())).rejects.toMatchObject({ code: "no_carrier" });
    expect(await shipengine.testAccount!(call)).toMatchObject([{ part: "account" }]);
  });

  test.each([
    [401, "key"],
    [403, "permission"],
    [404, "address"],
  ])("the account test names after %d the %s", async (status, part) => {
    const { call } = scriptedCall({ credentials, answers: () => ({ status }) });
    expect(await shipengine.testAccount!(call)).toMatchObject([{ part }]);
  });

  test("the account test names carriers that are not connected", async () => {
    const { call } = scriptedCall({
      settings,
      credentials,
      answers: () => ({ status: 200, body: { carriers: [{ carrier_id: "se-1" }] } }),
    });
    expect(await shipengine.testAccount!(call)).toEqual([
      { part: "account", message: "The ShipEngine account has no carrier se-2." },
    ]);
  });

  test.each([
    [undefined, "https://api.shipengine.com/v1"],
    ["https://api.shipstation.com/v2", "https://api.shipstation.com/v2"],
    ["http://127.0.0.1:9/", "http://127.0.0.1:9/v1"],
  ])("the address %s is %s", (baseUrl, expected) => {
    expect(shipengine.sendsTo!({ baseUrl })).toEqual([expected]);
  });

  test("a key that begins with TEST_ is for tests", () => {
    expect(shipengine.isTest!({ settings: {}, credentials })).toBe(true);
    expect(shipengine.isTest!({ settings: {}, credentials: { apiKey: "abc" } })).toBe(false);
  });
});
