import { readFileSync } from "node:fs";
import path from "node:path";
import type { LabelRequest, RateRequest } from "../seam/carrier.ts";
import { hubGoods, leeReader } from "../seam/testing/sample-addresses.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";

/** Requests and recorded shapes of UPS, for tests. */
export function upsFixture(name: string): unknown {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, "fixtures", `${name}.json`), "utf8")) as unknown;
}

export function upsFault(code: string, message: string, status = 400): ScriptedAnswer {
  return { status, body: { response: { errors: [{ code, message }] } } };
}

type Script = Omit<Parameters<typeof scriptedCall>[0], "answers">;

/** A call that gets a token; everything else is answered by the test. `requests` are those without the token's. */
export function upsCall(answers: (request: SentRequest) => ScriptedAnswer, script: Script = {}) {
  const scripted = scriptedCall({
    credentials: { clientId: "our-client", clientSecret: "our-secret" },
    ...script,
    settings: { accountNumber: "A1B2C3", ...script.settings },
    answers: (request) =>
      request.path === "/security/v1/oauth/token" ? { status: 200, body: upsFixture("token") } : answers(request),
  });
  const { call, notes, requests: all } = scripted;
  return { call, notes, all, requests: () => all.filter(({ path: where }) => !where.includes("oauth")) };
}

export const warehouse = hubGoods;
export const customer = leeReader;

export const rateRequest: RateRequest = {
  from: warehouse,
  to: customer,
  parcels: [{ weight: { value: 2.5, unit: "lb" }, dimensions: { length: 5, width: 10, height: 4, unit: "in" } }],
  options: {},
  shipDate: "2026-03-03",
};

export const labelRequest: LabelRequest = { ...rateRequest, service: "03", reference: "ORDER-1001" };
