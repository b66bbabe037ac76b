import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { DateTime, Email, Id, Name, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Password } from "../users/users.schemas.ts";

export const OrganizationRequest = Strict(
  { name: Name, admin: Strict({ email: Email, name: Type.Optional(Name), password: Password }) },
  { examples: [{ name: "Northwind", admin: { email: "ops@northwind.example", password: "a long passphrase" } }] },
);
export type OrganizationRequest = Static<typeof OrganizationRequest>;

const OutboundHosts = Type.Array(
  Type.String({
    maxLength: 255,
    pattern: "^(\\*\\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$",
    description: "A host in lower case, without scheme and port; `*.example.com` is every host below example.com",
  }),
  {
    maxItems: 200,
    uniqueItems: true,
    description: "Hosts that bridges and carriers of the organization may call; empty: every public one",
  },
);

export const OrganizationPatch = Strict(
  { name: Type.Optional(Name), outboundHosts: Type.Optional(OutboundHosts) },
  { examples: [{ name: "Northwind Traders" }] },
);
export type OrganizationPatch = Static<typeof OrganizationPatch>;

export const Organization = Type.Object({
  id: Id,
  name: Type.String(),
  isOperator: Type.Boolean({ description: "The organization that runs this hub" }),
  outboundHosts: OutboundHosts,
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type Organization = Static<typeof Organization>;

export const OrganizationQuery = pageQuery({});
export type OrganizationQuery = Static<typeof OrganizationQuery>;
