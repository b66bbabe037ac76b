import type { CarrierCall, Settings } from "../seam/carrier.ts";
import { isCarrierTimeout } from "../seam/carrier-timeouts.ts";
import { RemoteError } from "../seam/http.ts";
import type { HttpRequest } from "../seam/http.ts";
import { sendJson } from "../seam/json-api.ts";
import type { JsonApi } from "../seam/json-api.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";

/** ShipEngine is https://api.shipengine.com/v1; accounts of ShipStation use https://api.shipstation.com/v2. */
export function apiUrl({ baseUrl }: Settings): string {
  const url = (typeof baseUrl === "string" && baseUrl !== "" ? baseUrl : "https://api.shipengine.com").replace(
    /\/+$/,
    "",
  );
  return /\/v\d+$/.test(url) ? url : `${url}/v1`;
}

export const api: JsonApi = {
  title: "ShipEngine",
  baseUrl: ({ settings }) => apiUrl(settings),
  headers: ({ credentials }) => ({ "API-Key": String(credentials.apiKey) }),
  reasonIn(body) {
    const { errors, error } = asObject(body);
    const words = asList(errors)
      .map(reasonOf)
      .filter((text) => text !== "");
    return words.length > 0 ? words.join(" ") : (asText(asObject(error).message) ?? asText(error));
  },
  failureIn(body, reason) {
    const meaning = meaningOf(asList(asObject(body).errors));
    if (meaning === undefined) return undefined;
    const isUnknown = meaning === "timed_out";
    return new RemoteError(meaning, `ShipEngine: ${reason}`, { retryable: isUnknown, mayHaveHappened: isUnknown });
  },
};

/** Error codes whose status says less. After a timeout of the carrier the label may have been sold. */
const meanings: Record<string, string> = {
  timeout: "timed_out",
  identifier_conflict: "already_exists",
  field_conflict: "already_exists",
  insufficient_funds: "payment_required",
  unauthorized: "unauthorized",
  forbidden: "forbidden",
};

/** Errors of carriers often have no code of their own: that the carrier did not answer is in their words. */
function meaningOf(errors: Json[]): string | undefined {
  const codes = errors.map(({ error_code }) => asText(error_code) ?? "");
  const known = codes.find((code) => Object.hasOwn(meanings, code));
  if (known !== undefined) return meanings[known];
  const isSilent = errors.some(
    ({ error_source, message }) => error_source === "carrier" && isCarrierTimeout(asText(message) ?? ""),
  );
  return isSilent ? "timed_out" : undefined;
}

/** `carrier_name` and `field_name` say where to look. */
export function reasonOf(error: Json): string {
  const [message, field] = [asText(error.message), asText(error.field_name)];
  const carrier = asText(error.carrier_name) ?? asText(error.carrier_code);
  if (message === undefined) return asText(error.error_code) ?? "";
  return `${carrier === undefined ? "" : `${carrier}: `}${field === undefined ? "" : `${field}: `}${message}`;
}

type Options = Pick<HttpRequest, "query" | "retry">;

export async function get(call: CarrierCall, path: string, options: Options = {}): Promise<Json> {
  return asObject(await sendJson(api, call, { method: "GET", path, ...options }));
}

export async function post(call: CarrierCall, path: string, json: unknown, options: Options = {}): Promise<Json> {
  return asObject(await sendJson(api, call, { method: "POST", path, json, ...options }));
}

export function segment(value: unknown): string {
  return encodeURIComponent(String(value));
}

type KnownCarrier = { id: string; services: string[] };

/**
 * The carriers to ship with: those of the settings, else all of the account. Their IDs are kept with the account's tokens for an hour,
 * so that pricing an order takes one request.
 */
export async function carrierIds(call: CarrierCall): Promise<string[]> {
  const chosen = chosenCarriers(call.settings);
  if (chosen.length > 0) return chosen;
  const { value } = await call.token("carriers", async () => ({
    value:
      carriersIn(await get(call, "/carriers"))
        .map(({ id }) => id)
        .join() || none,
    lifetimeMs: 3_600_000,
  }));
  return value === none ? [] : value.split(",");
}

const none = "none";

export function chosenCarriers({ carrierIds: ids }: Settings): string[] {
  return Array.isArray(ids) ? ids.map(String) : [];
}

export function carriersIn(answer: Json): KnownCarrier[] {
  return asList(answer.carriers).flatMap(({ carrier_id, services }) => {
    const id = asText(carrier_id);
    if (id === undefined) return [];
    return [{ id, services: asList(services).flatMap(({ service_code }) => asText(service_code) ?? []) }];
  });
}

/**
 * Headers for fetching a file: the key for files on the API's own host, undefined for other hosts. The default asks for JSON, which
 * some servers refuse to send a PDF for.
 */
export function fileHeaders(call: CarrierCall, url: string | undefined): Record<string, string> | undefined {
  const isOwn = url !== undefined && URL.canParse(url) && new URL(url).origin === new URL(apiUrl(call.settings)).origin;
  return isOwn ? { ...api.headers(call), accept: "*/*" } : undefined;
}
