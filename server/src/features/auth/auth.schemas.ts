import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Count, Id, Nullable, Strict } from "../../core/schema.ts";
import { TotpCode } from "../users/totp.schemas.ts";

export const SignInRequest = Strict(
  {
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 256 }),
    totpCode: Type.Optional(TotpCode),
    organizationId: Type.Optional(
      Type.String({
        maxLength: 36,
        description: "Required if the same email and password exist in several organizations",
      }),
    ),
  },
  { examples: [{ email: "admin@hub.example", password: "a long passphrase" }] },
);
export type SignInRequest = Static<typeof SignInRequest>;

export const StepUpRequest = Strict(
  { password: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })), totpCode: Type.Optional(TotpCode) },
  { examples: [{ totpCode: "123456" }] },
);
export type StepUpRequest = Static<typeof StepUpRequest>;
export const SteppedUp = Type.Object({
  authenticatedAt: Type.String({ format: "date-time", description: "Valid for 15 minutes from this time" }),
});

export const RefreshRequest = Strict(
  { refreshToken: Type.String({ minLength: 1, maxLength: 200 }) },
  { examples: [{ refreshToken: "oohr_example" }] },
);

export const TokenResponse = Type.Object({
  accessToken: Type.String(),
  tokenType: Type.Literal("Bearer"),
  expiresIn: Count,
  refreshToken: Type.String(),
});
export type TokenResponse = Static<typeof TokenResponse>;

export const SessionStarted = Type.Object({
  userId: Id,
  organizationId: Id,
  expiresAt: Type.String({ format: "date-time", description: "Expires earlier after 12 hours without a request" }),
});

export const SignInMethods = Type.Object({
  password: Type.Boolean({ description: "POST /auth/session and /auth/token accept email and password" }),
  identityProvider: Nullable(
    Type.Object({
      name: Type.String({ description: "Host name of the OIDC issuer" }),
      canSignIn: Type.Boolean({ description: "POST /auth/oidc/sign-in can start a browser sign-in" }),
    }),
  ),
  passwordReset: Type.Boolean({
    description: "POST /auth/password-reset sends links by e-mail. Otherwise an administrator creates them",
  }),
});

export const OidcSignInRequest = Strict(
  {
    returnTo: Type.Optional(
      Type.String({ maxLength: 1_000, description: "Console path to open after the sign-in; default `/`" }),
    ),
    reauthenticate: Type.Optional(
      Type.Boolean({
        description:
          "The identity provider asks for credentials even if the user is signed in there (OIDC `prompt=login`), as step-up requires",
      }),
    ),
  },
  { examples: [{ returnTo: "/orders?status=ready" }] },
);
export type OidcSignInRequest = Static<typeof OidcSignInRequest>;

export const OidcSignInStarted = Type.Object({
  url: Type.String({
    format: "uri",
    description: "URL to open in the browser; the identity provider redirects back to /sign-in/callback",
  }),
});

const CallbackParam = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));
export const OidcSessionRequest = Strict(
  {
    state: Type.String({ minLength: 1, maxLength: 200 }),
    code: CallbackParam(3_000),
    iss: CallbackParam(1_000),
    error: CallbackParam(100),
    errorDescription: CallbackParam(500),
  },
  { examples: [{ state: "cGxlYXNlIGJlZ2luIGEgc2lnbi1pbiBiZWZvcmUgdGhhdA", code: "SplxlOBeZQQYbYS6WxSbIA" }] },
);
export type OidcSessionRequest = Static<typeof OidcSessionRequest>;

export const OidcSessionStarted = Type.Object({
  ...SessionStarted.properties,
  returnTo: Type.String({ description: "`returnTo` of the request that started the sign-in" }),
});

export const SignedOut = Type.Object({ signedOut: Type.Boolean() });
