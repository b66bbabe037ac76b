import { callerKey } from "../../core/actor.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx, World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { findScopesOfOwners } from "../users/users.ts";
import type { Automation, Reason } from "./automations.schemas.ts";

type Asked = Pick<Ctx, "orgId" | "clock"> & { db: Queryable };

/** What it takes to let it do what it does. The actions of the pipeline are asked about where it is compiled. */
export function missingScope(scopes: ReadonlySet<Scope>, mode: Automation["mode"]): Scope | undefined {
  const needed: Scope[] = ["orders:read", "operations:read", ...(mode === "run" ? (["operations:run"] as const) : [])];
  return needed.find((scope) => !hasScope(scopes, scope));
}

const gone = "Whoever made it has no account or key here any more. Resume it, and it is yours.";

type Maker = Pick<Automation, "owner" | "mode">;

/** What it may do: what its maker may at this moment; or why it may do nothing any more. */
export async function findRights(
  ctx: Asked,
  { owner: actor, mode }: Maker,
): Promise<{ scopes: ReadonlySet<Scope>; blocked_reason?: undefined } | { blocked_reason: Reason }> {
  const owner = { orgId: ctx.orgId, actor };
  const scopes = (await findScopesOfOwners(ctx.db, [owner], ctx.clock.real())).get(callerKey(actor));
  if (!scopes) return { blocked_reason: { code: "owner_inactive", message: gone } };
  const missing = missingScope(scopes, mode);
  if (missing === undefined) return { scopes };
  const message = `Whoever made it may not do it any more: it takes ${missing}. Resume it, and it is yours.`;
  return { blocked_reason: { code: "insufficient_scope", message } };
}

/** It is seen as what it is, and not as the person who made it. */
export function contextOf(world: World, orgId: string, { id, name }: Pick<Automation, "id" | "name">): Ctx {
  const ctx = systemContext(world, orgId, `automation ${name}`);
  return { ...ctx, db: world.db.forOrg(orgId), requestId: `automation:${id}` };
}
