import { badField, HubError, validationFailed } from "../../core/errors.ts";
import { mask, maySeePersonalData } from "../../core/mask-person.ts";
import { callerKey } from "../../core/actor.ts";
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
import type { OpenPipeline } from "../operations/operations.ts";
import { findPipelineDigests, openPipeline, presentCondition } from "../operations/operations.ts";
import { nextTime, scheduleNow } from "../schedules/schedules.ts";
import { findRights, missingScope } from "./automation-maker.ts";
import type {
  Automation,
  AutomationPatch,
  AutomationQuery,
  AutomationRequest,
  Invocation,
  InvocationQuery,
  Reason,
  ResumeRequest,
} from "./automations.schemas.ts";
import { defaults, maxAutomations } from "./automations.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";
import * as store from "./automations.store.ts";
import { anyTime, nextAutomation as next, pause, pipelineChanged } from "./pause-automation.ts";
import type { CheckedTrigger } from "./read-trigger.ts";
import { readTrigger } from "./read-trigger.ts";

export { deleteOldInvocationsAcrossOrgs } from "./automation-work.store.ts";
export { automationWork, rewindAutomations } from "./fire-automations.ts";
export { testAutomation } from "./try-automation.ts";

export async function listAutomations(ctx: Ctx, query: AutomationQuery): Promise<Page<Automation>> {
  const page = await store.listAutomations(ctx.db, ctx.orgId, query);
  return { ...page, data: await present(ctx.db, ctx, page.data) };
}

export async function getAutomation(ctx: Ctx, id: string): Promise<Automation> {
  return await presentOne(ctx.db, ctx, await store.getAutomation(ctx.db, ctx.orgId, id));
}

export async function createAutomation(ctx: Ctx, request: AutomationRequest): Promise<Automation> {
  const { name, description, pipeline_id, mode, max_orders_per_hour, when = null } = { ...defaults, ...request };
  const { checked, digest } = await checkAsOwner(ctx, { trigger: request.trigger, when, pipeline_id, mode });
  // Otherwise the automation would start with events recorded before it.
  await ctx.sealer.sealNow(ctx.orgId);
  return await change(ctx, async (tx) => {
    if ((await store.countAutomations(tx, ctx.orgId)) >= maxAutomations) {
      throw new HubError("too_many_automations", `An organization has at most ${maxAutomations} automations.`);
    }
    const at = ctx.clock.now().toISOString();
    const made: StoredAutomation = {
      id: ctx.newId(),
      name,
      description,
      trigger: checked.trigger,
      event_types: checked.eventTypes,
      when,
      pipeline_id,
      pipeline_digest: digest,
      mode,
      max_orders_per_hour,
      owner: ctx.actor,
      ...(await activeFrom(tx, ctx, checked)),
      cursor: (await findLast(tx, ctx.orgId)).sequence,
      last_invoked_at: null,
      counters: { evaluated: 0, matched: 0, runs: 0, preflights: 0 },
      created_at: at,
      updated_at: at,
      version: 1,
    };
    await save(tx, ctx, made);
    return await presentOne(tx, ctx, made);
  });
}

const descriptive: readonly string[] = ["name", "description"];

/** A change to more than name and description makes the caller the owner: the automation runs with their permissions. */
export async function updateAutomation(
  ctx: Ctx,
  id: string,
  patch: AutomationPatch,
  ifMatch: IfMatch,
): Promise<Automation> {
  requirePatch(patch);
  const before = await store.getAutomation(ctx.db, ctx.orgId, id);
  const changesOwner = Object.keys(patch).some((name) => !descriptive.includes(name));
  const approved = changesOwner ? await checkAsOwner(ctx, { ...before, ...patch }) : undefined;
  if (patch.trigger) await ctx.sealer.sealNow(ctx.orgId);
  return await change(ctx, async (tx) => {
    const current = await store.lockAutomation(tx, ctx.orgId, id);
    checkVersion(current, ifMatch);
    if (approved) rejectChanged(before, current);
    const updated = next(ctx, current, patch);
    if (approved) Object.assign(updated, { owner: ctx.actor, pipeline_digest: approved.digest });
    if (approved && patch.trigger) {
      const { trigger, eventTypes: event_types } = approved.checked;
      // A new trigger starts with the events from now on.
      Object.assign(updated, { trigger, event_types, cursor: (await findLast(tx, ctx.orgId)).sequence });
      if (current.is_active) Object.assign(updated, await activeFrom(tx, ctx, approved.checked));
    }
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
    const data = { from, version: resumed.version };
    recordEvent(tx, ctx, { type: "automation.resumed", objectId: id, data });
    return { ...(await presentOne(tx, ctx, resumed)), changed: true };
  });
}

export async function listInvocations(ctx: Ctx, id: string, query: InvocationQuery): Promise<Page<Invocation>> {
  await store.getAutomation(ctx.db, ctx.orgId, id);
  return await store.listInvocations(ctx.db, ctx.orgId, id, query);
}

type Wanted = Pick<StoredAutomation, "trigger" | "when" | "pipeline_id" | "mode">;

/** Checks trigger, pipeline and mode with the caller's scopes. */
async function checkAsOwner(
  ctx: Ctx,
  { trigger, when, pipeline_id, mode }: Wanted,
): Promise<{ checked: CheckedTrigger; digest: string }> {
  const { scopes } = ctx.principal;
  const missing = missingScope(scopes, mode);
  if (missing !== undefined) {
    const detail = `An automation runs with its owner's permissions. This mode requires ${missing}.`;
    throw new HubError("insufficient_scope", detail, { extra: { required: [missing], granted: [...scopes] } });
  }
  const checked = await readTrigger(ctx, trigger);
  return { checked, digest: (await openOrExplain(ctx, pipeline_id, when)).digest };
}

async function openOrExplain(ctx: Ctx, id: string, when: object | null): Promise<OpenPipeline> {
  try {
    return await openPipeline(ctx, id, when);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    if (error.code === "pipeline_not_found") {
      throw badField("/pipeline_id", "pipeline_not_found", `This organization has no pipeline ${id}.`);
    }
    const { errors } = error.details;
    if (error.code !== "validation_failed" || !errors) throw error;
    // The pipeline is not part of this request: its errors are reported on pipeline_id.
    throw validationFailed(
      errors.map((one) =>
        one.pointer.startsWith("/when")
          ? one
          : { pointer: "/pipeline_id", code: "pipeline_invalid", message: `${one.pointer}: ${one.message}` },
      ),
    );
  }
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
  const { id, name, mode, pipeline_id, when, version } = automation;
  const write = fields ? store.updateAutomation : store.insertAutomation;
  await refuseDuplicate(
    write(tx, ctx.orgId, automation),
    "automations_name_key",
    () => new HubError("name_taken", "Another automation has this name."),
  );
  await recordConditionSetUses(tx, ctx, { type: "automation", id, name }, referredSets(when));
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
  const digests = await findPipelineDigests(db, ctx.orgId, [...new Set(list.map(({ pipeline_id }) => pipeline_id))]);
  const rights = new Map<string, Reason | undefined>();
  const presented: Automation[] = [];
  for (const stored of list) {
    const key = `${stored.mode} ${callerKey(stored.owner)}`;
    if (!rights.has(key)) rights.set(key, (await findRights({ ...ctx, db }, stored)).blocked_reason);
    const isChanged = digests.get(stored.pipeline_id) !== stored.pipeline_digest;
    presented.push({
      ...stored,
      trigger: presentTrigger(ctx, stored.trigger),
      when: presentCondition(ctx, stored.when),
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
