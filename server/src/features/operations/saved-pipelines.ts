import { createHash } from "node:crypto";
import { callerKey } from "../../core/actor.ts";
import { badField, errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { secretErrors } from "../../core/mask-secrets.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { notFound } from "../../core/resources.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseIfReferred, refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { recordConditionSetUses } from "../condition-sets/condition-sets.ts";
import { setsOf } from "./action-catalog.ts";
import { atomicErrors, compilePipeline } from "./compile-pipeline.ts";
import type { Pipeline } from "./evaluate.ts";
import type { ActionRequest, RunBody } from "./operations.schemas.ts";
import type { PipelinePatch, PipelineRequest, SavedPipeline } from "./saved-pipelines.schemas.ts";
import { presentPipeline } from "./present-run.ts";
import type { StoredPipeline } from "./saved-pipelines.store.ts";
import { listVisible, pipelines } from "./saved-pipelines.store.ts";

export async function listPipelines(ctx: Ctx, query: PageRequest): Promise<Page<SavedPipeline>> {
  const page = await listVisible(ctx.db, ctx.orgId, callerKey(ctx.actor), query);
  return mapPage(page, (pipeline) => present(ctx, pipeline));
}

export async function getPipeline(ctx: Ctx, id: string): Promise<SavedPipeline> {
  return present(ctx, requireVisible(ctx, await pipelines.get(ctx.db, ctx.orgId, id)));
}

/** Private pipelines of other callers are reported as not found. */
function requireVisible(ctx: Ctx, pipeline: StoredPipeline): StoredPipeline {
  if (pipeline.is_shared || pipeline.owner === callerKey(ctx.actor)) return pipeline;
  throw notFound("pipeline");
}

function present(ctx: Ctx, pipeline: StoredPipeline): SavedPipeline {
  return presentPipeline(ctx, { ...pipeline, is_own: pipeline.owner === callerKey(ctx.actor) });
}

type PipelineParts = Pick<RunBody, "pipeline_id" | "actions" | "on_error" | "atomic">;

/** The request, with actions and options of its saved pipeline where it has none. */
export async function withSavedPipeline<Body extends PipelineParts>(
  ctx: Ctx,
  body: Body,
): Promise<Body & { actions: ActionRequest[] }> {
  const { pipeline_id: id, actions } = body;
  if (id === undefined) {
    if (actions === undefined) throw badField("/actions", "required", "Either `actions` or `pipeline_id` is required.");
    refuseSecrets(actions);
    return { ...body, actions };
  }
  const saved = await getStored(ctx, id);
  if (actions !== undefined) refuseSecrets(actions);
  if (actions !== undefined) return { ...body, actions };
  return {
    ...body,
    actions: saved.actions as ActionRequest[],
    on_error: body.on_error ?? saved.on_error,
    atomic: body.atomic ?? saved.atomic,
  };
}

/** Checks only actions in the request: saved pipelines can be older than this rule. */
function refuseSecrets(actions: readonly ActionRequest[]): void {
  const errors = actions.flatMap(({ type, params }, index) => {
    const { input } = (params ?? {}) as { input?: unknown };
    const isTask = type === "run_task" && typeof input === "object" && input !== null;
    return isTask ? errorsAt(`/actions/${index}/params/input`, secretErrors(input as Record<string, unknown>)) : [];
  });
  if (errors.length > 0) throw validationFailed(errors);
}

async function getStored(ctx: Ctx, id: string): Promise<StoredPipeline> {
  try {
    return requireVisible(ctx, await pipelines.get(ctx.db, ctx.orgId, id));
  } catch (error) {
    // The path of the request was found: the field is invalid.
    if (!(error instanceof HubError) || error.code !== "pipeline_not_found") throw error;
    throw badField("/pipeline_id", "pipeline_not_found", "The pipeline does not exist.");
  }
}

/** Compiled before it is saved, so that errors show now and not on its first run. */
export async function createPipeline(ctx: Ctx, request: PipelineRequest): Promise<SavedPipeline> {
  const { name, description = "", actions, on_error = "skip_order", atomic = false } = request;
  const { hotkey = null, is_shared = true } = request;
  refuseSecrets(actions);
  await compilePipeline(ctx, actions, { onError: on_error, isAtomic: atomic });
  return await change(ctx, async (tx) => {
    const at = ctx.clock.now().toISOString();
    const times = { created_at: at, updated_at: at };
    const parts = { name, description, actions, on_error, atomic, hotkey, is_shared };
    const pipeline = { id: ctx.newId(), ...parts, owner: callerKey(ctx.actor), ...times, version: 1 };
    await save(tx, ctx, pipeline, "created");
    return present(ctx, pipeline);
  });
}

export async function updatePipeline(
  ctx: Ctx,
  id: string,
  patch: PipelinePatch,
  ifMatch: IfMatch,
): Promise<SavedPipeline> {
  requirePatch(patch);
  if (patch.actions) refuseSecrets(patch.actions);
  if (patch.actions) await compilePipeline(ctx, patch.actions, { onError: "skip_order", isAtomic: false });
  return await change(ctx, async (tx) => {
    const current = requireVisible(ctx, await pipelines.lock(tx, ctx.orgId, id));
    checkVersion(current, ifMatch);
    const updated_at = ctx.clock.now().toISOString();
    const next = { ...current, ...patch, updated_at, version: current.version + 1 };
    const errors = atomicErrors(next.actions, next.atomic);
    if (errors.length > 0) throw validationFailed(errors);
    if (current.is_shared && !next.is_shared) next.owner = ownerWhenHidden(ctx, current);
    await save(tx, ctx, next, "updated");
    return present(ctx, next);
  });
}

/** Only the owner can stop sharing a pipeline. Without a recorded owner, the caller becomes the owner. */
function ownerWhenHidden(ctx: Ctx, { owner }: StoredPipeline): string {
  const caller = callerKey(ctx.actor);
  if (owner === null || owner === caller) return caller;
  throw badField("/is_shared", "not_owner", "Only the owner can stop sharing the pipeline.");
}

export async function deletePipeline(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const { name, version } = requireVisible(ctx, await pipelines.lock(tx, ctx.orgId, id));
    checkVersion({ version }, ifMatch);
    await recordConditionSetUses(tx, ctx, { type: "pipeline", id, name }, []);
    await refuseIfReferred(
      pipelines.remove(tx, ctx.orgId, id),
      "automations_pipeline_fkey",
      () => new HubError("pipeline_in_use", "Automations use this pipeline; see GET /automations?pipeline_id=."),
    );
    recordEvent(tx, ctx, { type: "pipeline.deleted", objectId: id, data: { name, version } });
    return { id, deleted: true as const };
  });
}

/** A compiled saved pipeline. `digest` covers its actions and options, not its name. */
/** What a run needs of a pipeline. `id`: null if it is not saved. */
export type RunnablePipeline = {
  saved: Pick<StoredPipeline, "actions" | "on_error" | "atomic"> & { id: string | null };
  pipeline: Pipeline;
};
export type OpenPipeline = { saved: StoredPipeline; pipeline: Pipeline; digest: string };

/**
 * `when`: a condition on the orders. Throws if pipeline or condition is invalid. The hub may open private pipelines: the owner of the
 * automation chose it.
 */
export async function openPipeline(ctx: Ctx, id: string, when: object | null): Promise<OpenPipeline> {
  const stored = await pipelines.get(ctx.db, ctx.orgId, id);
  const saved = ctx.actor.type === "system" ? stored : requireVisible(ctx, stored);
  const { actions, on_error: onError, atomic: isAtomic } = saved;
  const pipeline = await compilePipeline(ctx, actions as ActionRequest[], { onError, isAtomic, when });
  return { saved, pipeline, digest: digestOf(saved) };
}

/** Actions of the hub itself, which are not saved, for `queueRun`. Throws if the caller may not run them. */
export async function openActions(ctx: Ctx, actions: ActionRequest[]): Promise<RunnablePipeline> {
  const pipeline = await compilePipeline(ctx, actions, { onError: "skip_order", isAtomic: false });
  return { saved: { id: null, actions, on_error: "skip_order", atomic: false }, pipeline };
}

/** A condition on orders, as a pipeline without actions. Throws if it is invalid. */
export async function openCondition(ctx: Ctx, when: object): Promise<Pipeline> {
  return await compilePipeline(ctx, [], { onError: "continue", isAtomic: false, when });
}

function digestOf({ actions, on_error, atomic }: StoredPipeline): string {
  return createHash("sha256")
    .update(JSON.stringify([actions, on_error, atomic]))
    .digest("hex");
}

export async function findPipelineDigests(db: Queryable, orgId: string, ids: string[]): Promise<Map<string, string>> {
  const all = { page: 1, limit: Math.max(1, ids.length) };
  const { data } = await pipelines.list(db, orgId, all, [["t.id = any(?)", ids]]);
  return new Map(data.map((saved) => [saved.id, digestOf(saved)]));
}

async function save(tx: Tx, ctx: Ctx, pipeline: StoredPipeline, what: "created" | "updated"): Promise<void> {
  const { id, name, actions, version, hotkey } = pipeline;
  const write = what === "created" ? pipelines.insert : pipelines.update;
  const nameTaken = () => new HubError("name_taken", "Another pipeline has this name.");
  const keyTaken = () => new HubError("hotkey_taken", `Another pipeline uses the hotkey ${hotkey}.`);
  const refusals = [
    ["operation_pipelines_name_key", nameTaken],
    ["operation_pipelines_own_name_key", nameTaken],
    ["operation_pipelines_hotkey_key", keyTaken],
    ["operation_pipelines_own_hotkey_key", keyTaken],
  ] as const;
  const written = refusals.reduce(
    (saving, [constraint, refusal]) => refuseDuplicate(saving, constraint, refusal),
    write(tx, ctx.orgId, pipeline),
  );
  await written;
  // A condition set that a saved pipeline uses cannot be deleted.
  const sets = (actions as ActionRequest[]).flatMap(setsOf);
  await recordConditionSetUses(tx, ctx, { type: "pipeline", id, name }, sets);
  recordEvent(tx, ctx, { type: `pipeline.${what}`, objectId: id, data: { name, version } });
}
