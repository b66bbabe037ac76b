import { readFileSync } from "node:fs";
import path from "node:path";
import type { LabelRequest, RateRequest } from "../seam/carrier.ts";
import { hubGoods, leeReader } from "../seam/testing/sample-addresses.ts";
import { scriptedCall } from "../seam/testing/scripted-call.ts";
import type { ScriptedAnswer, SentRequest } from "../seam/testing/scripted-call.ts";

/** Requests and recorded shapes of USPS, for tests. */
export function uspsFixture(name: string): unknown {
  return JSON.parse(uspsText(`${name}.json`)) as unknown;
}

function uspsText(file: string): string {
  return readFileSync(path.join(import.meta.dirname, "fixtures", file), "utf8");
}

/** A multipart response with the line ends that USPS sends. */
export function uspsParts(file: string): ScriptedAnswer {
  const text = uspsText(file).replaceAll("\n", "\r\n");
  const boundary = /^--(\S+)/.exec(text)?.[1] ?? "";
  return { status: 200, headers: { "content-type": `multipart/form-data; boundary=${boundary}` }, body: text };
}

export function uspsFault(detail: string, code = "000001", status = 400): ScriptedAnswer {
  const errors = [{ status: String(status), code, title: "Bad Request", detail, source: {} }];
  return {
    status,
    body: { apiVersion: "/labels/v3", error: { code: String(status), message: "Bad Request", errors } },
  };
}

type Script = Omit<Parameters<typeof scriptedCall>[0], "answers">;

/** A call that gets its tokens; everything else is answered by the test. `requests` are those without the tokens'. */
export function uspsCall(answers: (request: SentRequest) => ScriptedAnswer, script: Script = {}) {
  const {
    call,
    notes,
    requests: all,
  } = scriptedCall({
    ...script,
    credentials: { clientId: "our-client", clientSecret: "our-secret" },
    settings: { crid: "12345678", mid: "123456789", accountNumber: "1000012345", ...script.settings },
    answers: (request) => {
      if (request.path === "/oauth2/v3/token") return { status: 200, body: uspsFixture("token") };
      if (request.path.includes("payment-authorization")) return { status: 200, body: uspsFixture("payment") };
      return answers(request);
    },
  });
  const isToken = ({ path: where }: SentRequest): boolean => /oauth2|payment-authorization/.test(where);
  return { call, notes, all, requests: () => all.filter((request) => !isToken(request)) };
}

export const dock = hubGoods;
export const reader = { ...leeReader, name: "Lee Ann Reader" };

export const uspsRateRequest: RateRequest = {
  from: dock,
  to: reader,
  parcels: [{ weight: { value: 2.5, unit: "lb" }, dimensions: { length: 5, width: 10, height: 4, unit: "in" } }],
  options: {},
  shipDate: "2026-03-03",
};

export const uspsLabelRequest: LabelRequest = {
  ...uspsRateRequest,
  service: "USPS_GROUND_ADVANTAGE",
  reference: "ORDER-1001",
};
