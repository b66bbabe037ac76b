import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { DateTime, Email, Id, Name, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Password } from "../users/users.schemas.ts";

export const OrganizationRequest = Strict(
  { name: Name, admin: Strict({ email: Email, name: Type.Optional(Name), password: Password }) },
  { examples: [{ name: "Northwind", admin: { email: "ops@northwind.example", password: "a long passphrase" } }] },
);
export type OrganizationRequest = Static<typeof OrganizationRequest>;

export const OrganizationPatch = Strict({ name: Type.Optional(Name) }, { examples: [{ name: "Northwind Traders" }] });
export type OrganizationPatch = Static<typeof OrganizationPatch>;

export const Organization = Type.Object({
  id: Id,
  name: Type.String(),
  isOperator: Type.Boolean({ description: "The organization that runs this hub" }),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type Organization = Static<typeof Organization>;

export const OrganizationQuery = pageQuery({});
export type OrganizationQuery = Static<typeof OrganizationQuery>;
