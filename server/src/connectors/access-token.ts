import { ask, readJson } from "../core/outbound/ask-remote.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../core/outbound/outbound-request.ts";
import { RemoteError } from "../core/remote-error.ts";
import type { Call, TokenRequest } from "./connector.ts";
import { asText, objectOf } from "./shape.ts";

/** Of the credentials, what a token is asked for with. */
export type ClientCredentials = { clientId?: string; clientSecret?: string; refreshToken?: string };

export type FreshToken = {
  accessToken: string;
  lifetimeSeconds: number;
  /** In place of the one that was used, which may not count any more. */
  refreshToken?: string;
};

/** Where nothing is said about its end, whoever is refused asks for another one anyway. */
const usualSeconds = 3_600;
const maxSeconds = 366 * 86_400;
const maxTokenLength = 8_000;
const maxAnswerBytes = 64 * 1024;

/** Not part of what a task does: however it fails, nothing of that has happened. */
export async function requestToken(
  call: { http: HttpClient; signal: AbortSignal },
  request: TokenRequest,
  client: ClientCredentials,
): Promise<FreshToken> {
  const { clientId = "", clientSecret = "", refreshToken = "" } = client;
  const isRefresh = request.grant === "refresh_token";
  const isBasic = request.clientAuth === "basic" && clientId !== "";
  const given = {
    grant_type: request.grant,
    scope: request.scope,
    audience: request.audience,
    ...(isRefresh ? { refresh_token: refreshToken } : {}),
    ...(isBasic ? {} : { client_id: clientId, client_secret: clientSecret }),
  };
  const form = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ""));
  try {
    const response = await ask(call, {
      method: "POST",
      url: request.url,
      ...(isBasic ? { headers: { authorization: basicFor(clientId, clientSecret) } } : {}),
      body: { form: form as Record<string, string> },
      maxBytes: maxAnswerBytes,
      // A token that replaces the one it was asked with is given once.
      retry: isRefresh ? "never" : "safe",
    });
    return tokenIn(readJson(response));
  } catch (error) {
    throw error instanceof RemoteError ? signInFailure(error, [clientSecret, refreshToken]) : error;
  }
}

/** As RFC 6749 wants it: encoded like a form first. */
function basicFor(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString("base64")}`;
}

function tokenIn(body: unknown): FreshToken {
  const { access_token: accessToken, token_type: type, expires_in: given, refresh_token: next } = objectOf(body);
  if (typeof accessToken !== "string" || !/^[\x21-\x7e]+$/.test(accessToken) || accessToken.length > maxTokenLength) {
    throw new RemoteError("authentication_failed", "The token endpoint answered without a usable access_token.");
  }
  if (type !== undefined && asText(type).toLowerCase() !== "bearer") {
    throw new RemoteError(
      "authentication_failed",
      `The token endpoint gave a token of the type ${asText(type).slice(0, 50)}.`,
    );
  }
  const seconds = Number(given ?? usualSeconds);
  const lifetimeSeconds = seconds > 0 ? Math.min(seconds, maxSeconds) : usualSeconds;
  const isNext = typeof next === "string" && next !== "" && next.length <= maxTokenLength;
  return { accessToken, lifetimeSeconds, ...(isNext ? { refreshToken: next } : {}) };
}

const refusals = new Set(["unauthorized", "forbidden", "not_found", "rejected"]);

/** Some answer with what they were sent. */
function signInFailure(error: RemoteError, secrets: string[]): RemoteError {
  const { code, retryable, retryAfterMs } = error;
  let { message } = error;
  for (const secret of secrets) if (secret !== "") message = message.replaceAll(secret, "***");
  const said = refusals.has(code) ? message.replace(/^.*?\(/, "The token endpoint refused (") : message;
  return new RemoteError(refusals.has(code) ? "authentication_failed" : code, said, { retryable, retryAfterMs });
}

/** With the token of the bridge; one that is refused, before its end or because it was taken back, is renewed once. */
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
