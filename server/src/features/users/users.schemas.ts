import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import type { Role } from "../../core/scopes.ts";
import { roles, scopes } from "../../core/scopes.ts";
import { KeyOutcome } from "../api-keys/api-keys.schemas.ts";
import {
  DateTime,
  Deleted,
  Email,
  Id,
  Name,
  Nullable,
  OneOf,
  optional,
  pageQuery,
  Strict,
  Version,
} from "../../core/schema.ts";

const RoleName = OneOf(roles, {
  description: "viewer: read only; operator: read and write; admin: also users and API keys",
});
const Status = OneOf(["active", "disabled"]);
export const Password = Type.String({ minLength: 10, maxLength: 256 });

export const UserRequest = Strict(
  { email: Email, name: Type.Optional(Name), role: RoleName, password: Type.Optional(Password) },
  { examples: [{ email: "sam@shop.example", name: "Sam", role: "operator", password: "a long passphrase" }] },
);
export type UserRequest = Static<typeof UserRequest>;

export const UserPatch = Strict(optional({ name: Name, role: RoleName, status: Status, password: Password }), {
  examples: [{ name: "Samuel" }],
});
export type UserPatch = Static<typeof UserPatch>;

export const User = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  role: RoleName,
  status: Status,
  hasPassword: Type.Boolean({ description: "False for users who sign in only through the identity provider" }),
  lastSignedInAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type User = Static<typeof User>;

const apiKeys = Type.Optional(
  Type.Array(KeyOutcome, { description: "API keys of the user that were deleted or lost scopes by this change" }),
);
export const ChangedUser = Type.Object({ ...User.properties, apiKeys });
export type ChangedUser = Static<typeof ChangedUser>;
export const DeletedUser = Type.Object({ ...Deleted.properties, apiKeys });
export type DeletedUser = Static<typeof DeletedUser>;

/** A user as cached for authentication. */
export type UserIdentity = {
  id: string;
  orgId: string;
  email: string;
  role: Role;
  isActive: boolean;
  isHubOperator: boolean;
  hasTotp: boolean;
  requiresTotp: boolean;
  requiresStepUp: boolean;
};

/** A user as read by a password sign-in. */
export type SignInRow = {
  id: string;
  org_id: string;
  org_name: string;
  email: string;
  role: Role;
  status: string;
  password_hash: string | null;
};

export const UserQuery = pageQuery({ role: Type.Optional(RoleName), status: Type.Optional(Status) });
export type UserQuery = Static<typeof UserQuery>;

export const PasswordChange = Strict(
  { currentPassword: Type.String({ maxLength: 256 }), newPassword: Password },
  { examples: [{ currentPassword: "a long passphrase", newPassword: "another long passphrase" }] },
);
export type PasswordChange = Static<typeof PasswordChange>;

export const NameChange = Strict({ name: Name }, { examples: [{ name: "Samuel" }] });
export type NameChange = Static<typeof NameChange>;

export const EmailChange = Strict(
  { email: Email, currentPassword: Type.String({ maxLength: 256 }) },
  { examples: [{ email: "samuel@shop.example", currentPassword: "a long passphrase" }] },
);
export type EmailChange = Static<typeof EmailChange>;

export const Person = Type.Object({
  id: Id,
  name: Type.String(),
  email: Type.String(),
  isActive: Type.Boolean({ description: "Disabled users keep what is assigned to them" }),
});
export type Person = Static<typeof Person>;
export const PeopleQuery = pageQuery({}, { limit: 100, max: 500 });
export type PeopleQuery = Static<typeof PeopleQuery>;

export const Me = Type.Object({
  actor: Type.Object({
    type: OneOf(["user", "api_key"]),
    id: Id,
    email: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
  }),
  name: Type.String({ description: "Name of the user or API key" }),
  organization: Type.Object({ id: Id, name: Type.String(), isHubOperator: Type.Boolean(), timezone: Type.String() }),
  role: Nullable(RoleName),
  scopes: Type.Array(OneOf(scopes)),
  environment: OneOf(["live", "preview"]),
  ports: Type.Optional(
    Type.Object(
      { live: Type.Integer(), preview: Type.Integer() },
      { description: "Ports on which the hub serves both environments. Missing where there is no preview" },
    ),
  ),
});
