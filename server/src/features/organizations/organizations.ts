import type { Page } from "../../core/page.ts";
import { badField, HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import { hasScope } from "../../core/scopes.ts";
import { isTimeZone, localDateOf } from "../../core/time-zones.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx, World } from "../../context.ts";
import { change, perWorld } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { refuseTwin } from "../../db/database.ts";
import { createSignalledCache } from "../../db/signalled-cache.ts";
import { recordEvent } from "../../events/record-event.ts";
import { addUser, signalUsers } from "../users/users.ts";
import { refuseWeakPassword } from "../../core/password-rules.ts";
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

/** A new tenant of this hub with its first administrator. Its events belong to the new organization. */
export async function createOrganization(ctx: Ctx, request: OrganizationRequest): Promise<Organization> {
  const { email, password } = request.admin;
  refuseWeakPassword(password, { email, organization: request.name }, "/admin/password");
  const passwordHash = await hashPassword(password, ctx.settings.passwordCost);
  return await change(ctx, (tx) =>
    addOrganization(tx, ctx, {
      name: request.name,
      isOperator: false,
      admin: { email, name: request.admin.name ?? email, passwordHash },
    }),
  );
}

export type NewOrganization = {
  name: string;
  isOperator: boolean;
  admin: { email: string; name: string; passwordHash: string };
};

export async function addOrganization(
  tx: Tx,
  ctx: Ctx,
  { name, isOperator, admin }: NewOrganization,
): Promise<Organization> {
  const id = ctx.newId();
  const organization = await store.insertOrganization(tx, { id, name, isOperator, at: ctx.clock.now() });
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
  if (patch.timeZone !== undefined && !isTimeZone(patch.timeZone)) {
    const message = "This is no time zone. They have names such as America/New_York or Europe/Berlin.";
    throw badField("/timeZone", "unknown_timezone", message);
  }
  // Any organization could else recognise the people of another one as its own.
  if (patch.emailDomains !== undefined && !seesAll(ctx)) {
    throw new HubError("insufficient_scope", "Those who run the hub say which domains are an organization's own.", {
      extra: { required: ["organizations:write"], granted: [...ctx.principal.scopes] },
    });
  }
  // Of another organization than one's own, for those who run the hub; everybody else finds none there.
  const db = id === ctx.orgId ? ctx.db : ctx.db.acrossOrgs;
  return await change({ ...ctx, db }, async (tx) => {
    const organization = orNotFound("organization", maySee(ctx, id) ? await store.lockOrganization(tx, id) : undefined);
    checkVersion(organization, ifMatch);
    refuseUnsafe(ctx, organization, patch);
    const { emailDomains } = patch;
    if (emailDomains !== undefined) {
      await refuseTwin(
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
function refuseUnsafe({ actor }: Ctx, organization: Organization, patch: OrganizationPatch): void {
  if (actor.type !== "api_key") return;
  const dropped = (["requiresTotp", "requiresStepUp"] as const).filter(
    (name) => organization[name] && patch[name] === false,
  );
  if (dropped.length === 0) return;
  const detail = `An API key cannot switch off ${dropped.join(" and ")}. An administrator who is signed in can.`;
  throw new HubError("admin_required", detail);
}

const known = perWorld((world) =>
  createSignalledCache<Organization>(
    world.signals,
    "organization",
    (id) => store.findOrganization(world.db, id),
    ({ id }) => id,
  ),
);

/** As it is now on any node: whoever calls out for an organization asks before each request. */
export async function findOutboundHosts(world: World, orgId: string): Promise<readonly string[]> {
  return (await known(world).get(orgId))?.outboundHosts ?? [];
}

/** The zone that a day without a zone is meant in, wherever one is given, and in which it is today. */
export async function findTimeZone(world: World, orgId: string): Promise<string> {
  return (await known(world).get(orgId))?.timeZone ?? "UTC";
}

/** The calendar day that it is now for the organization. */
export async function today(ctx: Ctx): Promise<string> {
  return localDateOf(ctx.clock.now().toISOString(), await findTimeZone(ctx, ctx.orgId));
}

export async function findOperatorOrganization(ctx: Pick<Ctx, "db">): Promise<Organization | undefined> {
  return await store.findOperatorOrganization(ctx.db);
}

/** For those who may look at any organization. */
export async function organizationExists(ctx: Pick<Ctx, "db">, id: string): Promise<boolean> {
  return (await store.findOrganization(ctx.db.acrossOrgs, id)) !== undefined;
}

function maySee(ctx: Ctx, id: string): boolean {
  return id === ctx.orgId || seesAll(ctx);
}

function seesAll(ctx: Ctx): boolean {
  return hasScope(ctx.principal.scopes, "organizations:write");
}
