import type { FieldError } from "../../core/errors.ts";
import { badField, errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { findField } from "../../core/condition-types.ts";
import { secretErrors } from "../../core/mask-secrets.ts";
import { alternatives } from "../../core/nearest.ts";
import type { Ctx } from "../../context.ts";
import { openCondition } from "../operations/operations.ts";
import { askedFields } from "../orders/orders.ts";
import { requireTask } from "../tasks/tasks.ts";
import { branchesOf, openBranches } from "./automation-branches.ts";
import { missingScope } from "./automation-maker.ts";
import type { EventTask, Wait } from "./automation-parts.schemas.ts";
import type { StoredAutomation } from "./automations.store.ts";
import { eventFields } from "./event-items.ts";
import { templateErrors } from "./event-templates.ts";
import type { CheckedTrigger } from "./read-trigger.ts";
import { readTrigger } from "./read-trigger.ts";
import { familyOf } from "./trigger-types.ts";
import { durationMs, durationsIn, maxWaitDays } from "./wait-until.ts";

export type Wanted = Pick<
  StoredAutomation,
  "trigger" | "when" | "pipeline_id" | "branches" | "otherwise" | "task" | "wait" | "stop_further_rules" | "mode"
>;

/** Checks all that an automation does with the caller's scopes. `digest` covers the pipelines that the caller approves. */
export async function checkAsOwner(ctx: Ctx, wanted: Wanted): Promise<{ checked: CheckedTrigger; digest: string }> {
  refuseMixed(wanted);
  const checked = await readTrigger(ctx, wanted.trigger);
  const { scopes } = ctx.principal;
  const missing = missingScope(scopes, { ...wanted, event_types: checked.eventTypes });
  if (missing !== undefined) {
    const detail = `An automation runs with its owner's permissions. This one requires ${missing}.`;
    throw new HubError("insufficient_scope", detail, { extra: { required: [missing], granted: [...scopes] } });
  }
  if (wanted.wait) await checkWait(ctx, wanted.wait);
  if (wanted.task) await checkTask(ctx, wanted.task, checked);
  return { checked, digest: (await openBranches(ctx, branchesOf(wanted))).digest };
}

/** Parts of an automation that exclude each other. */
function refuseMixed({
  pipeline_id,
  branches,
  otherwise,
  task,
  wait,
  when,
  trigger,
  stop_further_rules,
}: Wanted): void {
  const ways = [pipeline_id, branches, task].filter((way) => way !== null).length;
  if (ways !== 1) {
    const message = "Exactly one of `pipeline_id`, `branches` and `task` is required.";
    throw badField(ways === 0 ? "/pipeline_id" : "/branches", ways === 0 ? "required" : "one_of", message);
  }
  if (otherwise !== null && branches === null) {
    throw badField("/otherwise", "branches_required", "Only allowed with `branches`.");
  }
  if (trigger.cron !== undefined) {
    const message = "Only allowed with a trigger on events.";
    if (wait !== null) throw badField("/wait", "types_required", message);
    if (task !== null) throw badField("/task", "types_required", message);
    if (stop_further_rules) throw badField("/stop_further_rules", "types_required", message);
  }
  if (task === null) return;
  const message = "Not allowed with `task`, which is queued for events and not for orders.";
  if (when !== null) throw badField("/when", "not_with_task", `${message} Use \`trigger.event\`.`);
  if (wait !== null) throw badField("/wait", "not_with_task", message);
  if (stop_further_rules) throw badField("/stop_further_rules", "not_with_task", message);
  if (trigger.filter !== undefined) throw badField("/trigger/filter", "not_with_task", message);
}

async function checkWait(ctx: Ctx, wait: Wait): Promise<void> {
  const { until, when, at_most } = wait;
  if ((until === undefined) === (when === undefined)) {
    throw badField("/wait", until ? "one_of" : "required", "Exactly one of `until` and `when` is required.");
  }
  if (at_most !== undefined && when === undefined) {
    throw badField("/wait/at_most", "when_required", "Only allowed with `when`.");
  }
  for (const { pointer, text } of durationsIn(wait)) {
    if (durationMs(text) <= maxWaitDays * 86_400_000) continue;
    throw badField(`/wait${pointer}`, "maximum", `At most ${maxWaitDays} days.`);
  }
  if (typeof until === "object") checkDate(until.path);
  if (when === undefined) return;
  try {
    await openCondition(ctx, when);
  } catch (error) {
    if (!(error instanceof HubError) || !error.details.errors) throw error;
    throw validationFailed(errorsAt("/wait", error.details.errors));
  }
}

/** Days of orders, which are texts of their own format. */
const dayPaths: readonly string[] = ["requestedDeliveryDate"];

function checkDate(path: string): void {
  const found = findField(askedFields, path);
  if ("field" in found && (found.field.type === "moment" || dayPaths.includes(path))) return;
  const dates = [...askedFields].flatMap(([name, { type }]) =>
    type === "moment" || dayPaths.includes(name) ? [name] : [],
  );
  throw badField("/wait/until/path", "not_a_date", `${path} is not a date of an order.`, alternatives(path, dates));
}

/** The input is filled in from each event, so that only its templates can be checked now. */
async function checkTask(ctx: Ctx, task: EventTask, { eventTypes }: CheckedTrigger): Promise<void> {
  const { bridge_id: bridgeId, task_name: taskName, input = {} } = task;
  const errors: FieldError[] = [
    ...errorsAt("/task/input", secretErrors(input)),
    ...templateErrors(input, "/task/input", eventFields(eventTypes!)),
  ];
  if (errors.length > 0) throw validationFailed(errors);
  if (bridgeId === undefined) {
    const withBridge = ["exception", "task_execution"];
    if (eventTypes!.every((type) => withBridge.includes(familyOf(type)!))) return;
    throw badField("/task/bridge_id", "required", "Required: only events of exceptions and tasks have a bridge.");
  }
  try {
    await requireTask(ctx, { bridgeId, taskName, input: {} });
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const names: Record<string, string> = { "/bridgeId": "/task/bridge_id", "/taskName": "/task/task_name" };
    const found = (error.details.errors ?? []).flatMap((one) => {
      const pointer = names[one.pointer];
      return pointer === undefined ? [] : [{ ...one, pointer }];
    });
    if (found.length > 0) throw validationFailed(found);
    // Missing fields of the input, which the event may fill in.
    if (error.code !== "validation_failed") throw error;
  }
}
