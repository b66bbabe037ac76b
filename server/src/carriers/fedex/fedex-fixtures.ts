import { readFileSync } from "node:fs";
import path from "node:path";
import type { LabelRequest, RateRequest } from "../seam/carrier.ts";
import { hubGoods, leeReader } from "../seam/testing/sample-addresses.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";

/** Requests and recorded shapes of FedEx, for tests. */
export function fedexFixture(name: string): unknown {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, "fixtures", `${name}.json`), "utf8")) as unknown;
}

export function fedexFault(code: string, message: string, status = 400): ScriptedAnswer {
  return { status, body: { transactionId: "t", errors: [{ code, message }] } };
}

type Script = Omit<Parameters<typeof scriptedCall>[0], "answers">;

/** A call that gets a token; everything else is answered by the test. `requests` are those without the token's. */
export function fedexCall(answers: (request: SentRequest) => ScriptedAnswer, script: Script = {}) {
  const {
    call,
    notes,
    requests: all,
  } = scriptedCall({
    ...script,
    credentials: { clientId: "our-client", clientSecret: "our-secret", ...script.credentials },
    settings: { accountNumber: "123456789", ...script.settings },
    answers: (request) =>
      request.path === "/oauth/token" ? { status: 200, body: fedexFixture("token") } : answers(request),
  });
  return { call, notes, all, requests: () => all.filter(({ path: where }) => !where.includes("oauth")) };
}

export const shop = hubGoods;
export const buyer = leeReader;

export const fedexRateRequest: RateRequest = {
  from: shop,
  to: buyer,
  parcels: [{ weight: { value: 2.5, unit: "lb" }, dimensions: { length: 5.2, width: 10, height: 4, unit: "in" } }],
  options: { residential: true },
  shipDate: "2026-03-03",
};

export const fedexLabelRequest: LabelRequest = {
  ...fedexRateRequest,
  service: "FEDEX_GROUND",
  reference: "ORDER-1001",
};
