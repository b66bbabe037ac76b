import type { Static } from "typebox";
import { DateTime, Name, Nullable, OneOf, Strict } from "../../core/schema.ts";
import { roles } from "../../core/scopes.ts";
import { Type } from "../../core/type.ts";
import { Password } from "../users/users.schemas.ts";

const Token = Type.String({ minLength: 1, maxLength: 100, description: "The part of the link after #" });
const exampleToken = "3l0V9nq8hYx5mJt2RzKcW7aPdE4sGfB6uTiOyQjLkXM";

export const LinkToken = Strict({ token: Token }, { examples: [{ token: exampleToken }] });

export const InvitedTo = Type.Object({
  email: Type.String(),
  name: Nullable(Type.String({ description: "As the inviter entered it" })),
  role: OneOf(roles),
  organization: Type.String(),
  expiresAt: DateTime,
});

export const AcceptRequest = Strict(
  { token: Token, name: Name, password: Password },
  { examples: [{ token: exampleToken, name: "Kim", password: "a long passphrase" }] },
);
export type AcceptRequest = Static<typeof AcceptRequest>;

export const ResetRequest = Strict(
  { email: Type.String({ minLength: 1, maxLength: 254 }) },
  { examples: [{ email: "sam@shop.example" }] },
);
export const ResetRequested = Type.Object({ requested: Type.Literal(true) });
export const ResetOf = Type.Object({ email: Type.String(), organization: Type.String(), expiresAt: DateTime });
export const ResetConfirmation = Strict(
  { token: Token, password: Password },
  { examples: [{ token: exampleToken, password: "another long passphrase" }] },
);
export const ResetLink = Type.Object({
  url: Type.String({
    description: "Works once. A path if the hub does not know its public address (HUB_PUBLIC_URLS)",
  }),
  expiresAt: DateTime,
});
