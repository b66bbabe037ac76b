import type { CarrierCall } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import type { HttpRequest } from "../seam/http.ts";
import { baseUrlOf, sendJson } from "../seam/json-api.ts";
import type { JsonApi } from "../seam/json-api.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";

const standardUrl = "https://api.easypost.com";

export function apiUrl(settings: CarrierCall["settings"]): string {
  return baseUrlOf(settings.baseUrl, standardUrl, "v2");
}

export const api: JsonApi = {
  title: "EasyPost",
  baseUrl: ({ settings }) => apiUrl(settings),
  headers: ({ credentials }) => ({
    authorization: `Basic ${Buffer.from(`${String(credentials.apiKey)}:`).toString("base64")}`,
  }),
  reasonIn,
  failureIn(body, reason, { retryAfterMs }) {
    const code = asText(asObject(asObject(body).error).code) ?? "";
    const known = Object.hasOwn(meanings, code) ? meanings[code] : undefined;
    // An old rate has the code of any refusal by the carrier.
    const meaning = known ?? (/\bre-?rate\b|rate .*no longer available/i.test(reason) ? "rate_expired" : undefined);
    if (meaning === undefined) return undefined;
    const isUnknown = meaning !== "rate_expired";
    const options = { retryable: isUnknown, mayHaveHappened: isUnknown, retryAfterMs };
    return new RemoteError(meaning, `EasyPost: ${reason}`, options);
  },
};

/** Codes of a purchase. The status of all of them is 4xx, and still the label may have been sold, unless the rate expired. */
const meanings: Record<string, string> = {
  "SHIPMENT.POSTAGE.TIMED_OUT": "timed_out",
  "SHIPMENT.POSTAGE.NO_RESPONSE": "timed_out",
  "SHIPMENT.PURCHASE.IN_PROGRESS": "in_progress",
  "SHIPMENT.POSTAGE.EXISTS": "already_bought",
  "ORDER.POSTAGE.EXISTS": "already_bought",
  "SHIPMENT.RATE.EXPIRED": "rate_expired",
  "SHIPMENT.RATE.UNAVAILABLE": "rate_expired",
  "ORDER.RATE.UNAVAILABLE": "rate_expired",
};

/** `{error: {code, message, errors}}`. Entries of `errors` are texts, `{field, message}` or `{<field>: <text>}`. */
function reasonIn(body: unknown): string | undefined {
  const { error } = asObject(body);
  const { message, errors, code } = asObject(error);
  const parts = (Array.isArray(errors) ? errors : []).map(fieldReason).filter((part) => part !== "");
  const words = asText(error) ?? asText(message) ?? (asList(message).map(fieldReason).join("; ") || asText(code));
  if (words === undefined) return undefined;
  return parts.length === 0 ? words : `${words.replace(/\.$/, "")} (${parts.join("; ")})`;
}

function fieldReason(entry: unknown): string {
  if (typeof entry === "string") return entry;
  const { field, message, suggestion } = asObject(entry);
  if (asText(message) === undefined) {
    return Object.entries(asObject(entry))
      .map(([name, rule]) => `${name}: ${asText(rule) ?? "invalid"}`)
      .join("; ");
  }
  const hint = asText(suggestion) === undefined ? "" : `, did you mean ${asText(suggestion)}?`;
  return `${asText(field) === undefined ? "" : `${asText(field)}: `}${asText(message)}${hint}`;
}

type Options = Pick<HttpRequest, "query" | "retry">;

export async function get(call: CarrierCall, path: string, options: Options = {}): Promise<Json> {
  return asObject(await sendJson(api, call, { method: "GET", path, ...options }));
}

export async function post(call: CarrierCall, path: string, json: unknown = {}, options: Options = {}): Promise<Json> {
  return asObject(await sendJson(api, call, { method: "POST", path, json, ...options }));
}

/** An ID or a reference as part of a path. */
export function segment(value: unknown): string {
  return encodeURIComponent(String(value));
}

/** Reasons that the carriers behind EasyPost gave for no rate. */
export function messagesOf(record: Json): { carrier: string; message: string }[] {
  return asList(record.messages).flatMap(({ carrier, message }) => {
    const words = asText(message) ?? asText(asObject(message).message);
    return words === undefined ? [] : [{ carrier: asText(carrier) ?? "Carrier", message: words }];
  });
}
