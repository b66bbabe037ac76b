import type { FieldError } from "../../core/errors.ts";
import type { CredentialAddress, Settings, TokenRequest } from "../connector.ts";
import { ownHeaders } from "../../core/outbound/outbound-request.ts";
import { assertionKeyProblem } from "../client-assertion.ts";
import { objectOf } from "../shape.ts";
import { settingsOf } from "./rest-request.ts";
import type { RestSettings } from "./rest.schemas.ts";

export function signIn(settings: Settings): TokenRequest | undefined {
  const { auth } = settingsOf({ settings });
  if (auth?.kind !== "oauth2" || auth.tokenUrl === undefined) return undefined;
  const { tokenUrl: url, grantType = "client_credentials", clientAuth, scope, audience } = auth;
  if (clientAuth === "private_key_jwt") {
    const { assertionAlgorithm: algorithm = "RS256", keyId } = auth;
    return { url, grant: grantType, clientAuth: { algorithm, keyId }, scope, audience };
  }
  const sendsInBody = clientAuth === "client_secret_post";
  return { url, grant: grantType, clientAuth: sendsInBody ? "body" : "basic", scope, audience };
}

/** Includes the base URL of OAuth bridges: the access token sent there stands for the credentials. */
export function sendsTo(settings: Settings): CredentialAddress[] {
  const token = signIn(settings);
  const base = { at: "/baseUrl", url: settingsOf({ settings }).baseUrl };
  return [base, ...(token ? [{ at: "/auth/tokenUrl", url: token.url }] : [])];
}

export function signInProblems(settings: Settings): FieldError[] {
  const { kind, tokenUrl } = settingsOf({ settings }).auth ?? {};
  if (kind !== "oauth2" || tokenUrl !== undefined) return [];
  return [{ pointer: "/auth/tokenUrl", code: "required", message: "oauth2 requires the URL of the token endpoint." }];
}

export function checkCredentials(credentials: Record<string, unknown>, settings: Settings): FieldError[] {
  const token = signIn(settings);
  const isSigning = settingsOf({ settings }).auth?.kind === "oauth1";
  const missing = [...neededFor(token), ...(isSigning ? ["consumerKey", "consumerSecret"] : [])].filter(
    (name) => credentials[name] === undefined,
  );
  const message = isSigning ? "Required to sign requests." : "Required to request an access token.";
  return [
    ...missing.map((name) => ({ pointer: `/${name}`, code: "required", message })),
    ...keyProblems(token, credentials.privateKey),
    ...headerProblems(Object.keys(objectOf(credentials.headers)), settings),
  ];
}

function neededFor(token: TokenRequest | undefined): string[] {
  if (!token) return [];
  const ofGrant = token.grant === "refresh_token" ? ["refreshToken"] : [];
  if (typeof token.clientAuth === "object") return [...ofGrant, "clientId", "privateKey"];
  return token.grant === "refresh_token" ? ofGrant : ["clientId", "clientSecret"];
}

function keyProblems(token: TokenRequest | undefined, privateKey: unknown): FieldError[] {
  if (typeof token?.clientAuth !== "object" || typeof privateKey !== "string") return [];
  const message = assertionKeyProblem(privateKey, token.clientAuth.algorithm);
  return message === undefined ? [] : [{ pointer: "/privateKey", code: "invalid_key", message }];
}

/** Headers that the transport sets, or that `auth` sets already. */
function headerProblems(names: string[], settings: Settings): FieldError[] {
  const { auth } = settingsOf({ settings });
  const ofAuth = auth && headerOf(auth);
  return names.flatMap((name) => {
    const pointer = `/headers/${name}`;
    if (ownHeaders.has(name.toLowerCase())) {
      return [{ pointer, code: "reserved_header", message: "The hub sets this header." }];
    }
    if (name.toLowerCase() !== ofAuth) return [];
    const message = `auth.kind ${auth!.kind} already uses this header.`;
    return [{ pointer, code: "reserved_header", message }];
  });
}

function headerOf({ kind, paramName }: NonNullable<RestSettings["auth"]>): string | undefined {
  if (kind === "bearer" || kind === "basic" || kind === "oauth1") return "authorization";
  if (kind === "oauth2") return (paramName ?? "authorization").toLowerCase();
  return kind === "header" ? (paramName ?? "X-Api-Key").toLowerCase() : undefined;
}
