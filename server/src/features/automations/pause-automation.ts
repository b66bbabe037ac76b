import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { Reason } from "./automations.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";
import { updateAutomation } from "./automations.store.ts";

/** Due, whatever the clock of a preview is set to. */
export const anyTime = new Date(0).toISOString();

export const pipelineChanged: Reason = {
  code: "pipeline_changed",
  message: "Its pipeline does something else since somebody vouched for it. Resume it, and it does that.",
};

/** By somebody, or by the hub itself when it must not go on. It stays where it was: nothing is lost by it. */
export async function pause(tx: Tx, ctx: Ctx, current: StoredAutomation, reason: Reason): Promise<StoredAutomation> {
  const paused = nextAutomation(ctx, current, {
    is_active: false,
    paused_at: ctx.clock.now().toISOString(),
    paused_by: ctx.actor,
    pause_reason: reason,
    next_run_at: null,
    due_at: null,
  });
  await updateAutomation(tx, ctx.orgId, paused);
  const data = { reason: reason.code, message: reason.message, version: paused.version };
  recordEvent(tx, ctx, { type: "automation.paused", objectId: current.id, data });
  return paused;
}

/** As it is after a change. */
export function nextAutomation(
  ctx: Ctx,
  current: StoredAutomation,
  changes: Partial<StoredAutomation>,
): StoredAutomation {
  return { ...current, ...changes, updated_at: ctx.clock.now().toISOString(), version: current.version + 1 };
}
