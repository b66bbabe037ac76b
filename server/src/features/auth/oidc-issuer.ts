import type { JWTVerifyGetKey } from "jose";
import { HubError } from "../../core/errors.ts";
import { createHttpClient } from "../../core/outbound/outbound.ts";
import type { HttpClient } from "../../core/outbound/outbound-request.ts";
import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";

const rediscoverMs = 30_000;
/** The issuer is set by the hub's operator and may be in a private network. */
const clientOptions = { allowPrivate: true, breakerKey: "documents", timeoutMs: 5000, attempts: 1 };
const client = createHttpClient(clientOptions);
export const maxDocumentBytes = 1024 * 1024;

/** From the issuer's discovery document (OpenID Connect Discovery 1.0, section 3). */
export type OidcIssuer = {
  findKey: JWTVerifyGetKey;
  /** For browser sign-ins. Not required of an issuer that is used for bearer tokens only. */
  signIn: SignInEndpoints | undefined;
};

type SignInEndpoints = {
  authorization: URL;
  token: URL;
  userInfo: URL | undefined;
  /** The issuer supports client_secret_post but not client_secret_basic. */
  takesSecretInBody: boolean;
  /** Authorization responses contain `iss` (RFC 9207). */
  sendsIss: boolean;
  /** Restricted to the token endpoint, so that the client secret goes nowhere else. */
  tokenClient: HttpClient;
};

/** Discovered once. A failed discovery is retried after `rediscoverMs`, not on every request. */
const discovered = perWorld(({ settings, clock }) => {
  let issuer: Promise<OidcIssuer> | undefined;
  let failedAt = -Infinity;
  return async (): Promise<OidcIssuer> => {
    if (clock.real().getTime() - failedAt < rediscoverMs) throw new Error("the OIDC issuer did not respond");
    issuer ??= discover(settings.oidc!.issuer);
    return await issuer.catch((error: unknown) => {
      issuer = undefined;
      failedAt = clock.real().getTime();
      throw error;
    });
  };
});

export async function getOidcIssuer(world: World): Promise<OidcIssuer> {
  return await discovered(world)().catch((error: unknown) => {
    throw issuerUnavailable(world, error);
  });
}

export function issuerUnavailable({ log }: World, error: unknown): HubError {
  log.warn({ err: error }, "the OIDC issuer is unavailable");
  return new HubError("identity_provider_unavailable");
}

async function discover(issuer: string): Promise<OidcIssuer> {
  const document = await fetchDocument(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  // A document of another issuer could redirect users, codes and the client secret to foreign servers.
  if (document["issuer"] !== issuer) throw new Error("the OIDC discovery document belongs to another issuer");
  const endpoint = (name: string): URL | undefined => readEndpoint(document, name, issuer);
  const keys = endpoint("jwks_uri");
  if (keys === undefined) throw new Error("the OIDC discovery document has no jwks_uri");
  const { createRemoteJWKSet, customFetch } = await import("jose");
  const findKey = createRemoteJWKSet(keys, { cooldownDuration: 30_000, [customFetch]: outboundFetch });
  const [authorization, token] = [endpoint("authorization_endpoint"), endpoint("token_endpoint")];
  if (authorization === undefined || token === undefined) return { findKey, signIn: undefined };
  const methods = document["token_endpoint_auth_methods_supported"] ?? ["client_secret_basic"];
  return {
    findKey,
    signIn: {
      authorization,
      token,
      userInfo: endpoint("userinfo_endpoint"),
      takesSecretInBody: Array.isArray(methods) && !methods.includes("client_secret_basic"),
      sendsIss: document["authorization_response_iss_parameter_supported"] === true,
      tokenClient: createHttpClient({ ...clientOptions, credentialsFor: [token.href] }),
    },
  };
}

/** Endpoints must use https, or http if the issuer itself does, as one on the same machine may. */
function readEndpoint(document: Record<string, unknown>, name: string, issuer: string): URL | undefined {
  const given = document[name];
  if (given === undefined) return undefined;
  const url = typeof given === "string" ? URL.parse(given) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== new URL(issuer).protocol)) {
    throw new Error(`the OIDC discovery document has a ${name} that is not an https URL`);
  }
  return url;
}

async function outboundFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  const { status, text } = await client.request({ url, headers, maxBytes: maxDocumentBytes });
  return new Response(text === "" ? null : text, { status });
}

export async function fetchDocument(url: string | URL, token?: string): Promise<Record<string, unknown>> {
  const response = await client.request({
    url,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    maxBytes: maxDocumentBytes,
  });
  if (response.status !== 200) throw new Error(`${new URL(url).href} returned status ${response.status}`);
  const document = response.json();
  if (typeof document !== "object" || document === null)
    throw new Error(`${new URL(url).href} returned no JSON object`);
  return document as Record<string, unknown>;
}
