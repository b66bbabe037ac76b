import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { DateTime, Email, Id, Name, Nullable, OneOf, optional, pageQuery, Strict, Version } from "../../core/schema.ts";
import { weekdays } from "../../core/working-days.ts";
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
    description:
      "Host name in lower case, without scheme and port; `*.example.com` matches every subdomain of example.com",
  }),
  {
    maxItems: 200,
    uniqueItems: true,
    description: "Hosts that bridges and carriers of the organization may call; empty: all public hosts",
  },
);

const EmailDomains = Type.Array(
  Type.String({ maxLength: 253, pattern: "^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$" }),
  {
    maxItems: 50,
    uniqueItems: true,
    description:
      "Users with a verified address of these domains at the identity provider are linked to users of this organization. " +
      "Set by hub operators, who verify that the organization owns the domains",
  },
);

const Timezone = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "IANA time zone, such as America/New_York, for dates without a time zone",
});

const workingCalendar = {
  workingDays: Type.Array(OneOf(weekdays), {
    minItems: 1,
    uniqueItems: true,
    description: "Days of the week on which the organization works, for working days in conditions and actions",
  }),
  holidays: Type.Array(Type.String({ format: "date" }), {
    maxItems: 366,
    uniqueItems: true,
    description: "Further days on which the organization does not work, such as 2026-12-25",
  }),
  cutoffTime: Nullable(
    Type.String({
      pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
      description:
        "Time of day, such as 14:00, from which on work starts on the next working day; null: there is no cut-off",
    }),
  ),
};

const safety = {
  requiresTotp: Type.Boolean({ description: "Users who sign in with a password must use an authenticator app" }),
  requiresStepUp: Type.Boolean({
    description:
      "Changes to API keys, users, bridges and carrier accounts require authentication within the last 15 minutes; API keys are exempt",
  }),
};

export const OrganizationPatch = Strict(
  optional({
    name: Name,
    timezone: Timezone,
    ...workingCalendar,
    outboundHosts: OutboundHosts,
    emailDomains: EmailDomains,
    ...safety,
  }),
  {
    examples: [{ name: "Northwind Traders" }],
  },
);
export type OrganizationPatch = Static<typeof OrganizationPatch>;

export const Organization = Type.Object({
  id: Id,
  name: Type.String(),
  isHubOperator: Type.Boolean({ description: "The organization that operates this hub" }),
  timezone: Timezone,
  ...workingCalendar,
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
