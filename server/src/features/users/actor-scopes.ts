import type { Actor } from "../../core/actor.ts";
import { callerKey } from "../../core/actor.ts";
import type { Scope } from "../../core/scopes.ts";
import { scopesOfRole } from "../../core/scopes.ts";
import type { Queryable } from "../../db/database.ts";
import { findScopesOfKeys } from "../api-keys/api-keys.ts";
import { findActiveRoles } from "./users.store.ts";

/** The user or API key that owns a record, and the organization of that record. */
type OwnerReference = { orgId: string; actor: Actor };

/**
 * Current scopes of the owners of records, by `callerKey`. Owners that were disabled or deleted, and expired keys, are absent.
 * Runs two statements for any number of owners.
 */
export async function findScopesOfOwners(
  db: Queryable,
  owners: readonly OwnerReference[],
  at: Date,
): Promise<ReadonlyMap<string, ReadonlySet<Scope>>> {
  const distinct = [...new Map(owners.map((owner) => [callerKey(owner.actor), owner])).values()];
  const ofType = (type: "user" | "api_key"): { orgId: string; id: string }[] =>
    distinct.flatMap(({ orgId, actor }) => (actor.type === type ? [{ orgId, id: actor.id }] : []));
  const found = new Map<string, ReadonlySet<Scope>>();
  for (const { id, scopes } of await findScopesOfKeys(db, ofType("api_key"), at)) {
    found.set(`api_key:${id}`, new Set(scopes));
  }
  for (const { id, role } of await findActiveRoles(db, ofType("user"))) {
    found.set(`user:${id}`, new Set(scopesOfRole(role, false)));
  }
  // The hub creates the demo records of the preview.
  for (const { actor } of distinct) if (actor.type === "system") found.set(callerKey(actor), new Set(["admin"]));
  return found;
}
