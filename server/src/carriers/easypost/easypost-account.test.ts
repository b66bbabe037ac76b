import { describe, expect, test } from "vitest";
import { fixtureIn } from "../seam/testing/fixture.ts";
import { customer } from "../seam/testing/sample-requests.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer } from "../seam/testing/scripted-call.ts";
import { easypost } from "./easypost.ts";

const fixture = fixtureIn(import.meta.dirname);

describe("account", () => {
  const problems = async (answers: (path: string) => ScriptedAnswer, apiKey = "EZAK1") => {
    const settings = { carrierAccounts: ["ca_post", "ca_gone"] };
    const { call } = scriptedCall({ settings, credentials: { apiKey }, answers: ({ path }) => answers(path) });
    return await easypost.testAccount!(call);
  };

  test.each([
    [401, "key"],
    [403, "permission"],
    [402, "account"],
    [404, "address"],
  ])("%d is a problem of the %s", async (status, part) => {
    expect(await problems(() => ({ status }))).toMatchObject([{ part }]);
  });

  test("a page of something else is a wrong address; a failure of EasyPost is no problem of the account", async () => {
    expect(await problems(() => ({ status: 200, body: "<html>" }))).toMatchObject([{ part: "address" }]);
    await expect(problems(() => ({ status: 503 }))).rejects.toMatchObject({ code: "remote_error" });
  });

  test("carrier accounts that the key does not have are named", async () => {
    const answers = (path: string) => ({
      status: 200,
      body: path.startsWith("/v2/carrier") ? [{ id: "ca_post" }] : {},
    });
    expect(await problems(answers)).toEqual([
      { part: "account", message: "EasyPost has no carrier account ca_gone for this key." },
    ]);
    expect(await problems(answers, "EZTK1")).toEqual([]);
  });

  test("a key that begins with EZTK is for tests", () => {
    expect(easypost.isTest!({ settings: {}, credentials: { apiKey: "EZTK1" } })).toBe(true);
    expect(easypost.isTest!({ settings: {}, credentials: { apiKey: "EZAK1" } })).toBe(false);
  });
});

describe("addresses", () => {
  const check = async (name: string, address = customer) => {
    const { call, requests } = scriptedCall({ answers: () => ({ status: 201, body: fixture(name) }) });
    return { result: await easypost.checkAddress!(call, address), requests };
  };

  test("a found address with other words is corrected, with what the order has besides", async () => {
    const { result, requests } = await check("address-verified", { ...customer, name: "Ada" });
    expect(requests[0]).toMatchObject({ path: "/v2/addresses", json: { verify: true, address: { name: "Ada" } } });
    expect(result).toEqual({
      verdict: "corrected",
      residential: true,
      messages: [],
      address: {
        name: "Ada",
        address1: "12 MILL RD",
        city: "CHICAGO",
        provinceCode: "IL",
        zip: "60614-1234",
        countryCode: "US",
      },
    });
  });

  test("the same address in other letters is valid", async () => {
    const { address2: _none, ...rest } = customer;
    const { result } = await check("address-verified", {
      ...rest,
      address1: "12 Mill Rd.",
      zip: "60614-1234",
    } as typeof customer);
    expect(result).toEqual({ verdict: "valid", residential: true, messages: [] });
  });

  test("an address that was not found is invalid, without verification it is unknown", async () => {
    expect((await check("address-unknown")).result).toEqual({
      verdict: "invalid",
      residential: null,
      messages: ["address: Address not found"],
    });
    expect((await check("shipment-created")).result.verdict).toBe("unknown");
  });
});
