import type { FieldError } from "../../core/errors.ts";
import type { CredentialAddress, Settings, TokenRequest } from "../connector.ts";
import { settingsOf } from "./rest-request.ts";

export function signIn(settings: Settings): TokenRequest | undefined {
  const { auth } = settingsOf({ settings });
  if (auth?.kind !== "oauth2" || auth.tokenUrl === undefined) return undefined;
  const { tokenUrl: url, grant = "client_credentials", clientAuth = "basic", scope, audience } = auth;
  return { url, grant, clientAuth, scope, audience };
}

/** Also what is given for a token that they are exchanged for: it stands for them. */
export function sendsTo(settings: Settings): CredentialAddress[] {
  const token = signIn(settings);
  const base = { at: "/baseUrl", url: settingsOf({ settings }).baseUrl };
  return [base, ...(token ? [{ at: "/auth/tokenUrl", url: token.url }] : [])];
}

export function signInProblems(settings: Settings): FieldError[] {
  const { kind, tokenUrl } = settingsOf({ settings }).auth ?? {};
  if (kind !== "oauth2" || tokenUrl !== undefined) return [];
  return [{ pointer: "/auth/tokenUrl", code: "required", message: "Say where the access tokens are asked for." }];
}

export function checkCredentials(credentials: Record<string, unknown>, settings: Settings): FieldError[] {
  const token = signIn(settings);
  if (!token) return [];
  const needed = token.grant === "refresh_token" ? ["refreshToken"] : ["clientId", "clientSecret"];
  return needed
    .filter((name) => credentials[name] === undefined)
    .map((name) => ({ pointer: `/${name}`, code: "required", message: `A token is asked for with it.` }));
}
