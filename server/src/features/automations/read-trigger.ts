import { badField } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest.ts";
import type { Ctx } from "../../context.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import { typesNamed } from "../../events/event-families.ts";
import { readFilter } from "../orders/orders.ts";
import { findTimeZone } from "../organizations/organizations.ts";
import { checkTiming } from "../schedules/schedules.ts";
import type { TriggerRequest } from "./automations.schemas.ts";

const family = "order.*";
/** A deleted order cannot be processed. */
const orderTypes = typesNamed(family).filter((type) => !type.endsWith(".deleted"));
const allowed = [family, ...orderTypes];

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
    return { trigger, eventTypes: readTypes(types) };
  }
  if (filter === undefined) {
    throw badField("/trigger/filter", "required", "Required with `cron`: selects the orders.");
  }
  const timing = checkTiming(cron!, timezone ?? (await findTimeZone(ctx, ctx.orgId)), "/trigger");
  return { trigger: { cron: timing.cron.expression, timezone: timing.timezone, filter }, eventTypes: null };
}

function readTypes(names: string[]): EventType[] {
  const named = names.flatMap((name, index) => {
    const found = typesNamed(name).filter((type) => orderTypes.includes(type));
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
  return orderTypes.filter((type) => named.includes(type));
}
