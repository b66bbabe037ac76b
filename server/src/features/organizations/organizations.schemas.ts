import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { DateTime, Email, Id, Name, optional, pageQuery, Strict, Version } from "../../core/schema.ts";
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

const EmailDomains = Type.Array(
  Type.String({ maxLength: 253, pattern: "^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$" }),
  {
    maxItems: 50,
    uniqueItems: true,
    description:
      "Whoever has an address of these domains at the OIDC issuer is recognised by it in this organization. Set by those " +
      "who run the hub, who have made sure that the domains are its own",
  },
);

const TimeZone = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "In which its people agree to read times: the name of a zone, such as America/New_York",
});

const safety = {
  requiresTotp: Type.Boolean({ description: "Whoever signs in with a password needs codes of an authenticator app" }),
  requiresStepUp: Type.Boolean({
    description:
      "Changes of keys, users, bridges and carrier accounts need a proof of the last 15 minutes; not of API keys",
  }),
};

export const OrganizationPatch = Strict(
  optional({ name: Name, timeZone: TimeZone, outboundHosts: OutboundHosts, emailDomains: EmailDomains, ...safety }),
  {
    examples: [{ name: "Northwind Traders" }],
  },
);
export type OrganizationPatch = Static<typeof OrganizationPatch>;

export const Organization = Type.Object({
  id: Id,
  name: Type.String(),
  isHubOperator: Type.Boolean({ description: "The organization that runs this hub" }),
  timeZone: TimeZone,
  outboundHosts: OutboundHosts,
  emailDomains: EmailDomains,
  ...safety,
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type Organization = Static<typeof Organization>;

export const OrganizationQuery = pageQuery({});
export type OrganizationQuery = Static<typeof OrganizationQuery>;
