import type { CarrierCall } from "./carrier.ts";
import { readJson, RemoteError } from "./http.ts";
import type { HttpRequest, HttpResponse } from "./http.ts";

/** How a carrier's JSON API is called. */
export type JsonApi = {
  /** Name of the carrier in messages. */
  title: string;
  baseUrl(call: CarrierCall): string;
  headers(call: CarrierCall): Record<string, string>;
  /** The carrier's reason for a failure, in words for a clerk; undefined if the body has none. */
  reasonIn(body: unknown): string | undefined;
  /** Failures whose meaning is in the body instead of the status; undefined: the status decides. */
  failureIn?(body: unknown, reason: string, response: HttpResponse): RemoteError | undefined;
};

type JsonRequest = Pick<HttpRequest, "method" | "query" | "retry"> & { path: string; json?: unknown };

/** The JSON of a success, undefined if it has no body. A failure is thrown as a RemoteError with the carrier's reason. */
export async function sendJson(api: JsonApi, call: CarrierCall, request: JsonRequest): Promise<unknown> {
  const { path, json, ...rest } = request;
  const response = await call.http.request({
    ...rest,
    url: `${api.baseUrl(call)}${path}`,
    headers: api.headers(call),
    signal: call.signal,
    ...(json === undefined ? {} : { body: { json } }),
  });
  if (response.status >= 200 && response.status < 300)
    return response.text.trim() === "" ? undefined : readJson(response);
  throw failureOf(api, response);
}

const codes: Record<number, string> = {
  401: "unauthorized",
  402: "payment_required",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  429: "rate_limited",
};

function failureOf(api: JsonApi, response: HttpResponse): RemoteError {
  const { status, retryAfterMs } = response;
  const body = bodyOf(response);
  const reason = api.reasonIn(body) ?? "";
  const known = api.failureIn?.(body, reason, response);
  if (known) return known;
  const isTheirs = status >= 500;
  const words = reason === "" ? `${api.title} answered ${status} without a reason.` : `${api.title}: ${reason}`;
  return new RemoteError(isTheirs ? "remote_error" : (codes[status] ?? "rejected"), words, {
    retryable: isTheirs || status === 408 || status === 429,
    mayHaveHappened: response.mayHaveHappened && (isTheirs || status === 408),
    retryAfterMs,
  });
}

/** Undefined for HTML pages and anything else that is not JSON. */
function bodyOf(response: HttpResponse): unknown {
  try {
    return readJson(response);
  } catch {
    return undefined;
  }
}

/** Without a slash at the end, and without the version that the paths begin with. */
export function baseUrlOf(given: unknown, standard: string, version: string): string {
  const url = (typeof given === "string" && given !== "" ? given : standard).replace(/\/+$/, "");
  return url.endsWith(`/${version}`) ? url.slice(0, -version.length - 1) : url;
}

/**
 * Runs a look-up of something that an earlier attempt may have bought. If the look-up fails, whether it was bought stays unknown:
 * the error says so, whatever its status meant.
 */
export async function lookUp<T>(find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof RemoteError) || error.mayHaveHappened) throw error;
    const { code, message, retryable, retryAfterMs } = error;
    throw new RemoteError(code, message, { retryable, retryAfterMs, mayHaveHappened: true, cause: error });
  }
}

/** Undefined instead of a RemoteError `not_found`. */
export async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RemoteError && error.code === "not_found") return undefined;
    throw error;
  }
}
