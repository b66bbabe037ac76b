import { callerKey } from "../../core/actor.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx, World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import { scopeOfEvent } from "../../events/event-families.ts";
import { findScopesOfOwners } from "../users/users.ts";
import type { Automation, Reason } from "./automations.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";

type Asked = Pick<Ctx, "orgId" | "clock"> & { db: Queryable };

type Needs = Pick<StoredAutomation, "mode" | "task" | "event_types">;

/**
 * Scopes that an automation needs of its owner: to read its events, and for its pipeline or task. Scopes of actions are checked when
 * the pipeline is compiled.
 */
function neededScopes({ mode, task, event_types }: Needs): Scope[] {
  const events = (event_types ?? []).map((type) => scopeOfEvent(type as EventType));
  const acts: Scope[] = mode === "run" ? [task ? "tasks:execute" : "operations:run"] : [];
  const reads: Scope[] = task ? [] : ["orders:read", "operations:read"];
  return [...new Set([...reads, ...acts, ...events])];
}

/** A scope the automation needs and the owner lacks. */
export function missingScope(scopes: ReadonlySet<Scope>, automation: Needs): Scope | undefined {
  return neededScopes(automation).find((scope) => !hasScope(scopes, scope));
}

const ownerInactive = "The owner's account or API key no longer exists. Resume the automation to become its owner.";

type Owned = Pick<StoredAutomation, "owner"> & Needs;

/** Automations with the same key have the same rights. */
export function rightsKey(automation: Owned): string {
  return `${neededScopes(automation).join()} ${callerKey(automation.owner)}`;
}

/** The owner's current scopes, or why the automation cannot run. */
export async function findRights(
  ctx: Asked,
  automation: Owned,
): Promise<{ scopes: ReadonlySet<Scope>; blocked_reason?: undefined } | { blocked_reason: Reason }> {
  const owner = { orgId: ctx.orgId, actor: automation.owner };
  const scopes = (await findScopesOfOwners(ctx.db, [owner], ctx.clock.real())).get(callerKey(automation.owner));
  if (!scopes) return { blocked_reason: { code: "owner_inactive", message: ownerInactive } };
  const missing = missingScope(scopes, automation);
  if (missing === undefined) return { scopes };
  const message = `The owner lacks the scope ${missing}. Resume the automation to become its owner.`;
  return { blocked_reason: { code: "insufficient_scope", message } };
}

/** Acts as the automation, not as its owner. */
export function contextOf(world: World, orgId: string, { id, name }: Pick<Automation, "id" | "name">): Ctx {
  const ctx = systemContext(world, orgId, `automation ${name}`);
  return { ...ctx, db: world.db.forOrg(orgId), requestId: `automation:${id}` };
}
