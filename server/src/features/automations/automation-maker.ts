import type { Actor } from "../../core/actor.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope, scopesOfRole } from "../../core/scopes.ts";
import type { Ctx, World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { findScopesOfKey } from "../api-keys/api-keys.ts";
import { findIdentityAcrossOrgs } from "../users/users.ts";
import type { Automation, Reason } from "./automations.schemas.ts";

type Asked = Pick<Ctx, "orgId" | "clock"> & { db: Queryable };

/** What the maker of an automation may do now. Undefined: they are gone, or disabled; a key was deleted or has ended. */
async function findScopes(ctx: Asked, maker: Actor): Promise<Set<Scope> | undefined> {
  if (maker.type === "api_key") {
    const scopes = await findScopesOfKey(ctx.db, ctx.orgId, maker.id, ctx.clock.real());
    return scopes && new Set(scopes);
  }
  if (maker.type === "user") {
    const user = await findIdentityAcrossOrgs(ctx.db, maker.id);
    if (!user?.isActive || user.orgId !== ctx.orgId) return undefined;
    return new Set(scopesOfRole(user.role, false));
  }
  // The hub itself, which makes some for the preview.
  return new Set(["admin"]);
}

/** What it takes to let it do what it does. The actions of the pipeline are asked about where it is compiled. */
export function missingScope(scopes: ReadonlySet<Scope>, mode: Automation["mode"]): Scope | undefined {
  const needed: Scope[] = [
    "orders:read",
    "operations:read",
    ...(mode === "active" ? (["operations:run"] as const) : []),
  ];
  return needed.find((scope) => !hasScope(scopes, scope));
}

const gone = "Whoever made it has no account or key here any more. Resume it, and it is yours.";

type Maker = Pick<Automation, "made_by" | "mode">;

/** What it may do: what its maker may at this moment; or why it may do nothing any more. */
export async function findRights(
  ctx: Asked,
  { made_by, mode }: Maker,
): Promise<{ scopes: ReadonlySet<Scope>; trouble?: undefined } | { trouble: Reason }> {
  const scopes = await findScopes(ctx, made_by);
  if (!scopes) return { trouble: { code: "maker_gone", message: gone } };
  const missing = missingScope(scopes, mode);
  if (missing === undefined) return { scopes };
  const message = `Whoever made it may not do it any more: it takes ${missing}. Resume it, and it is yours.`;
  return { trouble: { code: "insufficient_scope", message } };
}

/** It is seen as what it is, and not as the person who made it. */
export function contextOf(world: World, orgId: string, { id, name }: Pick<Automation, "id" | "name">): Ctx {
  const ctx = systemContext(world, orgId, `automation ${name}`);
  return { ...ctx, db: world.db.forOrg(orgId), requestId: `automation:${id}` };
}
