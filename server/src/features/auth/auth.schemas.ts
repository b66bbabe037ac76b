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
      Type.String({ maxLength: 36, description: "Only needed with the same password in several organizations" }),
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
  provedAt: Type.String({ format: "date-time", description: "Good for 15 minutes from then" }),
});

export const RefreshRequest = Strict(
  { refreshToken: Type.String({ minLength: 1, maxLength: 200 }) },
  { examples: [{ refreshToken: "oohr_example" }] },
);

export const TokenAnswer = Type.Object({
  accessToken: Type.String(),
  tokenType: Type.Literal("Bearer"),
  expiresIn: Count,
  refreshToken: Type.String(),
});
export type TokenAnswer = Static<typeof TokenAnswer>;

export const SessionStarted = Type.Object({
  userId: Id,
  organizationId: Id,
  expiresAt: Type.String({ format: "date-time", description: "Sooner, if it is not used for 12 hours" }),
});

export const SignInMethods = Type.Object({
  password: Type.Boolean({ description: "POST /auth/session or /auth/token takes e-mail and password" }),
  issuer: Nullable(
    Type.Object({
      name: Type.String({ description: "Host of the OIDC issuer" }),
      canSignIn: Type.Boolean({ description: "POST /auth/oidc/sign-in begins a sign-in there, with a browser" }),
    }),
  ),
});

export const OidcSignInRequest = Strict(
  {
    returnTo: Type.Optional(
      Type.String({ maxLength: 1_000, description: "Where to be afterwards: a path of the console; `/` without it" }),
    ),
    again: Type.Optional(
      Type.Boolean({
        description: "The issuer is to ask who one is, though one is signed in there: as a recent proof",
      }),
    ),
  },
  { examples: [{ returnTo: "/orders?status=ready" }] },
);
export type OidcSignInRequest = Static<typeof OidcSignInRequest>;

export const OidcSignInBegun = Type.Object({
  url: Type.String({ format: "uri", description: "Where the browser goes now; it comes back to /sign-in/callback" }),
});

const Spoken = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));
export const OidcSessionRequest = Strict(
  {
    state: Type.String({ minLength: 1, maxLength: 200 }),
    code: Spoken(3_000),
    iss: Spoken(1_000),
    error: Spoken(100),
    errorDescription: Spoken(500),
  },
  { examples: [{ state: "cGxlYXNlIGJlZ2luIGEgc2lnbi1pbiBiZWZvcmUgdGhhdA", code: "SplxlOBeZQQYbYS6WxSbIA" }] },
);
export type OidcSessionRequest = Static<typeof OidcSessionRequest>;

export const OidcSessionStarted = Type.Object({
  ...SessionStarted.properties,
  returnTo: Type.String({ description: "As it was given when the sign-in was begun" }),
});

export const SignedOut = Type.Object({ signedOut: Type.Boolean() });
