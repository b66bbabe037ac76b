import type { CarrierCall } from "./carrier.ts";
import { bodyOf, failureOf } from "./failures.ts";
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
  throw failureIn(api, response);
}

function failureIn(api: JsonApi, response: HttpResponse): RemoteError {
  const body = bodyOf(response);
  const reason = api.reasonIn(body) ?? "";
  return api.failureIn?.(body, reason, response) ?? failureOf(api.title, response, reason);
}

/** Without a slash at the end, and without the version that the paths begin with. */
export function baseUrlOf(given: unknown, standard: string, version: string): string {
  const url = (typeof given === "string" && given !== "" ? given : standard).replace(/\/+$/, "");
  return url.endsWith(`/${version}`) ? url.slice(0, -version.length - 1) : url;
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
