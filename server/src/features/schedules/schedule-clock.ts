import { readSetting } from "../../core/clock.ts";
import type { World } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import * as store from "./schedules.store.ts";

/** What is due is decided by the clock of the database, so that a node whose own clock is wrong changes nothing. */
export async function scheduleNow(world: World, db: Queryable): Promise<number> {
  return asSet(world, await store.readDatabaseClock(db));
}

/** The preview may have set its clock to another time. */
export function asSet(world: World, databaseTime: Date): number {
  return readSetting(world.clock.setting(), databaseTime).getTime();
}
