import type { Actor } from "../../core/actor.ts";
import { callerKey } from "../../core/actor.ts";
import { HubError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx, World } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { findScopesOfOwners } from "../users/users.ts";
import type { PauseReason } from "./schedules.schemas.ts";

/** A schedule executes a task, so its owner needs the scope for that. */
const needed: Scope = "tasks:execute";

/** Without this check a caller without `tasks:execute` could execute tasks through a schedule. */
export function requireExecute({ principal }: Pick<Ctx, "principal">): void {
  const { scopes } = principal;
  if (hasScope(scopes, needed)) return;
  const message = `A schedule executes a task with the permissions of its owner. This also requires the scope ${needed}.`;
  throw new HubError("insufficient_scope", message, { extra: { required: [needed], granted: [...scopes] } });
}

type Owned = { id: string; orgId: string; owner: Actor | null };

/**
 * Schedules that must not run, by id, with the reason. A schedule without an owner was created before owners existed: it runs as before
 * until a caller changes it and becomes its owner.
 */
export async function findPauseReasons(
  { clock }: Pick<World, "clock">,
  db: Queryable,
  schedules: readonly Owned[],
): Promise<ReadonlyMap<string, PauseReason>> {
  const owners = schedules.flatMap(({ orgId, owner }) => (owner ? [{ orgId, actor: owner }] : []));
  const scopes = await findScopesOfOwners(db, owners, clock.real());
  return new Map(
    schedules.flatMap(({ id, owner }) => {
      const reason = owner ? reasonToPause(scopes.get(callerKey(owner))) : undefined;
      return reason ? [[id, reason]] : [];
    }),
  );
}

function reasonToPause(scopes: ReadonlySet<Scope> | undefined): PauseReason | undefined {
  if (!scopes) {
    const message =
      "The owner's account or API key was disabled, deleted or has expired. Resume the schedule to own it.";
    return { code: "owner_inactive", message };
  }
  if (hasScope(scopes, needed)) return undefined;
  return {
    code: "insufficient_scope",
    message: `The owner no longer has the scope ${needed}. Resume the schedule to own it.`,
  };
}
