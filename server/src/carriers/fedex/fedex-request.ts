import type { CarrierCall, FetchedToken, Settings } from "../seam/carrier.ts";
import { bodyOf, failureOf, isDecision } from "../seam/failures.ts";
import { readJson } from "../seam/http.ts";
import type { HttpRequest, HttpResponse } from "../seam/http.ts";
import { shortKey } from "../seam/keys.ts";
import { baseUrlOf, fetchAccessToken, sendWithToken } from "../seam/oauth-account.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";

export const fedexHosts = { live: "https://apis.fedex.com", test: "https://apis-sandbox.fedex.com" };

export type FedexFault = { code: string; message: string };

/** FedEx gives tracking to a project of its own, with its own client ID and secret. */
export type FedexProject = "ship" | "track";

type FedexRequest = Pick<HttpRequest, "method" | "retry"> & { path: string; json: unknown; project?: FedexProject };

export function fedexUrl(settings: Settings): string {
  return baseUrlOf(settings, fedexHosts);
}

/** `output` of the response. Throws a RemoteError for a failure, unless a fault is tolerated: then the caller decides by `faults`. */
export async function askFedex(
  call: CarrierCall,
  { path, json, project = "ship", ...request }: FedexRequest,
  isTolerated: (fault: FedexFault) => boolean = () => false,
): Promise<{ output: Json; faults: FedexFault[] }> {
  const response = await sendWithToken(
    call,
    project,
    () => fetchFedexToken(call, project),
    (token) =>
      call.http.request({
        signal: call.signal,
        ...request,
        url: `${fedexUrl(call.settings)}${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          "x-customer-transaction-id": shortKey(call.effectKey, 36),
          "x-locale": "en_US",
        },
        body: { json },
      }),
  );
  return readFedex(response, isTolerated);
}

export function readFedex(
  response: HttpResponse,
  isTolerated: (fault: FedexFault) => boolean = () => false,
): { output: Json; faults: FedexFault[] } {
  const isSuccess = response.status >= 200 && response.status < 300;
  const body = asObject(isSuccess ? readJson(response) : bodyOf(response));
  const faults = faultsIn(body);
  const output = asObject(body.output);
  if (isSuccess && faults.length === 0) return { output, faults };
  if (isDecision(response) && faults.some(isTolerated)) return { output, faults };
  const words = wordsOfFaults(faults);
  throw failureOf("FedEx", response, response.status === 403 ? `${words}. ${blocked}` : words);
}

/** Credentials without access get the same response. */
const blocked = "FedEx also refuses requests for ten minutes after too many of them.";

function faultsIn(body: unknown): FedexFault[] {
  return asList(asObject(body).errors).map(({ code, message }) => ({
    code: asText(code) ?? "",
    message: asText(message) ?? "",
  }));
}

export function wordsOfFaults(faults: FedexFault[]): string {
  return faults.map(({ code, message }) => (message === "" ? code : `${message} (${code})`)).join("; ");
}

export async function fetchFedexToken(call: CarrierCall, project: FedexProject): Promise<FetchedToken> {
  const { clientId, clientSecret, trackClientId, trackClientSecret } = call.credentials;
  const isTrack = project === "track" && trackClientId !== undefined;
  return await fetchAccessToken(
    call,
    "FedEx",
    {
      url: `${fedexUrl(call.settings)}/oauth/token`,
      body: {
        form: {
          grant_type: "client_credentials",
          client_id: String(isTrack ? trackClientId : clientId),
          client_secret: String(isTrack ? trackClientSecret : clientSecret),
        },
      },
    },
    (body) => wordsOfFaults(faultsIn(body)),
  );
}

export function accountOf({ settings }: CarrierCall): { value: string } {
  return { value: String(settings.accountNumber) };
}
