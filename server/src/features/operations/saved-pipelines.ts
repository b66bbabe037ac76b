import { HubError, validationFailed } from "../../core/errors.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { notFound } from "../../core/resources.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { violatedConstraint } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { recordConditionSetUses } from "../condition-sets/condition-sets.ts";
import { setsOf } from "./action-catalog.ts";
import { atomicErrors, compilePipeline } from "./compile-pipeline.ts";
import type { ActionRequest, PipelinePatch, PipelineRequest, SavedPipeline } from "./operations.schemas.ts";
import * as store from "./saved-pipelines.store.ts";

export async function listPipelines(ctx: Ctx, query: PageRequest): Promise<Page<SavedPipeline>> {
  return await store.listPipelines(ctx.db, ctx.orgId, query);
}

export async function getPipeline(ctx: Ctx, id: string): Promise<SavedPipeline> {
  const pipeline = await store.findPipeline(ctx.db, ctx.orgId, id);
  if (!pipeline) throw notFound("pipeline");
  return pipeline;
}

/** Saved only if it would run: a pipeline that cannot is refused here, not when somebody needs it. */
export async function createPipeline(ctx: Ctx, request: PipelineRequest): Promise<SavedPipeline> {
  const on_error = request.on_error ?? "skip_order";
  const atomic = request.atomic ?? false;
  await compilePipeline(ctx, request.actions, { onError: on_error, isAtomic: atomic });
  return await change(ctx, async (tx) => {
    const fields = {
      name: request.name,
      description: request.description ?? "",
      actions: request.actions,
      on_error,
      atomic,
    };
    const pipeline = await refuseTakenName(
      store.insertPipeline(tx, ctx.orgId, { ...fields, id: ctx.newId(), at: ctx.clock.now() }),
    );
    await noteSets(tx, ctx, pipeline);
    const { name, version } = pipeline;
    await recordEvent(tx, ctx, { type: "pipeline.created", objectId: pipeline.id, data: { name, version } });
    return pipeline;
  });
}

export async function updatePipeline(
  ctx: Ctx,
  id: string,
  patch: PipelinePatch,
  ifMatch: number | undefined,
): Promise<SavedPipeline> {
  requirePatch(patch);
  if (patch.actions) await compilePipeline(ctx, patch.actions, { onError: "skip_order", isAtomic: false });
  return await change(ctx, async (tx) => {
    const current = await lock(tx, ctx, id);
    checkVersion(current, ifMatch);
    const next = { ...current, ...patch };
    const errors = atomicErrors(next.actions, next.atomic);
    if (errors.length > 0) throw validationFailed(errors);
    const updated = await refuseTakenName(store.updatePipeline(tx, ctx.orgId, { ...next, at: ctx.clock.now() }));
    await noteSets(tx, ctx, updated);
    const { name, version } = updated;
    await recordEvent(tx, ctx, { type: "pipeline.updated", objectId: id, data: { name, version } });
    return updated;
  });
}

export async function deletePipeline(ctx: Ctx, id: string, ifMatch: number | undefined) {
  return await change(ctx, async (tx) => {
    const pipeline = await lock(tx, ctx, id);
    checkVersion(pipeline, ifMatch);
    await recordConditionSetUses(tx, ctx, { type: "pipeline", id, name: pipeline.name }, []);
    await store.deletePipeline(tx, ctx.orgId, id);
    const { name, version } = pipeline;
    await recordEvent(tx, ctx, { type: "pipeline.deleted", objectId: id, data: { name, version } });
    return { id, deleted: true as const };
  });
}

async function lock(tx: Tx, ctx: Ctx, id: string): Promise<SavedPipeline> {
  const pipeline = await store.lockPipeline(tx, ctx.orgId, id);
  if (!pipeline) throw notFound("pipeline");
  return pipeline;
}

/** A condition set that a saved pipeline asks about cannot be deleted under it. */
async function noteSets(tx: Tx, ctx: Ctx, { id, name, actions }: SavedPipeline): Promise<void> {
  const sets = (actions as ActionRequest[]).flatMap((action) => setsOf(action));
  await recordConditionSetUses(tx, ctx, { type: "pipeline", id, name }, sets);
}

async function refuseTakenName(saved: Promise<SavedPipeline>): Promise<SavedPipeline> {
  try {
    return await saved;
  } catch (error) {
    if (violatedConstraint(error) !== "operation_pipelines_name_key") throw error;
    throw new HubError("name_taken", "Another pipeline has this name.");
  }
}
