import type { FieldError } from "../../core/errors.ts";
import type { World } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { findSets, loadSetLookup } from "../condition-sets/condition-sets.ts";
import { findTimeZone } from "../organizations/organizations.ts";
import type { CompiledMapping } from "./language/compile-mapping.ts";
import { compileMapping } from "./language/compile-mapping.ts";
import type { SetIds } from "./transformations.store.ts";

export type PreparedMappings = { compiled: CompiledMapping; setIds: SetIds };

/** Compiles mappings with their condition sets. `bound`: the ids that names of sets had when the mappings were saved. */
export async function prepareMappings(
  world: World,
  orgId: string,
  mappings: unknown,
  { bound, db = world.db }: { bound?: SetIds; db?: Queryable } = {},
): Promise<PreparedMappings | FieldError[]> {
  const timeZone = await findTimeZone(world, orgId);
  const named = new Set<string>();
  const note = (name: string) => {
    named.add(name);
    return () => false;
  };
  const first = compileMapping(mappings, note, timeZone);
  if (named.size === 0) return Array.isArray(first) ? first : { compiled: first, setIds: {} };
  const setIds = bound ?? (await bindNames(db, orgId, [...named]));
  const lookup = await loadSetLookup({ db, orgId }, Object.values(setIds));
  const find = (name: string) => {
    const key = name.toLowerCase();
    return Object.hasOwn(setIds, key) ? lookup(setIds[key]!) : undefined;
  };
  const compiled = compileMapping(mappings, find, timeZone);
  return Array.isArray(compiled) ? compiled : { compiled, setIds };
}

async function bindNames(db: Queryable, orgId: string, names: string[]): Promise<SetIds> {
  const sets = await findSets(db, orgId, names);
  const byKey = new Map(sets.flatMap(({ id, name }) => [[name.toLowerCase(), id] as const]));
  for (const { id } of sets) byKey.set(id, id);
  return Object.fromEntries(
    names.map((name) => name.toLowerCase()).flatMap((key) => (byKey.has(key) ? [[key, byKey.get(key)!]] : [])),
  );
}
