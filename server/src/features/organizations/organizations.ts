import type { Page } from "../../core/page.ts";
import { badField, HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import { hasScope } from "../../core/scopes.ts";
import { isTimeZone, localDateOf } from "../../core/time-zones.ts";
import type { WorkingCalendar } from "../../core/working-days.ts";
import { defaultWorkingDays, weekdays } from "../../core/working-days.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx, World } from "../../context.ts";
import { change, perWorld } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { createSignalledCache } from "../../db/signalled-cache.ts";
import { recordEvent } from "../../events/record-event.ts";
import { addUser, signalUsers } from "../users/users.ts";
import { requireStrongPassword } from "../../core/password-rules.ts";
import { hashPassword } from "../../core/passwords.ts";
import type {
  Organization,
  OrganizationPatch,
  OrganizationQuery,
  OrganizationRequest,
} from "./organizations.schemas.ts";
import * as store from "./organizations.store.ts";

export async function listOrganizations(ctx: Ctx, query: OrganizationQuery): Promise<Page<Organization>> {
  const isAll = seesAll(ctx);
  return await store.listOrganizations(isAll ? ctx.db.acrossOrgs : ctx.db, isAll ? undefined : ctx.orgId, query);
}

export async function getOrganization(ctx: Ctx, id: string): Promise<Organization> {
  const db = id === ctx.orgId ? ctx.db : ctx.db.acrossOrgs;
  return orNotFound("organization", maySee(ctx, id) ? await store.findOrganization(db, id) : undefined);
}

/** Creates a tenant with its first administrator. The events belong to the new organization. */
export async function createOrganization(ctx: Ctx, request: OrganizationRequest): Promise<Organization> {
  const { email, password } = request.admin;
  requireStrongPassword(password, { email, organization: request.name }, "/admin/password");
  const passwordHash = await hashPassword(password, ctx.settings.passwordCost);
  return await change(ctx, (tx) =>
    addOrganization(tx, ctx, {
      name: request.name,
      isHubOperator: false,
      admin: { email, name: request.admin.name ?? email, passwordHash },
    }),
  );
}

export type NewOrganization = {
  name: string;
  isHubOperator: boolean;
  admin: { email: string; name: string; passwordHash: string };
};

export async function addOrganization(
  tx: Tx,
  ctx: Ctx,
  { name, isHubOperator, admin }: NewOrganization,
): Promise<Organization> {
  const id = ctx.newId();
  const organization = await store.insertOrganization(tx, { id, name, isHubOperator, at: ctx.clock.now() });
  const own = { ...ctx, orgId: id };
  const { version } = organization;
  recordEvent(tx, own, { type: "organization.created", objectId: id, data: { name, version } });
  await addUser(tx, own, { ...admin, role: "admin" });
  return organization;
}

export async function updateOrganization(
  ctx: Ctx,
  id: string,
  patch: OrganizationPatch,
  ifMatch: IfMatch,
): Promise<Organization> {
  requirePatch(patch);
  if (patch.timezone !== undefined && !isTimeZone(patch.timezone)) {
    const message = "Unknown time zone. Use an IANA name such as America/New_York or Europe/Berlin.";
    throw badField("/timezone", "unknown_timezone", message);
  }
  // An organization that could claim any domain would receive the identity provider sign-ins of other organizations' users.
  if (patch.emailDomains !== undefined && !seesAll(ctx)) {
    throw new HubError("insufficient_scope", "Only hub operators can set `emailDomains`.", {
      extra: { required: ["organizations:write"], granted: [...ctx.principal.scopes] },
    });
  }
  // Hub operators may update other organizations; for other callers `maySee` makes those 404.
  const db = id === ctx.orgId ? ctx.db : ctx.db.acrossOrgs;
  return await change({ ...ctx, db }, async (tx) => {
    const organization = orNotFound("organization", maySee(ctx, id) ? await store.lockOrganization(tx, id) : undefined);
    checkVersion(organization, ifMatch);
    refuseWeakerSignIn(ctx, organization, patch);
    const { emailDomains } = patch;
    if (emailDomains !== undefined) {
      await refuseDuplicate(
        store.setEmailDomains(tx, id, emailDomains),
        "organization_domains_pkey",
        () => new HubError("name_taken", "Another organization has one of these domains."),
      );
    }
    const updated = await store.updateOrganization(tx, { ...organization, ...patch }, ctx.clock.now());
    await ctx.signals.publish(tx, "organization", updated.id);
    const { requiresTotp, requiresStepUp } = patch;
    if (requiresTotp !== undefined || requiresStepUp !== undefined) await signalUsers(tx, ctx, id);
    const { name, version } = updated;
    const own = { ...ctx, orgId: id };
    recordEvent(tx, own, { type: "organization.updated", objectId: id, data: { ...patch, name, version } });
    return updated;
  });
}

/** API keys are exempt from step-up, so a leaked key must not be able to switch step-up off. */
function refuseWeakerSignIn({ actor }: Ctx, organization: Organization, patch: OrganizationPatch): void {
  if (actor.type !== "api_key") return;
  const dropped = (["requiresTotp", "requiresStepUp"] as const).filter(
    (name) => organization[name] && patch[name] === false,
  );
  if (dropped.length === 0) return;
  const detail = `An API key cannot switch off ${dropped.join(" and ")}. An administrator who is signed in can.`;
  throw new HubError("admin_required", detail);
}

const organizations = perWorld((world) =>
  createSignalledCache<Organization>(
    world.signals,
    "organization",
    (id) => store.findOrganization(world.db, id),
    ({ id }) => id,
  ),
);

/** Read before each outbound request. Invalidated by signals, so that a change applies on every node at once. */
export async function findOutboundHosts(world: World, orgId: string): Promise<readonly string[]> {
  return (await organizations(world).get(orgId))?.outboundHosts ?? [];
}

/** The time zone of dates without one, and of "today". */
export async function findTimeZone(world: World, orgId: string): Promise<string> {
  return (await organizations(world).get(orgId))?.timezone ?? "UTC";
}

export async function findWorkingCalendar(world: World, orgId: string): Promise<WorkingCalendar> {
  const organization = await organizations(world).get(orgId);
  return {
    timezone: organization?.timezone ?? "UTC",
    workingDays: organization?.workingDays.map((name) => weekdays.indexOf(name) + 1) ?? defaultWorkingDays,
    holidays: new Set(organization?.holidays),
    cutoffTime: organization?.cutoffTime ?? null,
  };
}

/** Current calendar day in the organization's time zone. */
export async function today(ctx: Ctx): Promise<string> {
  return localDateOf(ctx.clock.now().toISOString(), await findTimeZone(ctx, ctx.orgId));
}

export async function findOperatorOrganization(ctx: Pick<Ctx, "db">): Promise<Organization | undefined> {
  return await store.findOperatorOrganization(ctx.db);
}

/** For hub operators, who may see every organization. */
export async function organizationExists(ctx: Pick<Ctx, "db">, id: string): Promise<boolean> {
  return (await store.findOrganization(ctx.db.acrossOrgs, id)) !== undefined;
}

function maySee(ctx: Ctx, id: string): boolean {
  return id === ctx.orgId || seesAll(ctx);
}

function seesAll(ctx: Ctx): boolean {
  return hasScope(ctx.principal.scopes, "organizations:write");
}
