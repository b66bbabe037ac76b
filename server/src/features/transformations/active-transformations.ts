import type { Ctx, World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { makeOnce } from "../../core/make-once.ts";
import type { Tx } from "../../db/database.ts";
import { createSignalledCache } from "../../db/signalled-cache.ts";
import { findSets } from "../condition-sets/condition-sets.ts";
import { findTimeZone } from "../organizations/organizations.ts";
import { prepareMappings } from "./prepare-mappings.ts";
import type { MappingResult } from "./language/run-mapping.ts";
import { runMapping } from "./language/run-mapping.ts";
import type { Transformation } from "./transformations.schemas.ts";
import type { ActiveRow } from "./transformations.store.ts";
import * as store from "./transformations.store.ts";

/** A transformation that runs on the data of a task. `run` never throws. */
export type ActiveTransformation = {
  id: string;
  version: number;
  mode: Transformation["mode"];
  usesNow: boolean;
  run(data: unknown, now?: Date): MappingResult;
};
export type ActiveTransformations = { inbound?: ActiveTransformation; outbound?: ActiveTransformation };

type Task = { orgId: string; bridgeId: string; taskName: string };
type Cached = { stamp: string; load: () => Promise<ActiveTransformation | undefined> };

const maxKept = 1_000;
/** Compiled transformations by id; used only for the current version in the database. */
const compiledOnes = perWorld(() => new Map<string, Cached>());

type Active = { orgId: string; rows: ActiveRow[] };

/** The active transformations of a task, also if there are none; cached until a signal reports a change. */
const activeOnes = perWorld((world) =>
  createSignalledCache<Active>(
    world.signals,
    "transformation",
    async (key) => {
      const { orgId, bridgeId, taskName } = JSON.parse(key) as Task;
      return { orgId, rows: await store.listActive(world.db, orgId, bridgeId, taskName) };
    },
    ({ orgId }) => orgId,
  ),
);

/** Needs no query unless they were changed or use condition sets, whose versions are checked. */
export async function loadActiveTransformations(
  world: World,
  { orgId, bridgeId, taskName }: Task,
): Promise<ActiveTransformations> {
  const found = await activeOnes(world).get(JSON.stringify({ orgId, bridgeId, taskName } satisfies Task));
  const active: ActiveTransformations = {};
  for (const row of found?.rows ?? []) {
    const loaded = await load(world, orgId, row);
    if (loaded) active[row.direction] = loaded;
  }
  return active;
}

/** Called in the transaction of every change; the response is sent after all nodes were notified. */
export async function announceTransformations(tx: Tx, ctx: Ctx): Promise<void> {
  await ctx.signals.publish(tx, "transformation", ctx.orgId);
}

async function load(world: World, orgId: string, row: ActiveRow): Promise<ActiveTransformation | undefined> {
  const { db } = world;
  const kept = compiledOnes(world);
  const sets = await findSets(db, orgId, Object.values(row.set_ids));
  const timeZone = await findTimeZone(world, orgId);
  const stamp = [row.version, timeZone, ...sets.map((set) => `${set.id}@${set.version}`)].join(" ");
  let known = kept.get(row.id);
  if (known?.stamp !== stamp) {
    if (kept.size >= maxKept) kept.clear();
    // Cached before it is compiled: otherwise each of many concurrent tasks would compile it.
    known = { stamp, load: makeOnce(() => compileActive(world, orgId, row.id)) };
    kept.set(row.id, known);
  }
  const active = await known.load();
  if (!active) kept.delete(row.id);
  return active;
}

async function compileActive(world: World, orgId: string, rowId: string): Promise<ActiveTransformation | undefined> {
  const found = await store.findActive(world.db, orgId, rowId);
  if (!found) return undefined;
  const { id, version, mode, mappings, setIds } = found;
  const prepared = await prepareMappings(world, orgId, mappings, { bound: setIds });
  return {
    id,
    version,
    mode,
    usesNow: !Array.isArray(prepared) && prepared.compiled.usesNow,
    run: Array.isArray(prepared)
      ? // It was valid when it was saved: a record it refers to was deleted since.
        () => ({
          ok: false,
          errors: prepared.map(({ pointer: path, code, message }) => ({ index: -1, target: "", path, code, message })),
        })
      : (data, now) =>
          // Without mappings everything passes unchanged, so there is nothing to merge.
          mode === "extend" && mappings.length === 0
            ? { ok: true, output: {} }
            : runMapping(prepared.compiled, data, now ? () => now : world.clock.now),
  };
}
