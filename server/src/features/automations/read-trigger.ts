import { compileCondition, referredSets } from "../../core/conditions.ts";
import { badField, validationFailed } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest.ts";
import type { Ctx } from "../../context.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import { typesNamed } from "../../events/event-families.ts";
import { loadSetLookup } from "../condition-sets/condition-sets.ts";
import { readFilter } from "../orders/orders.ts";
import { findTimeZone, findWorkingCalendar } from "../organizations/organizations.ts";
import { checkTiming } from "../schedules/schedules.ts";
import type { TriggerRequest } from "./automations.schemas.ts";
import type { EventItem } from "./event-items.ts";
import { eventFields } from "./event-items.ts";
import { familyOf, triggerFamilies, triggerTypes } from "./trigger-types.ts";

const allowed = [...triggerFamilies.map((family) => `${family}.*`), ...triggerTypes];

/** The trigger as it is stored. `eventTypes` is null for a cron trigger. */
export type CheckedTrigger = { trigger: TriggerRequest; eventTypes: EventType[] | null };

/** Validates the trigger of an automation. */
export async function readTrigger(ctx: Ctx, trigger: TriggerRequest): Promise<CheckedTrigger> {
  const { types, cron, timezone, filter } = trigger;
  if ((types === undefined) === (cron === undefined)) {
    throw badField("/trigger", types ? "one_of" : "required", "Exactly one of `types` and `cron` is required.");
  }
  if (filter !== undefined) readFilter(ctx, filter, "/trigger/filter");
  if (types) {
    if (timezone !== undefined) throw badField("/trigger/timezone", "cron_required", "Only allowed with `cron`.");
    const eventTypes = readTypes(types);
    refuseUnusedOrders(trigger, eventTypes);
    await openEventCondition(ctx, trigger.event, eventTypes);
    return { trigger, eventTypes };
  }
  for (const name of ["event", "orders"] as const) {
    if (trigger[name] !== undefined) throw badField(`/trigger/${name}`, "types_required", "Only allowed with `types`.");
  }
  if (filter === undefined) {
    throw badField("/trigger/filter", "required", "Required with `cron`: selects the orders.");
  }
  const timing = checkTiming(cron!, timezone ?? (await findTimeZone(ctx, ctx.orgId)), "/trigger");
  return { trigger: { cron: timing.cron.expression, timezone: timing.timezone, filter }, eventTypes: null };
}

function readTypes(names: string[]): EventType[] {
  const named = names.flatMap((name, index) => {
    const found = typesNamed(name).filter((type) => triggerTypes.includes(type));
    if (found.length > 0) return found;
    const isKnown = typesNamed(name).length > 0;
    const suggestion = nearestName(name, allowed);
    throw badField(
      `/trigger/types/${index}`,
      isKnown ? "not_about_orders" : "unknown_type",
      isKnown ? `${name} has no orders to run a pipeline on.` : "Unknown event type.",
      { allowed, ...(suggestion === undefined ? {} : { suggestion }) },
    );
  });
  return triggerTypes.filter((type) => named.includes(type));
}

/** Other events are about one order, or about orders that did not fail. */
function refuseUnusedOrders({ orders }: TriggerRequest, types: readonly EventType[]): void {
  const hasResults = types.some((type) => ["operation_run", "task_execution"].includes(familyOf(type)!));
  if (orders === undefined || hasResults) return;
  throw badField("/trigger/orders", "runs_required", "Only allowed with events of runs or tasks.");
}

/** Undefined without a condition. Throws if the condition is invalid for events of these types. */
export async function openEventCondition(
  ctx: Ctx,
  condition: object | undefined,
  types: readonly EventType[],
): Promise<((item: EventItem) => boolean) | undefined> {
  if (condition === undefined) return undefined;
  const lookup = await loadSetLookup(ctx, referredSets(condition));
  const rules = { fields: eventFields(types), calendar: await findWorkingCalendar(ctx, ctx.orgId) };
  const compiled = compileCondition<EventItem>(condition, lookup, "/trigger/event", rules);
  if (Array.isArray(compiled)) throw validationFailed(compiled);
  const now = ctx.clock.now();
  return (item) => compiled(item, now);
}
