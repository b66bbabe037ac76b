import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { Reason } from "./automations.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";
import { updateAutomation } from "./automations.store.ts";

/** Always due, whatever the preview clock is set to. */
export const anyTime = new Date(0).toISOString();

export const pipelineChanged: Reason = {
  code: "pipeline_changed",
  message: "A pipeline was changed after it was approved. Resume the automation to approve the change.",
};

/** By a user, or by the hub when the automation cannot continue. The position is kept, so no event is lost. */
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

/** The next version of the automation. */
export function nextAutomation(
  ctx: Ctx,
  current: StoredAutomation,
  changes: Partial<StoredAutomation>,
): StoredAutomation {
  return { ...current, ...changes, updated_at: ctx.clock.now().toISOString(), version: current.version + 1 };
}
