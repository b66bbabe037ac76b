import type { CarrierCall, CarrierData, FetchedToken, Settings } from "../carrier.ts";
import { RemoteError } from "../http.ts";
import type { HttpRequest, HttpResponse } from "../http.ts";

/** A request as the adapter sent it. `path` has the query; `json` is the body, if it was one. */
export type SentRequest = {
  method: string;
  url: string;
  host: string;
  path: string;
  headers: Record<string, string>;
  json: unknown;
  form: Record<string, string> | undefined;
  withoutCredentials: boolean;
};

/** An object as body is sent as JSON, a text or a Buffer as it is. */
export type ScriptedAnswer = { status: number; headers?: Record<string, string>; body?: unknown };

type Script = {
  settings?: Settings;
  credentials?: Settings;
  effectKey?: string;
  attempt?: number;
  noted?: CarrierData | null;
  now?: Date;
  /** Throw a RemoteError for a response that does not arrive. */
  answers: (request: SentRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;
};

/** The context of a call to a carrier whose responses are written by the test. No network. */
export function scriptedCall({
  settings = {},
  credentials = {},
  effectKey = "label:0198c0de-0000-7000-8000-000000000001",
  attempt = 1,
  noted = null,
  now = new Date("2026-03-02T15:00:00Z"),
  answers,
}: Script): { call: CarrierCall; requests: SentRequest[]; notes: CarrierData[] } {
  const requests: SentRequest[] = [];
  const notes: CarrierData[] = [];
  const tokens = new Map<string, FetchedToken>();
  const call: CarrierCall = {
    settings,
    credentials,
    effectKey,
    attempt,
    noted,
    now: () => now,
    signal: new AbortController().signal,
    http: {
      async request(request) {
        const sent = sentRequest(request);
        requests.push(sent);
        return scriptedResponse(sent.method, await answers(sent), isSafe(request));
      },
    },
    async note(data) {
      notes.push(structuredClone(data));
    },
    async token(name, fetchToken) {
      const token = tokens.get(name) ?? (await fetchToken());
      tokens.set(name, token);
      return { value: token.value, forget: async () => void tokens.delete(name) };
    },
  };
  return { call, requests, notes };
}

/** The response was lost on its way: the carrier may have done what was asked. */
export function lostAnswer(): never {
  throw new RemoteError("timeout", "The answer did not arrive in time.", { retryable: true, mayHaveHappened: true });
}

function isSafe({ method = "GET", retry }: HttpRequest): boolean {
  return retry === undefined ? method === "GET" || method === "HEAD" : retry === "safe";
}

function sentRequest(request: HttpRequest): SentRequest {
  const url = new URL(request.url);
  for (const [name, value] of Object.entries(request.query ?? {}))
    if (value !== undefined) url.searchParams.append(name, String(value));
  const { body } = request;
  return {
    method: request.method ?? "GET",
    url: url.href,
    host: url.host,
    path: `${url.pathname}${url.search}`,
    headers: Object.fromEntries(
      Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    // As it arrives: without members that are undefined.
    json: body && "json" in body ? (JSON.parse(JSON.stringify(body.json)) as unknown) : undefined,
    form: body && "form" in body ? body.form : undefined,
    withoutCredentials: "withoutCredentials" in request && request.withoutCredentials === true,
  };
}

function scriptedResponse(method: string, answer: ScriptedAnswer, safe: boolean): HttpResponse {
  const { status, headers = {}, body = "" } = answer;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const text = bytes.toString();
  const seconds = headers["retry-after"];
  const response = {
    status,
    headers: { "content-type": "application/json", ...headers },
    text,
    bytes,
    json(): unknown {
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        const message = `${method} answered ${status} with something that is not JSON.`;
        throw new RemoteError("invalid_json", message, { retryable: true, mayHaveHappened: !safe, cause });
      }
    },
    retryAfterMs: seconds === undefined ? undefined : Number(seconds) * 1000,
    mayHaveHappened: !safe,
  };
  return response;
}
