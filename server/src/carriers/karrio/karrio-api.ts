import type { CarrierCall, Settings } from "../seam/carrier.ts";
import { isCarrierTimeout } from "../seam/carrier-timeouts.ts";
import { RemoteError } from "../seam/http.ts";
import type { HttpRequest } from "../seam/http.ts";
import { baseUrlOf, sendJson } from "../seam/json-api.ts";
import type { JsonApi } from "../seam/json-api.ts";
import { shortKey } from "../seam/keys.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";

export function apiUrl({ baseUrl }: Settings): string {
  return baseUrlOf(baseUrl, "", "v1");
}

export const api: JsonApi = {
  title: "karrio",
  baseUrl: ({ settings }) => apiUrl(settings),
  headers: ({ credentials }) => ({ authorization: `Token ${String(credentials.token)}` }),
  reasonIn(body) {
    const { errors, messages, detail } = asObject(body);
    const words = [...asList(errors), ...asList(messages)].map(reasonOf).filter((text) => text !== "");
    return words.length > 0 ? words.join(" ") : asText(detail);
  },
  failureIn(_body, reason, { status, mayHaveHappened }) {
    if (status === 409) return new RemoteError("conflict", `karrio: ${reason}`);
    if (status === 405) return new RemoteError("not_found", "This version of karrio does not have the request.");
    // karrio passes a timeout of the carrier on as a refusal, and the carrier may have sold the label.
    if (status < 500 && isCarrierTimeout(reason))
      return new RemoteError("timed_out", `karrio: ${reason}`, { retryable: true, mayHaveHappened });
    return undefined;
  },
};

/** `details` names the fields: `{shipper: {country_code: ["This field is required."]}}`. */
export function reasonOf(entry: Json): string {
  const [message, carrier] = [asText(entry.message), asText(entry.carrier_name)];
  const fields = fieldsIn(entry.details ?? (message === undefined ? entry.message : undefined));
  const words = [message ?? asText(entry.code) ?? "", fields.length > 0 ? `(${fields.join("; ")})` : ""];
  const text = words.filter((part) => part !== "").join(" ");
  return carrier === undefined || text === "" ? text : `${carrier}: ${text}`;
}

function fieldsIn(details: unknown, path = ""): string[] {
  if (Array.isArray(details)) return details.flatMap((entry) => fieldsIn(entry, path));
  const text = asText(details);
  if (text !== undefined) return path === "" ? [] : [`${path}: ${text}`];
  return Object.entries(asObject(details))
    .flatMap(([name, value]) => fieldsIn(value, path === "" ? name : `${path}.${name}`))
    .slice(0, 10);
}

type Options = Pick<HttpRequest, "query" | "retry">;

export async function get(call: CarrierCall, path: string, options: Options = {}): Promise<Json> {
  return asObject(await sendJson(api, call, { method: "GET", path, ...options }));
}

export async function post(call: CarrierCall, path: string, json: unknown = {}, options: Options = {}): Promise<Json> {
  return asObject(await sendJson(api, call, { method: "POST", path, json, ...options }));
}

export function segment(value: unknown): string {
  return encodeURIComponent(String(value));
}

export function keyOf({ effectKey }: CarrierCall): string {
  return shortKey(effectKey, 40);
}

/** Entries of a list whose metadata or reference has our key. */
export function ownEntries(call: CarrierCall, list: Json): Json[] {
  const key = keyOf(call);
  return asList(list.results).filter(
    ({ metadata, reference }) => asObject(metadata).hub_key === key || reference === key,
  );
}

/** Of a file on the API's own host. The default asks for JSON, which some servers refuse to send a PDF for. */
export function fileHeaders(call: CarrierCall): Record<string, string> {
  return { ...api.headers(call), accept: "*/*" };
}
