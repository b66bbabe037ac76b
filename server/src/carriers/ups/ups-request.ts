import type { CarrierCall, FetchedToken, Settings } from "../seam/carrier.ts";
import { bodyOf, failureOf, isDecision } from "../seam/failures.ts";
import { readJson } from "../seam/http.ts";
import type { HttpRequest, HttpResponse } from "../seam/http.ts";
import { shortKey } from "../seam/keys.ts";
import { baseUrlOf, fetchAccessToken, sendWithToken } from "../seam/oauth-account.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";

export const upsHosts = { live: "https://onlinetools.ups.com", test: "https://wwwcie.ups.com" };

export type UpsFault = { code: string; message: string };

type UpsRequest = Pick<HttpRequest, "method" | "query" | "headers" | "retry"> & { path: string; json?: unknown };

/** The address without the /api that its documentation puts in front of every path but the one for tokens. */
export function upsUrl(settings: Settings): string {
  return baseUrlOf(settings, upsHosts).replace(/\/api$/, "");
}

/** Sends a request to UPS. Throws a RemoteError for a failure, unless a fault is tolerated: then the caller decides by `faults`. */
export async function askUps(
  call: CarrierCall,
  { path, json, headers, ...request }: UpsRequest,
  isTolerated: (fault: UpsFault) => boolean = () => false,
): Promise<{ body: Json; faults: UpsFault[] }> {
  const response = await sendWithToken(
    call,
    "access",
    () => fetchUpsToken(call),
    (token) =>
      call.http.request({
        signal: call.signal,
        ...request,
        url: `${upsUrl(call.settings)}/api${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          transid: shortKey(call.effectKey, 32),
          transactionsrc: "order-operations-hub",
          ...headers,
        },
        ...(json === undefined ? {} : { body: { json } }),
      }),
  );
  return readUps(response, isTolerated);
}

export function readUps(
  response: HttpResponse,
  isTolerated: (fault: UpsFault) => boolean = () => false,
): { body: Json; faults: UpsFault[] } {
  const isSuccess = response.status >= 200 && response.status < 300;
  const body = asObject(isSuccess ? readJson(response) : bodyOf(response));
  const faults = faultsIn(body);
  if (isSuccess && faults.length === 0) return { body, faults };
  if (isDecision(response) && faults.some(isTolerated)) return { body, faults };
  throw failureOf("UPS", response, wordsOfFaults(faults));
}

function faultsIn(body: unknown): UpsFault[] {
  return asList(asObject(asObject(body).response).errors).map(({ code, message }) => ({
    code: asText(code) ?? "",
    message: asText(message) ?? "",
  }));
}

export function wordsOfFaults(faults: UpsFault[]): string {
  return faults.map(({ code, message }) => (message === "" ? `error ${code}` : `${message} (${code})`)).join("; ");
}

export async function fetchUpsToken(call: CarrierCall): Promise<FetchedToken> {
  const { settings, credentials } = call;
  const pair = `${String(credentials.clientId)}:${String(credentials.clientSecret)}`;
  return await fetchAccessToken(
    call,
    "UPS",
    {
      url: `${upsUrl(settings)}/security/v1/oauth/token`,
      headers: {
        authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
        "x-merchant-id": String(settings.accountNumber),
      },
      body: { form: { grant_type: "client_credentials" } },
    },
    (body) => wordsOfFaults(faultsIn(body)),
  );
}
