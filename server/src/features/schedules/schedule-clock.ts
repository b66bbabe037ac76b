import { readSetting } from "../../core/clock.ts";
import type { World } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import * as store from "./schedules.store.ts";

/** The clock of the database decides what is due, so that a node with a wrong clock does no harm. */
export async function scheduleNow(world: World, db: Queryable): Promise<number> {
  return asSet(world, await store.readDatabaseClock(db));
}

/** Applies the offset of the preview clock. */
export function asSet(world: World, databaseTime: Date): number {
  return readSetting(world.clock.setting(), databaseTime).getTime();
}
