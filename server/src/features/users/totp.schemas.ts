import type { Static } from "typebox";
import { Count, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const TotpStatus = Type.Object({ isEnabled: Type.Boolean(), recoveryCodesLeft: Count });
export type TotpStatus = Static<typeof TotpStatus>;

export const TotpSecret = Type.Object({
  secret: Type.String({ description: "For typing into an authenticator app, base32; shown this one time" }),
  uri: Type.String({ description: "The same as an otpauth address, for a QR code" }),
});

export const TotpCode = Type.String({
  minLength: 6,
  maxLength: 30,
  description: "Six digits from the authenticator app, or a recovery code. Each is good once",
});

export const TotpConfirmation = Strict({ code: TotpCode }, { examples: [{ code: "123456" }] });
export type TotpConfirmation = Static<typeof TotpConfirmation>;

export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), { description: "Each stands for a code once; shown this one time" }),
});
export const TotpDisabled = Type.Object({ disabled: Type.Literal(true) });
