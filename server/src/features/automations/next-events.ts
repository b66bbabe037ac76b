import type { EventType } from "../../events/event-catalogue.ts";
import { findFrontier } from "./automation-chain.store.ts";
import { saveProgress } from "./automation-work.store.ts";
import type { EventItem, TriggerEvent } from "./event-items.ts";
import { itemsOf } from "./event-items.ts";
import type { LeasedAutomation, Occasion } from "./leased-automation.ts";
import { settle } from "./leased-automation.ts";
import { anyTime } from "./pause-automation.ts";
import { openEventCondition } from "./read-trigger.ts";
import { listTriggerEvents } from "./trigger-events.store.ts";
import { familyOf } from "./trigger-types.ts";

/** Events and objects per invocation, so that its run is short. */
const maxEvents = 100;
const maxItems = 1_000;

/** The next events of an automation: the objects that meet its condition on events. */
export type NextEvents = Occasion & {
  items: EventItem[];
  /** Last event of the log before orders were read. */
  head: number;
};

/** Events about orders are read without their data, unless a condition needs them. */
export function needsData({ event_types, trigger, task }: LeasedAutomation["automation"]): boolean {
  return trigger.event !== undefined || task !== null || event_types!.some((type) => familyOf(type) !== "order");
}

/** Consecutive events with the same automation path, so that the run has one cause. Undefined: there is nothing to do for them. */
export async function readNextEvents(own: LeasedAutomation): Promise<NextEvents | undefined> {
  const { automation, ctx } = own;
  const { id, cursor: after, event_types, trigger, max_per_object } = automation;
  const types = event_types as EventType[];
  const { upTo, head } = await findFrontier(ctx.db, ctx.orgId, id);
  const wanted = { types, after, upTo, limit: maxEvents, needsData: needsData(automation) };
  const events = await listTriggerEvents(ctx.db, ctx.orgId, wanted);
  const [first] = events;
  const stay = { cursor: after, nextRunAt: null, dueAt: anyTime };
  if (!first) return await skipTo(own, stay);
  const { last, items } = sameCause(events);
  const goesOn = { ...stay, cursor: last.sequence };
  const past = first.cause?.automationPath ?? [];
  // An automation is not triggered by its own changes, directly or through others, more often than allowed. The number of times in the
  // path also ends what creates new objects, which have no count yet.
  if (past.filter((one) => one === id).length >= (max_per_object ?? 1)) return await skipTo(own, goesOn);
  const isMet = await openEventCondition(ctx, trigger.event, types);
  const [from_sequence, to_sequence] = [first, last].map(({ sequence }) => String(sequence).padStart(16, "0"));
  const path = [...past, id];
  return {
    items: isMet ? items.filter((item) => isMet(item)) : items,
    head,
    goesOn,
    key: from_sequence!,
    cause: {
      automation_id: id,
      from_sequence: from_sequence!,
      to_sequence: to_sequence!,
      scheduled_for: null,
      depth: path.length,
      automation_path: path,
    },
  };
}

async function skipTo(own: LeasedAutomation, goesOn: Occasion["goesOn"]): Promise<undefined> {
  const { automation, ctx } = own;
  await settle(own, (tx) => saveProgress(tx, ctx.orgId, automation.id, { ...goesOn, evaluated: 0, matched: 0 }));
}

function sameCause(events: TriggerEvent[]): { last: TriggerEvent; items: EventItem[] } {
  const pathOf = ({ cause }: TriggerEvent): string => (cause?.automationPath ?? []).join();
  const items: EventItem[] = [];
  let last = events[0]!;
  for (const event of events) {
    const more = itemsOf(event);
    if (pathOf(event) !== pathOf(events[0]!) || (items.length > 0 && items.length + more.length > maxItems)) break;
    items.push(...more);
    last = event;
  }
  return { last, items };
}
