import { createHash } from "node:crypto";
import { HubError, validationFailed } from "../../core/errors.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseIfReferred, refuseTwin } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { recordConditionSetUses } from "../condition-sets/condition-sets.ts";
import { setsOf } from "./action-catalog.ts";
import { atomicErrors, compilePipeline } from "./compile-pipeline.ts";
import type { Pipeline } from "./evaluate.ts";
import type { ActionRequest, PipelinePatch, PipelineRequest, SavedPipeline } from "./operations.schemas.ts";
import { presentPipeline } from "./present-run.ts";
import { pipelines } from "./saved-pipelines.store.ts";

export async function listPipelines(ctx: Ctx, query: PageRequest): Promise<Page<SavedPipeline>> {
  return mapPage(await pipelines.list(ctx.db, ctx.orgId, query), (pipeline) => presentPipeline(ctx, pipeline));
}

export async function getPipeline(ctx: Ctx, id: string): Promise<SavedPipeline> {
  return presentPipeline(ctx, await pipelines.get(ctx.db, ctx.orgId, id));
}

/** Saved only if it would run: a pipeline that cannot is refused here, not when somebody needs it. */
export async function createPipeline(ctx: Ctx, request: PipelineRequest): Promise<SavedPipeline> {
  const { name, description = "", actions, on_error = "skip_order", atomic = false } = request;
  await compilePipeline(ctx, actions, { onError: on_error, isAtomic: atomic });
  return await change(ctx, async (tx) => {
    const at = ctx.clock.now().toISOString();
    const times = { created_at: at, updated_at: at };
    const pipeline = { id: ctx.newId(), name, description, actions, on_error, atomic, ...times, version: 1 };
    await save(tx, ctx, pipeline, "created");
    return pipeline;
  });
}

export async function updatePipeline(
  ctx: Ctx,
  id: string,
  patch: PipelinePatch,
  ifMatch: IfMatch,
): Promise<SavedPipeline> {
  requirePatch(patch);
  if (patch.actions) await compilePipeline(ctx, patch.actions, { onError: "skip_order", isAtomic: false });
  return await change(ctx, async (tx) => {
    const current = await pipelines.lock(tx, ctx.orgId, id);
    checkVersion(current, ifMatch);
    const updated_at = ctx.clock.now().toISOString();
    const next = { ...current, ...patch, updated_at, version: current.version + 1 };
    const errors = atomicErrors(next.actions, next.atomic);
    if (errors.length > 0) throw validationFailed(errors);
    await save(tx, ctx, next, "updated");
    return presentPipeline(ctx, next);
  });
}

export async function deletePipeline(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const { name, version } = await pipelines.lock(tx, ctx.orgId, id);
    checkVersion({ version }, ifMatch);
    await recordConditionSetUses(tx, ctx, { type: "pipeline", id, name }, []);
    await refuseIfReferred(
      pipelines.remove(tx, ctx.orgId, id),
      "automations_pipeline_fkey",
      () => new HubError("pipeline_in_use", "Automations use this pipeline: GET /automations?pipeline_id= lists them."),
    );
    await recordEvent(tx, ctx, { type: "pipeline.deleted", objectId: id, data: { name, version } });
    return { id, deleted: true as const };
  });
}

/** A saved pipeline, ready to be run by this caller. `digest`: of all that it does, so not of its name. */
export type OpenPipeline = { saved: SavedPipeline; pipeline: Pipeline; digest: string };

/** `when`: which orders it is for, as a condition. Throws what is wrong with either. */
export async function openPipeline(ctx: Ctx, id: string, when: object | null): Promise<OpenPipeline> {
  const saved = await pipelines.get(ctx.db, ctx.orgId, id);
  const { actions, on_error: onError, atomic: isAtomic } = saved;
  const pipeline = await compilePipeline(ctx, actions as ActionRequest[], { onError, isAtomic, when });
  return { saved, pipeline, digest: digestOf(saved) };
}

function digestOf({ actions, on_error, atomic }: SavedPipeline): string {
  return createHash("sha256")
    .update(JSON.stringify([actions, on_error, atomic]))
    .digest("hex");
}

export async function findPipelineDigests(db: Queryable, orgId: string, ids: string[]): Promise<Map<string, string>> {
  const all = { page: 1, limit: Math.max(1, ids.length) };
  const { data } = await pipelines.list(db, orgId, all, [["t.id = any(?)", ids]]);
  return new Map(data.map((saved) => [saved.id, digestOf(saved)]));
}

async function save(tx: Tx, ctx: Ctx, pipeline: SavedPipeline, what: "created" | "updated"): Promise<void> {
  const { id, name, actions, version } = pipeline;
  const write = what === "created" ? pipelines.insert : pipelines.update;
  await refuseTwin(
    write(tx, ctx.orgId, pipeline),
    "operation_pipelines_name_key",
    () => new HubError("name_taken", "Another pipeline has this name."),
  );
  // A condition set that a saved pipeline asks about cannot be deleted under it.
  const sets = (actions as ActionRequest[]).flatMap(setsOf);
  await recordConditionSetUses(tx, ctx, { type: "pipeline", id, name }, sets);
  await recordEvent(tx, ctx, { type: `pipeline.${what}`, objectId: id, data: { name, version } });
}
