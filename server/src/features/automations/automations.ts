import { HubError } from "../../core/errors.ts";
import { mask, maySeePersonalData } from "../../core/mask-person.ts";
import { referredSets } from "../../core/conditions.ts";
import type { Page } from "../../core/page.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { findLast } from "../../events/chain.ts";
import { recordEvent } from "../../events/record-event.ts";
import { recordConditionSetUses } from "../condition-sets/condition-sets.ts";
import { findPipelineDigests, presentCondition } from "../operations/operations.ts";
import { nextTime, scheduleNow } from "../schedules/schedules.ts";
import { branchesOf, joinDigests } from "./automation-branches.ts";
import { findRights, rightsKey } from "./automation-maker.ts";
import { deleteWaitsOf } from "./automation-waits.store.ts";
import type {
  Automation,
  AutomationPatch,
  AutomationQuery,
  AutomationRequest,
  Invocation,
  InvocationQuery,
  Reason,
  ResumeRequest,
  WaitingOrder,
  WaitingQuery,
} from "./automations.schemas.ts";
import { defaults, maxAutomations } from "./automations.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";
import * as store from "./automations.store.ts";
import { checkAsOwner } from "./check-automation.ts";
import { moveAutomation } from "./order-automations.ts";
import { anyTime, nextAutomation as next, pause, pipelineChanged } from "./pause-automation.ts";
import type { CheckedTrigger } from "./read-trigger.ts";

export { deleteOldInvocationsAcrossOrgs } from "./automation-work.store.ts";
export { automationWork, rewindAutomations } from "./fire-automations.ts";
export { orderAutomations } from "./order-automations.ts";
export { testAutomation } from "./try-automation.ts";

export async function listAutomations(ctx: Ctx, query: AutomationQuery): Promise<Page<Automation>> {
  const page = await store.listAutomations(ctx.db, ctx.orgId, query);
  return { ...page, data: await present(ctx.db, ctx, page.data) };
}

export async function getAutomation(ctx: Ctx, id: string): Promise<Automation> {
  return await presentOne(ctx.db, ctx, await store.getAutomation(ctx.db, ctx.orgId, id));
}

export async function createAutomation(ctx: Ctx, request: AutomationRequest): Promise<Automation> {
  const { position, ...wanted } = { ...defaults, ...absent, ...request };
  const { checked, digest } = await checkAsOwner(ctx, wanted);
  // Otherwise the automation would start with events recorded before it.
  await ctx.sealer.sealNow(ctx.orgId);
  return await change(ctx, async (tx) => {
    await store.lockPositions(tx, ctx.orgId);
    const others = await store.listPositions(tx, ctx.orgId);
    if (others.length >= maxAutomations) {
      throw new HubError("too_many_automations", `An organization has at most ${maxAutomations} automations.`);
    }
    const at = ctx.clock.now().toISOString();
    const made: StoredAutomation = {
      ...wanted,
      id: ctx.newId(),
      trigger: checked.trigger,
      event_types: checked.eventTypes,
      pipeline_digest: digest,
      position: (others.at(-1)?.position ?? 0) + 1,
      owner: ctx.actor,
      ...(await activeFrom(tx, ctx, checked)),
      cursor: (await findLast(tx, ctx.orgId)).sequence,
      wait_cursor: 0,
      last_invoked_at: null,
      counters: { evaluated: 0, matched: 0, runs: 0, preflights: 0 },
      created_at: at,
      updated_at: at,
      version: 1,
    };
    await save(tx, ctx, made);
    if (position !== undefined) made.position = await moveAutomation(tx, ctx, made.id, position);
    return await presentOne(tx, ctx, made);
  });
}

/** Parts that an automation does without. */
const absent = {
  when: null,
  pipeline_id: null,
  branches: null,
  otherwise: null,
  task: null,
  wait: null,
  max_per_object: null,
};

const descriptive: readonly string[] = ["name", "description", "position"];

/** A pipeline, branches or a task in the patch replaces what the automation had of them. */
function replaceWay(patch: AutomationPatch): Partial<StoredAutomation> {
  const { position: _position, ...changes } = patch;
  if (changes.branches !== undefined) return { pipeline_id: null, task: null, ...changes };
  const isReplaced = changes.pipeline_id !== undefined || changes.task !== undefined;
  return isReplaced ? { pipeline_id: null, task: null, branches: null, otherwise: null, ...changes } : changes;
}

/** A change to more than name, description and position makes the caller the owner: the automation runs with their permissions. */
export async function updateAutomation(
  ctx: Ctx,
  id: string,
  patch: AutomationPatch,
  ifMatch: IfMatch,
): Promise<Automation> {
  requirePatch(patch);
  const before = await store.getAutomation(ctx.db, ctx.orgId, id);
  const changesOwner = Object.keys(patch).some((name) => !descriptive.includes(name));
  const changes = replaceWay(patch);
  const approved = changesOwner ? await checkAsOwner(ctx, { ...before, ...changes }) : undefined;
  if (patch.trigger) await ctx.sealer.sealNow(ctx.orgId);
  return await change(ctx, async (tx) => {
    if (patch.position !== undefined) await store.lockPositions(tx, ctx.orgId);
    const current = await store.lockAutomation(tx, ctx.orgId, id);
    checkVersion(current, ifMatch);
    if (approved) rejectChanged(before, current);
    const updated = next(ctx, current, changes);
    if (approved) Object.assign(updated, { owner: ctx.actor, pipeline_digest: approved.digest });
    if (approved && patch.trigger) {
      const { trigger, eventTypes: event_types } = approved.checked;
      // A new trigger starts with the events from now on.
      Object.assign(updated, { trigger, event_types, cursor: (await findLast(tx, ctx.orgId)).sequence });
      if (current.is_active) Object.assign(updated, await activeFrom(tx, ctx, approved.checked));
    }
    // Orders that wait met the former trigger, and wait for something else.
    if (patch.trigger || patch.wait !== undefined) await deleteWaitsOf(tx, ctx.orgId, id);
    if (patch.position !== undefined) updated.position = await moveAutomation(tx, ctx, id, patch.position);
    await save(tx, ctx, updated, Object.keys(patch));
    return await presentOne(tx, ctx, updated);
  });
}

export async function deleteAutomation(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const { name, version } = await store.lockAutomation(tx, ctx.orgId, id);
    checkVersion({ version }, ifMatch);
    await recordConditionSetUses(tx, ctx, { type: "automation", id, name }, []);
    await store.deleteAutomation(tx, ctx.orgId, id);
    recordEvent(tx, ctx, { type: "automation.deleted", objectId: id, data: { name, version } });
    return { id, deleted: true as const };
  });
}

/** Nothing is begun after the answer: that takes the row that is locked here. Runs that were begun go on. */
export async function pauseAutomation(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const current = await store.lockAutomation(tx, ctx.orgId, id);
    if (!current.is_active) return { ...(await presentOne(tx, ctx, current)), changed: false };
    const reason = { code: "manual", message: "A user paused it." };
    return { ...(await presentOne(tx, ctx, await pause(tx, ctx, current, reason))), changed: true };
  });
}

/** The user who resumes an automation approves its pipeline as it is now. The count of orders per hour starts again. */
export async function resumeAutomation(ctx: Ctx, id: string, { from = "now" }: ResumeRequest) {
  const before = await store.getAutomation(ctx.db, ctx.orgId, id);
  const approved = before.is_active ? undefined : await checkAsOwner(ctx, before);
  await ctx.sealer.sealNow(ctx.orgId);
  return await change(ctx, async (tx) => {
    const current = await store.lockAutomation(tx, ctx.orgId, id);
    if (current.is_active) return { ...(await presentOne(tx, ctx, current)), changed: false };
    if (!approved) throw new HubError("conflict", "It was paused in the same moment. Resume it again.");
    rejectChanged(before, current);
    const resumed = next(ctx, current, {
      ...(await activeFrom(tx, ctx, approved.checked)),
      owner: ctx.actor,
      pipeline_digest: approved.digest,
      cursor: from === "now" ? (await findLast(tx, ctx.orgId)).sequence : current.cursor,
    });
    await store.updateAutomation(tx, ctx.orgId, resumed);
    if (from === "now") await deleteWaitsOf(tx, ctx.orgId, id);
    const data = { from, version: resumed.version };
    recordEvent(tx, ctx, { type: "automation.resumed", objectId: id, data });
    return { ...(await presentOne(tx, ctx, resumed)), changed: true };
  });
}

export async function listInvocations(ctx: Ctx, id: string, query: InvocationQuery): Promise<Page<Invocation>> {
  await store.getAutomation(ctx.db, ctx.orgId, id);
  return await store.listInvocations(ctx.db, ctx.orgId, id, query);
}

export async function listWaiting(ctx: Ctx, id: string, query: WaitingQuery): Promise<Page<WaitingOrder>> {
  await store.getAutomation(ctx.db, ctx.orgId, id);
  return await store.listWaiting(ctx.db, ctx.orgId, id, query);
}

/** The checks were made on the version read before the lock. */
function rejectChanged(before: StoredAutomation, current: StoredAutomation): void {
  if (before.version === current.version) return;
  throw new HubError("conflict", "The automation was changed concurrently.");
}

/** Wakes the workers. An automation on events is always due; its worker checks for events. */
async function activeFrom(tx: Tx, ctx: Ctx, { trigger, eventTypes }: CheckedTrigger) {
  await ctx.signals.publish(tx, "automation", "");
  const isTimed = eventTypes === null && trigger.cron !== undefined && trigger.timezone !== undefined;
  const nextRun = isTimed
    ? nextTime({ cron: trigger.cron!, timezone: trigger.timezone! }, await scheduleNow(ctx, tx)).toISOString()
    : null;
  return {
    is_active: true,
    paused_at: null,
    paused_by: null,
    pause_reason: null,
    next_run_at: nextRun,
    due_at: nextRun ?? anyTime,
    counted_since: ctx.clock.now().toISOString(),
  };
}

/** `fields`: the changed fields; undefined for a new automation. */
async function save(tx: Tx, ctx: Ctx, automation: StoredAutomation, fields?: string[]): Promise<void> {
  const { id, name, mode, pipeline_id, branches, otherwise, when, wait, trigger, version } = automation;
  const write = fields ? store.updateAutomation : store.insertAutomation;
  await refuseDuplicate(
    write(tx, ctx.orgId, automation),
    "automations_name_key",
    () => new HubError("name_taken", "Another automation has this name."),
  );
  const ofBranches = (branches ?? []).map((branch) => branch.pipeline_id);
  await store.savePipelines(tx, ctx.orgId, id, otherwise === null ? ofBranches : [...ofBranches, otherwise]);
  const conditions = [when, wait?.when, trigger.event, ...(branches ?? []).map((branch) => branch.when)];
  const sets = [...new Set(conditions.flatMap(referredSets))];
  await recordConditionSetUses(tx, ctx, { type: "automation", id, name }, sets);
  const data = { name, mode, pipeline_id, version };
  recordEvent(
    tx,
    ctx,
    fields
      ? { type: "automation.updated", objectId: id, data: { ...data, fields } }
      : { type: "automation.created", objectId: id, data },
  );
}

async function presentOne(db: Queryable, ctx: Ctx, stored: StoredAutomation): Promise<Automation> {
  return (await present(db, ctx, [stored]))[0]!;
}

/** With the reason that would keep each from running now. */
async function present(db: Queryable, ctx: Ctx, list: StoredAutomation[]): Promise<Automation[]> {
  const pipelineIds = list.flatMap(branchesOf).map(({ pipeline_id }) => pipeline_id);
  const digests = await findPipelineDigests(db, ctx.orgId, [...new Set(pipelineIds)]);
  const rights = new Map<string, Reason | undefined>();
  const presented: Automation[] = [];
  for (const stored of list) {
    const key = rightsKey(stored);
    if (!rights.has(key)) rights.set(key, (await findRights({ ...ctx, db }, stored)).blocked_reason);
    const digest = joinDigests(branchesOf(stored).map(({ pipeline_id }) => digests.get(pipeline_id)));
    const isChanged = digest !== stored.pipeline_digest;
    presented.push({
      ...stored,
      trigger: presentTrigger(ctx, stored.trigger),
      when: presentCondition(ctx, stored.when),
      branches: presentCondition(ctx, stored.branches),
      wait: presentCondition(ctx, stored.wait),
      blocked_reason: rights.get(key) ?? (isChanged ? pipelineChanged : null),
    });
  }
  return presented;
}

/** A search term can name a person. */
function presentTrigger(ctx: Ctx, trigger: StoredAutomation["trigger"]): StoredAutomation["trigger"] {
  if (trigger.filter?.search === undefined || maySeePersonalData(ctx)) return trigger;
  return { ...trigger, filter: { ...trigger.filter, search: mask } };
}
