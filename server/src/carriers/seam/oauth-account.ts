import type { CarrierCall, FetchedToken, Settings } from "./carrier.ts";
import { bodyOf, failureOf } from "./failures.ts";
import { RemoteError } from "./http.ts";
import type { HttpRequest, HttpResponse } from "./http.ts";
import { asNumber, asObject, asText } from "./read.ts";
import { OneOf, Strict, Type } from "./schema.ts";

/** Settings and sign-in of carriers that give access tokens for a client ID and a client secret. */

type Hosts = { live: string; test: string };

export function modeSetting({ live, test }: Hosts) {
  return Type.Optional(
    OneOf(["live", "test"], {
      title: "Mode",
      default: "live",
      description: `Test mode uses ${new URL(test).host} instead of ${new URL(live).host}: its labels are not valid and not charged`,
    }),
  );
}

export function baseUrlSetting() {
  return Type.Optional(
    Type.String({
      title: "Address",
      "x-advanced": true,
      format: "uri",
      maxLength: 500,
      description: "Only for a proxy or a test: used in place of the carrier's own address",
      examples: ["https://carrier-proxy.example.com"],
    }),
  );
}

export function baseUrlOf(settings: Settings, hosts: Hosts): string {
  const own = settings.mode === "test" ? hosts.test : hosts.live;
  return (asText(settings.baseUrl) ?? own).replace(/\/+$/, "");
}

export function clientCredentials(portal: string) {
  return Strict(
    {
      clientId: Type.String({
        title: "Client ID",
        minLength: 1,
        maxLength: 200,
        description: `Of your app at ${portal}`,
      }),
      clientSecret: Type.String({
        title: "Client secret",
        "x-widget": "password",
        minLength: 1,
        maxLength: 500,
        description: "Of the same app",
      }),
    },
    { examples: [{ clientId: "my-client-id", clientSecret: "my-client-secret" }] },
  );
}

/** Requests an access token. Nothing else happens at the carrier, so the request may be repeated. */
export async function fetchAccessToken(
  call: CarrierCall,
  carrier: string,
  request: HttpRequest,
  wordsOf: (body: unknown) => string,
): Promise<FetchedToken> {
  const response = await call.http.request({ method: "POST", retry: "safe", signal: call.signal, ...request });
  if (response.status === 400 || response.status === 401 || response.status === 403) {
    const words = wordsOf(bodyOf(response));
    const message = `${carrier} does not accept the client ID or the client secret${words === "" ? "" : `: ${words}`}.`;
    throw new RemoteError("unauthorized", message.replace(/\.\.$/, "."));
  }
  if (response.status >= 300) throw failureOf(carrier, response, wordsOf(bodyOf(response)));
  const body = asObject(bodyOf(response));
  const value = asText(body.access_token);
  if (value === undefined)
    throw new RemoteError("authentication_failed", `${carrier} gave no access token.`, { retryable: true });
  const seconds = asNumber(body.expires_in) ?? 3_600;
  return { value, lifetimeMs: Math.max(seconds - 60, 30) * 1000 };
}

/** Sends a request with an access token. A refused token is replaced once: it may have been revoked before it expired. */
export async function sendWithToken(
  call: CarrierCall,
  tokenName: string,
  fetchToken: () => Promise<FetchedToken>,
  send: (token: string) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const token = await call.token(tokenName, fetchToken);
  const response = await send(token.value);
  if (response.status !== 401) return response;
  await token.forget();
  return await send((await call.token(tokenName, fetchToken)).value);
}
