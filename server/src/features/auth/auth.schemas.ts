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
    Type.Object({ name: Type.String({ description: "Host of the OIDC issuer whose tokens are taken too" }) }),
  ),
});

export const SignedOut = Type.Object({ signedOut: Type.Boolean() });
