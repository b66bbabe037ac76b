import { findConnector } from "../../connectors/installed-connectors.ts";
import type { FieldError } from "../../core/errors.ts";
import { badField, HubError, validationFailed } from "../../core/errors.ts";
import { alternatives } from "../../core/nearest.ts";
import type { Page } from "../../core/page.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, nextVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { violatedConstraint } from "../../db/database.ts";
import type { Happening, NewEvent } from "../../events/event-catalogue.ts";
import { recordEvent, recordEvents } from "../../events/record-event.ts";
import { getBridge, holdBridge, listTasks } from "../bridges/bridges.ts";
import { recordConditionSetUses } from "../condition-sets/condition-sets.ts";
import { announceTransformations } from "./active-transformations.ts";
import type { PreparedMappings } from "./prepare-mappings.ts";
import { prepareMappings } from "./prepare-mappings.ts";
import { findTargetProblems, targetWarnings } from "./record-targets.ts";
import type {
  RollbackRequest,
  SavedTransformation,
  Transformation,
  TransformationPatch,
  TransformationQuery,
  TransformationRequest,
  TransformationVersion,
  VersionsQuery,
} from "./transformations.schemas.ts";
import type { SetIds, StoredTransformation } from "./transformations.store.ts";
import * as store from "./transformations.store.ts";

export { loadActiveTransformations } from "./active-transformations.ts";
export type { ActiveTransformation } from "./active-transformations.ts";
export { compileRecordTemplate } from "./language/record-template.ts";
export type { RecordTemplate } from "./language/record-template.ts";
export { runMapping } from "./language/run-mapping.ts";
export { prepareMappings } from "./prepare-mappings.ts";

export async function listTransformations(ctx: Ctx, query: TransformationQuery): Promise<Page<Transformation>> {
  return await store.listTransformations(ctx.db, ctx.orgId, query);
}

export async function getTransformation(ctx: Ctx, id: string): Promise<StoredTransformation> {
  return await store.getTransformation(ctx.db, ctx.orgId, id);
}

/** Mappings are compiled before they are saved, so that mistakes are reported here and not when data arrives. */
export async function createTransformation(
  ctx: Ctx,
  request: TransformationRequest,
  replace: boolean,
): Promise<SavedTransformation> {
  const usual = await defaultMode(ctx, request);
  const { mode = usual } = request;
  return await refuseSecondActive(ctx, request, { ownId: "", replace }, () =>
    change(ctx, async (tx) => {
      await holdBridge(tx, ctx, request.bridgeId);
      return await addTransformation(tx, ctx, { ...request, mode }, replace);
    }),
  );
}

/** In a transaction of the caller, which has checked the task and holds the bridge. */
export async function addTransformation(
  tx: Tx,
  ctx: Ctx,
  request: TransformationRequest & Pick<Transformation, "mode">,
  replace = false,
): Promise<SavedTransformation> {
  const { compiled, setIds } = await requireMappings(tx, ctx, request.mappings);
  const at = ctx.clock.now().toISOString();
  const created: StoredTransformation = {
    ...request,
    id: ctx.newId(),
    mappings: compiled.mappings,
    setIds,
    isActive: request.isActive ?? true,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  return await save(tx, ctx, "created", created, { replace, needsTargets: created.isActive });
}

export async function updateTransformation(
  ctx: Ctx,
  id: string,
  patch: TransformationPatch,
  options: { ifMatch: IfMatch; replace: boolean },
): Promise<SavedTransformation> {
  requirePatch(patch);
  const before = await getTransformation(ctx, id);
  if (patch.bridgeId !== undefined || patch.taskName !== undefined) {
    await requireTaskOfBridge(ctx, { ...before, ...patch });
  }
  const { bridgeId = before.bridgeId } = patch;
  const needsBridge = patch.bridgeId !== undefined || patch.isActive === true;
  return await refuseSecondActive(ctx, { ...before, ...patch }, { ownId: id, replace: options.replace }, () =>
    change(ctx, async (tx) => {
      if (needsBridge) await holdBridge(tx, ctx, bridgeId);
      const current = await store.lockTransformation(tx, ctx.orgId, id);
      checkVersion(current, options.ifMatch);
      if (needsBridge && (patch.bridgeId ?? current.bridgeId) !== bridgeId) throw new HubError("conflict");
      return await update(tx, ctx, current, patch, options.replace);
    }),
  );
}

async function update(
  tx: Tx,
  ctx: Ctx,
  current: StoredTransformation,
  { mappings, ...patch }: TransformationPatch,
  replace: boolean,
): Promise<SavedTransformation> {
  const prepared = mappings && (await requireMappings(tx, ctx, mappings));
  const remade = prepared && { mappings: prepared.compiled.mappings, setIds: prepared.setIds };
  const updated = nextVersion(current, { ...patch, ...remade }, ctx.clock.now());
  const { name: _name, isActive, ...other } = patch;
  const isRemade = mappings !== undefined || Object.keys(other).length > 0 || isActive === true;
  // An active mapping that was saved before this rule can still be renamed or deactivated.
  return await save(tx, ctx, "updated", updated, { replace, needsTargets: updated.isActive && isRemade });
}

async function save(
  tx: Tx,
  ctx: Ctx,
  what: "created" | "updated",
  saved: StoredTransformation,
  { replace, needsTargets }: { replace: boolean; needsTargets: boolean },
): Promise<SavedTransformation> {
  const problems = await findTargetProblems(ctx, ctx.orgId, saved);
  if (needsTargets && problems.length > 0) throw incomplete(problems.map(({ error }) => error));
  await deactivateOther(tx, ctx, saved, replace);
  await store.saveTransformation(tx, ctx.orgId, what === "created" ? "insert" : "update", saved, ctx.actor);
  // Keeps condition sets that the mappings use from being deleted.
  await noteSets(tx, ctx, saved, saved.setIds);
  await record(tx, ctx, what, saved);
  const warnings = targetWarnings(problems);
  return warnings.length === 0 ? saved : { ...saved, warnings };
}

function incomplete(errors: FieldError[]): HubError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  const detail = `${first!.message}${more} Correct it, or save with isActive: false.`;
  return new HubError("validation_failed", detail, { errors });
}

export async function deleteTransformation(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const current = await store.lockTransformation(tx, ctx.orgId, id);
    checkVersion(current, ifMatch);
    await noteSets(tx, ctx, current, {});
    await store.deleteTransformation(tx, ctx.orgId, id);
    await record(tx, ctx, "deleted", current);
    return { id, deleted: true as const };
  });
}

export async function listVersions(ctx: Ctx, id: string, query: VersionsQuery): Promise<Page<TransformationVersion>> {
  await getTransformation(ctx, id);
  return await store.listVersions(ctx.db, ctx.orgId, id, query);
}

/** Saves the mappings of an earlier version as a new version; the versions in between are kept. */
export async function rollBack(
  ctx: Ctx,
  id: string,
  { version }: RollbackRequest,
  ifMatch: IfMatch,
): Promise<SavedTransformation> {
  return await change(ctx, async (tx) => {
    const current = await store.lockTransformation(tx, ctx.orgId, id);
    checkVersion(current, ifMatch);
    const earlier = await store.findVersion(tx, ctx.orgId, id, version);
    if (!earlier) {
      const message = `There is no version ${version}; the newest is ${current.version}.`;
      throw badField("/version", "unknown_version", message);
    }
    return await update(tx, ctx, current, earlier, false);
  });
}

async function requireTaskOfBridge(ctx: Ctx, { bridgeId, taskName }: { bridgeId: string; taskName: string }) {
  const { data } = await listTasks(ctx, bridgeId);
  const allowed = data.map(({ name }) => name);
  const task = data.find(({ name }) => name === taskName);
  if (task) return task;
  throw badField("/taskName", "unknown_task", `The bridge has no task ${taskName}.`, alternatives(taskName, allowed));
}

async function requireMappings(db: Queryable, ctx: Ctx, mappings: unknown): Promise<PreparedMappings> {
  const prepared = await prepareMappings(ctx, ctx.orgId, mappings, { db });
  if (Array.isArray(prepared)) throw validationFailed(prepared);
  return prepared;
}

/** Records of a shop have fields that a mapping of a single field should not drop, so the default for them is `extend`. */
async function defaultMode(ctx: Ctx, request: TransformationRequest): Promise<Transformation["mode"]> {
  const task = await requireTaskOfBridge(ctx, request);
  const { connector } = await getBridge(ctx, request.bridgeId);
  const isOfShop = request.direction === "inbound" && task.mode === "pull" && findConnector(connector)?.isShop === true;
  return isOfShop ? "extend" : "replace";
}

type Slot = Pick<Transformation, "bridgeId" | "taskName" | "direction">;

/** Only one transformation can be active for a bridge, task and direction. `replace` deactivates the other one. */
async function deactivateOther(tx: Tx, ctx: Ctx, wanted: StoredTransformation, replace: boolean): Promise<void> {
  const other = wanted.isActive ? await store.lockOtherActive(tx, ctx.orgId, wanted) : undefined;
  if (!other) return;
  if (!replace) throw activeExists(other);
  const replaced = nextVersion(other, { isActive: false }, ctx.clock.now());
  await store.saveTransformation(tx, ctx.orgId, "update", replaced, ctx.actor);
  await record(tx, ctx, "updated", replaced);
}

function activeExists({ id, name }: { id: string; name: string }): HubError {
  const message = `${name} is active there. Deactivate it, or send ?replace=true to swap them.`;
  return new HubError("active_transformation_exists", message, { extra: { transformationId: id } });
}

const maxReplaced = 20;

/** Of concurrent requests the unique index lets one through. Those with `replace` try again and replace it. */
async function refuseSecondActive<T>(
  ctx: Ctx,
  slot: Slot,
  { ownId, replace }: { ownId: string; replace: boolean },
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (violatedConstraint(error) !== "transformations_active_key") throw error;
      if (!replace || attempt >= maxReplaced) throw await secondActive(ctx, slot, ownId);
    }
  }
}

async function secondActive(ctx: Ctx, { bridgeId, taskName, direction }: Slot, ownId: string): Promise<HubError> {
  const page = { page: 1, limit: 2, isActive: true };
  const { data } = await store.listTransformations(ctx.db, ctx.orgId, { ...page, bridgeId, taskName, direction });
  const other = data.find(({ id }) => id !== ownId);
  return other ? activeExists(other) : new HubError("conflict");
}

/** Deactivates the transformations of a bridge that is being deleted. They are kept, and can be assigned to another bridge. */
export async function deactivateTransformationsOf(tx: Tx, ctx: Ctx, bridgeId: string): Promise<number> {
  const by = { at: ctx.clock.now(), by: ctx.actor };
  const changed = await store.deactivateTransformationsOf(tx, ctx.orgId, bridgeId, by);
  const events = changed.map((one) => eventOf("updated", one));
  recordEvents(tx, ctx, events);
  if (changed.length > 0) await announceTransformations(tx, ctx);
  return changed.length;
}

async function noteSets(tx: Tx, ctx: Ctx, { id, name }: Transformation, setIds: SetIds): Promise<void> {
  await recordConditionSetUses(tx, ctx, { type: "transformation", id, name }, Object.values(setIds));
}

async function record(
  tx: Tx,
  ctx: Ctx,
  what: Happening<"transformation">,
  transformation: Transformation,
): Promise<void> {
  recordEvent(tx, ctx, eventOf(what, transformation));
  await announceTransformations(tx, ctx);
}

function eventOf(what: Happening<"transformation">, transformation: Transformation): NewEvent {
  const { id, name, bridgeId, taskName, direction, isActive, version } = transformation;
  const data = { name, bridgeId, taskName, direction, isActive, version };
  return { type: `transformation.${what}`, objectId: id, data };
}
