import type { Static } from "typebox";
import { Count, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const TotpStatus = Type.Object({ isEnabled: Type.Boolean(), recoveryCodesLeft: Count });
export type TotpStatus = Static<typeof TotpStatus>;

export const TotpSecret = Type.Object({
  secret: Type.String({ description: "Base32 secret to enter into an authenticator app; only in this response" }),
  uri: Type.String({ description: "The secret as an otpauth URI, for a QR code" }),
});

export const TotpCode = Type.String({
  minLength: 6,
  maxLength: 30,
  description: "Six digits from the authenticator app, or a recovery code. Each code works once",
});

export const TotpConfirmation = Strict({ code: TotpCode }, { examples: [{ code: "123456" }] });
export type TotpConfirmation = Static<typeof TotpConfirmation>;

export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), {
    description: "Each replaces an authenticator code once; only in this response",
  }),
});
export const TotpDisabled = Type.Object({ disabled: Type.Literal(true) });
