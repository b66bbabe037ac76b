import { ask, readJson } from "../core/outbound/ask-remote.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../core/outbound/outbound-request.ts";
import { RemoteError } from "../core/remote-error.ts";
import { clientAssertion } from "./client-assertion.ts";
import type { Call, TokenRequest } from "./connector.ts";
import { asText, objectOf } from "./shape.ts";

/** The credentials for token requests. */
export type ClientCredentials = {
  clientId?: string;
  clientSecret?: string;
  refreshToken?: string;
  privateKey?: string;
};

export type FreshToken = {
  accessToken: string;
  lifetimeSeconds: number;
  /** Replaces the one that was used, which may be invalid now. */
  refreshToken?: string;
};

/** Default lifetime; a rejected token is replaced anyway. */
const usualSeconds = 3_600;
const maxSeconds = 366 * 86_400;
const maxTokenLength = 8_000;
const maxAnswerBytes = 64 * 1024;

/** A failed token request never means that the task had an effect. */
export async function requestToken(
  call: { http: HttpClient; signal: AbortSignal },
  request: TokenRequest,
  client: ClientCredentials,
): Promise<FreshToken> {
  const { clientId = "", clientSecret = "", refreshToken = "", privateKey = "" } = client;
  const isRefresh = request.grant === "refresh_token";
  const isBasic = request.clientAuth === "basic" && clientId !== "";
  const { clientAuth, url: audience, scope } = request;
  const assertion =
    typeof clientAuth === "object"
      ? await clientAssertion({ clientId, privateKey, ...clientAuth, audience, scope })
      : undefined;
  const given = {
    grant_type: request.grant,
    scope: request.scope,
    audience: request.audience,
    ...(isRefresh ? { refresh_token: refreshToken } : {}),
    ...(isBasic || assertion ? {} : { client_id: clientId, client_secret: clientSecret }),
    ...assertion,
  };
  const form = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ""));
  try {
    const response = await ask(call, {
      method: "POST",
      url: request.url,
      ...(isBasic ? { headers: { authorization: basicFor(clientId, clientSecret) } } : {}),
      body: { form: form as Record<string, string> },
      maxBytes: maxAnswerBytes,
      // Refresh tokens that rotate can be used once, and so can assertions.
      retry: isRefresh || assertion ? "never" : "safe",
    });
    return tokenIn(readJson(response));
  } catch (error) {
    throw error instanceof RemoteError
      ? authenticationFailure(error, [clientSecret, refreshToken, assertion?.client_assertion ?? ""])
      : error;
  }
}

/** RFC 6749: form-encoded before Base64. */
function basicFor(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString("base64")}`;
}

/** Types of tokens that need a signature or a proof with each request. */
const otherSchemes: ReadonlySet<string> = new Set(["mac", "dpop", "pop", "n_a"]);

function tokenIn(body: unknown): FreshToken {
  const { access_token: accessToken, token_type: type, expires_in: given, refresh_token: next } = objectOf(body);
  if (typeof accessToken !== "string" || !/^[\x21-\x7e]+$/.test(accessToken) || accessToken.length > maxTokenLength) {
    throw new RemoteError("authentication_failed", "The token endpoint returned no usable access_token.");
  }
  // Some name their own types for bearer tokens, such as eBay with "User Access Token".
  if (otherSchemes.has(asText(type).toLowerCase())) {
    throw new RemoteError(
      "authentication_failed",
      `The token endpoint returned a token of type ${asText(type).slice(0, 50)}, not bearer.`,
    );
  }
  const seconds = Number(given ?? usualSeconds);
  const lifetimeSeconds = seconds > 0 ? Math.min(seconds, maxSeconds) : usualSeconds;
  const isNext = typeof next === "string" && next !== "" && next.length <= maxTokenLength;
  return { accessToken, lifetimeSeconds, ...(isNext ? { refreshToken: next } : {}) };
}

const refusals = new Set(["unauthorized", "forbidden", "not_found", "rejected"]);

/** Also if only the beginning of a long secret is left: quoted responses are shortened. */
function withoutSecret(message: string, secret: string): string {
  if (secret === "") return message;
  const whole = message.replaceAll(secret, "***");
  const start = secret.slice(0, 32);
  return secret.length <= start.length
    ? whole
    : whole.replaceAll(new RegExp(`${RegExp.escape(start)}[\\w.~+/=-]*`, "g"), "***");
}

/** Removes secrets from the message: some endpoints echo the request. */
function authenticationFailure(error: RemoteError, secrets: string[]): RemoteError {
  const { code, retryable, retryAfterMs } = error;
  let { message } = error;
  for (const secret of secrets) message = withoutSecret(message, secret);
  const text = refusals.has(code) ? message.replace(/^.*?\(/, "The token endpoint rejected the request (") : message;
  return new RemoteError(refusals.has(code) ? "authentication_failed" : code, text, { retryable, retryAfterMs });
}

/** Sends a request with the access token of the bridge; a rejected token is renewed once. */
export async function askSignedIn(
  call: Call,
  request: (token: string) => HttpRequest,
  accepted: readonly number[] = [],
): Promise<HttpResponse> {
  const token = await call.accessToken();
  const response = await ask(call, request(token), [...accepted, 401]);
  if (response.status !== 401) return response;
  return await ask(call, request(await call.accessToken(token)), accepted);
}
