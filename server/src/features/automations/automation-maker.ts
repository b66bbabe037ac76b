import { callerKey } from "../../core/actor.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx, World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { findScopesOfOwners } from "../users/users.ts";
import type { Automation, Reason } from "./automations.schemas.ts";

type Asked = Pick<Ctx, "orgId" | "clock"> & { db: Queryable };

/** A scope the automation needs and the owner lacks. Scopes of actions are checked when the pipeline is compiled. */
export function missingScope(scopes: ReadonlySet<Scope>, mode: Automation["mode"]): Scope | undefined {
  const needed: Scope[] = ["orders:read", "operations:read", ...(mode === "run" ? (["operations:run"] as const) : [])];
  return needed.find((scope) => !hasScope(scopes, scope));
}

const ownerInactive = "The owner's account or API key no longer exists. Resume the automation to become its owner.";

type Owned = Pick<Automation, "owner" | "mode">;

/** The owner's current scopes, or why the automation cannot run. */
export async function findRights(
  ctx: Asked,
  { owner: actor, mode }: Owned,
): Promise<{ scopes: ReadonlySet<Scope>; blocked_reason?: undefined } | { blocked_reason: Reason }> {
  const owner = { orgId: ctx.orgId, actor };
  const scopes = (await findScopesOfOwners(ctx.db, [owner], ctx.clock.real())).get(callerKey(actor));
  if (!scopes) return { blocked_reason: { code: "owner_inactive", message: ownerInactive } };
  const missing = missingScope(scopes, mode);
  if (missing === undefined) return { scopes };
  const message = `The owner lacks the scope ${missing}. Resume the automation to become its owner.`;
  return { blocked_reason: { code: "insufficient_scope", message } };
}

/** Acts as the automation, not as its owner. */
export function contextOf(world: World, orgId: string, { id, name }: Pick<Automation, "id" | "name">): Ctx {
  const ctx = systemContext(world, orgId, `automation ${name}`);
  return { ...ctx, db: world.db.forOrg(orgId), requestId: `automation:${id}` };
}
