import type { AccountToken, CarrierCall, FetchedToken, Settings } from "../seam/carrier.ts";
import { bodyOf, failureOf, isDecision } from "../seam/failures.ts";
import { readJson, RemoteError } from "../seam/http.ts";
import type { HttpRequest, HttpResponse } from "../seam/http.ts";
import { readParts } from "../seam/multipart.ts";
import { baseUrlOf, fetchAccessToken } from "../seam/oauth-account.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";

export const uspsHosts = { live: "https://apis.usps.com", test: "https://apis-tem.usps.com" };

export type UspsFault = { code: string; message: string };

type UspsRequest = Pick<HttpRequest, "method" | "query" | "headers" | "retry"> & {
  path: string;
  json?: unknown;
  /** Labels and SCAN forms need the payment token as well. */
  isPaid?: boolean;
};

export type UspsAnswer = { response: HttpResponse; body: Json; faults: UspsFault[] };

export function uspsUrl(settings: Settings): string {
  return baseUrlOf(settings, uspsHosts);
}

/** Sends a request to USPS. Throws a RemoteError for a failure, unless a fault is tolerated: then the caller decides by `faults`. */
export async function askUsps(
  call: CarrierCall,
  request: UspsRequest,
  isTolerated: (fault: UspsFault) => boolean = () => false,
): Promise<UspsAnswer> {
  const tokens = await tokensFor(call, request);
  const response = await send(call, request, tokens);
  if (response.status !== 401) return readUsps(response, isTolerated);
  // Either token may be the one that was refused.
  for (const token of tokens) await token.forget();
  return readUsps(await send(call, request, await tokensFor(call, request)), isTolerated);
}

async function tokensFor(call: CarrierCall, { isPaid }: UspsRequest): Promise<AccountToken[]> {
  const access = await call.token("access", () => fetchUspsToken(call));
  if (isPaid !== true) return [access];
  return [access, await call.token("payment", () => fetchPaymentToken(call, access.value))];
}

async function send(call: CarrierCall, request: UspsRequest, tokens: AccountToken[]): Promise<HttpResponse> {
  const { path, json, headers, isPaid: _isPaid, ...rest } = request;
  const [access, payment] = tokens;
  return await call.http.request({
    signal: call.signal,
    ...rest,
    url: `${uspsUrl(call.settings)}${path}`,
    headers: {
      authorization: `Bearer ${access?.value ?? ""}`,
      ...(payment ? { "x-payment-authorization-token": payment.value } : {}),
      ...headers,
    },
    ...(json === undefined ? {} : { body: { json } }),
  });
}

/** Labels are multipart: `body` is empty for them, and the caller reads the parts. A success may also have no body at all. */
export function readUsps(response: HttpResponse, isTolerated: (fault: UspsFault) => boolean = () => false): UspsAnswer {
  const isSuccess = response.status >= 200 && response.status < 300;
  const isJson = response.text.trim() !== "" && readParts(response) === undefined;
  const body = asObject(isSuccess && isJson ? readJson(response) : bodyOf(response));
  const faults = faultsIn(body);
  const answer = { response, body, faults };
  if (isSuccess && faults.length === 0) return answer;
  if (isDecision(response) && faults.some(isTolerated)) return answer;
  throw failureOf("USPS", response, wordsOfFaults(faults));
}

/** The details, else the summary. Failures of signing in have another shape. */
function faultsIn(body: unknown): UspsFault[] {
  const { error, error_description: description } = asObject(body);
  if (typeof error === "string") return [{ code: error, message: asText(description) ?? error }];
  const whole = asObject(error);
  const details = asList(whole.errors).map((detail) => ({
    code: asText(detail.code) ?? "",
    message: [asText(detail.detail) ?? asText(detail.title), parameterOf(detail)]
      .filter((text) => text !== undefined)
      .map((text) => text.replace(/\.$/, ""))
      .join(", "),
  }));
  if (details.some(({ message }) => message !== "")) return details;
  const message = asText(whole.message);
  return message === undefined ? [] : [{ code: asText(whole.code) ?? "", message }];
}

/** Which field of the request the fault is about. */
function parameterOf({ source }: Json): string | undefined {
  const parameter = asText(asObject(source).parameter);
  return parameter === undefined ? undefined : `field ${parameter}`;
}

export function wordsOfFaults(faults: UspsFault[]): string {
  return faults.map(({ code, message }) => (code === "" ? message : `${message} (${code})`)).join("; ");
}

export async function fetchUspsToken(call: CarrierCall): Promise<FetchedToken> {
  const { clientId, clientSecret } = call.credentials;
  return await fetchAccessToken(
    call,
    "USPS",
    {
      url: `${uspsUrl(call.settings)}/oauth2/v3/token`,
      body: {
        form: {
          grant_type: "client_credentials",
          client_id: String(clientId),
          client_secret: String(clientSecret),
        },
      },
    },
    (body) => wordsOfFaults(faultsIn(body)),
  );
}

/** Valid for an hour at most. */
const paymentTokenMs = 50 * 60_000;

/** Who pays and whose labels they are. USPS wants this token with every label. */
export async function fetchPaymentToken(call: CarrierCall, accessToken: string): Promise<FetchedToken> {
  const { settings } = call;
  const owner = {
    CRID: String(settings.crid),
    MID: String(settings.mid),
    manifestMID: asText(settings.manifestMid) ?? String(settings.mid),
  };
  const account = { accountType: "EPS", accountNumber: String(settings.accountNumber) };
  const response = await call.http.request({
    method: "POST",
    url: `${uspsUrl(settings)}/payments/v3/payment-authorization`,
    headers: { authorization: `Bearer ${accessToken}` },
    body: {
      json: {
        roles: [
          { roleName: "PAYER", ...owner, ...account },
          { roleName: "LABEL_OWNER", ...owner },
        ],
      },
    },
    retry: "safe",
    signal: call.signal,
  });
  const value = asText(readUsps(response).body.paymentAuthorizationToken);
  if (value === undefined)
    throw new RemoteError("authentication_failed", "USPS gave no payment token.", { retryable: true });
  return { value, lifetimeMs: paymentTokenMs };
}
