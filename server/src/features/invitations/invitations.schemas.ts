import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { DateTime, Email, Id, Name, Nullable, OneOf, pageQuery, Strict } from "../../core/schema.ts";
import { roles } from "../../core/scopes.ts";
import { Type } from "../../core/type.ts";

const RoleName = OneOf(roles, { description: "Role of the user who accepts the invitation" });
const Status = OneOf(["open", "accepted", "expired", "revoked"]);

export const InvitationRequest = Strict(
  { email: Email, name: Type.Optional(Name), role: RoleName },
  { examples: [{ email: "kim@shop.example", name: "Kim", role: "operator" }] },
);
export type InvitationRequest = Static<typeof InvitationRequest>;

export const Invitation = Type.Object({
  id: Id,
  email: Type.String(),
  name: Nullable(Type.String()),
  role: RoleName,
  status: Status,
  createdBy: ActorShape,
  createdAt: DateTime,
  expiresAt: DateTime,
  emailedAt: Nullable({ ...DateTime, description: "When it was last queued as an e-mail; null: it was only shown" }),
});
export type Invitation = Static<typeof Invitation>;

export const InvitationWithLink = Type.Object({
  ...Invitation.properties,
  url: Type.String({
    description:
      "The link, which works once and cannot be read again later. A path if the hub does not know its public address (HUB_PUBLIC_URLS)",
  }),
});
export type InvitationWithLink = Static<typeof InvitationWithLink>;

export const InvitationQuery = pageQuery({ status: Type.Optional(Status) });
export type InvitationQuery = Static<typeof InvitationQuery>;
