import type { Ctx, World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import type { BridgeRow } from "./bridges.store.ts";
import { findBridgesAcrossOrgs } from "./bridges.store.ts";

type Loading = { ids: Set<string>; found: Promise<Map<string, BridgeRow>> };
const rooms = perWorld(() => ({ next: undefined as Loading | undefined }));

/** Callers of one moment, who often mean the same bridge, share one look at the database. */
export async function findBridgeTogether(ctx: Ctx, id: string): Promise<BridgeRow | undefined> {
  const room = rooms(ctx);
  room.next ??= startLoading(ctx, room);
  const key = id.toLowerCase();
  room.next.ids.add(key);
  const row = (await room.next.found).get(key);
  return row?.org_id === ctx.orgId ? row : undefined;
}

function startLoading(world: World, room: { next: Loading | undefined }): Loading {
  const ids = new Set<string>();
  const load = async (): Promise<Map<string, BridgeRow>> => {
    await new Promise(setImmediate);
    room.next = undefined;
    return new Map((await findBridgesAcrossOrgs(world.db, [...ids])).map((row) => [row.id, row]));
  };
  return { ids, found: load() };
}
