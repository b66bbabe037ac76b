import type { Automation, Condition as SentCondition } from "@order-operations-hub/sdk/api-types";
import { hub } from "../../live/hub.ts";
import { useRecordForm } from "../../live/use-record-form.ts";
import { valueText } from "../../ui/change-text.ts";
import { words } from "../../ui/format.ts";
import type { Search } from "../../ui/search-params.ts";
import type { Clock } from "../../ui/clock.ts";
import { useClock } from "../../ui/zone.tsx";
import type { ConditionForm } from "../operations/condition.pick.tsx";
import { filterOf, searchOf } from "../orders/order-filters.pick.ts";
import { readAutomation } from "./automations.queries.ts";

/** The value type of ConditionForm. */
type Condition = Parameters<typeof ConditionForm>[0]["value"];

export type Draft = {
  name: string;
  description: string;
  kind: "events" | "clock";
  types: string[];
  cron: string;
  timezone: string;
  /** In the format of the order list's address. */
  filter: Search;
  when: Condition;
  pipelineId: string;
  maxPerHour: string;
};

const draftOf = (one: Automation): Draft => ({
  name: one.name,
  description: one.description,
  kind: one.trigger.cron ? "clock" : "events",
  types: one.trigger.types ?? [],
  cron: one.trigger.cron ?? "0 6 * * 1-5",
  timezone: one.trigger.timezone ?? "UTC",
  filter: searchOf(one.trigger.filter ?? {}),
  when: one.when ?? undefined,
  pipelineId: one.pipeline_id,
  maxPerHour: String(one.max_orders_per_hour),
});

/** The trigger is replaced as a whole. */
function triggerOf(draft: Draft, clock: Clock) {
  const filter = filterOf(draft.filter, clock);
  const trigger =
    draft.kind === "events" ? { types: draft.types } : { cron: draft.cron, timezone: draft.timezone || "UTC" };
  return { ...trigger, ...(Object.keys(filter).length > 0 || draft.kind === "clock" ? { filter } : {}) };
}

const trigger: ReadonlyArray<keyof Draft> = ["kind", "types", "cron", "timezone", "filter"];

/** Form state of a new or existing automation. */
export function useAutomationForm(
  automation: Automation | undefined,
  start: Draft,
  onDone: (saved: Automation) => void,
) {
  const clock = useClock();
  return useRecordForm<Automation, Draft>({
    kind: "automations",
    record: automation,
    draftOf,
    start,
    create: (draft) =>
      hub.call("POST /api/v1/automations", {
        body: {
          name: draft.name.trim(),
          description: draft.description.trim(),
          trigger: triggerOf(draft, clock),
          pipeline_id: draft.pipelineId,
          max_orders_per_hour: Number(draft.maxPerHour) || 1_000,
          ...(draft.when ? { when: draft.when as SentCondition } : {}),
        },
      }),
    read: readAutomation,
    write: (change, over) => {
      const { name, description, pipelineId, maxPerHour } = change;
      const body = {
        ...(name !== undefined && { name: name.trim() }),
        ...(description !== undefined && { description: description.trim() }),
        ...(trigger.some((part) => part in change) && { trigger: triggerOf({ ...draftOf(over), ...change }, clock) }),
        ...("when" in change && { when: (change.when as SentCondition | undefined) ?? null }),
        ...(pipelineId !== undefined && { pipeline_id: pipelineId }),
        ...(maxPerHour !== undefined && { max_orders_per_hour: Number(maxPerHour) || 1_000 }),
      };
      return hub.call("PATCH /api/v1/automations/{id}", { path: { id: over.id }, ifMatch: over.version, body });
    },
    onSaved: onDone,
  });
}

export const partNames = {
  name: "Name",
  description: "Description",
  kind: "Starts",
  types: "On",
  cron: "When",
  timezone: "Time zone",
  filter: "Which orders",
  when: "If",
  pipelineId: "Pipeline",
  maxPerHour: "At most an hour",
};

export function partText(part: keyof Draft, draft: Draft): unknown {
  if (part === "kind") return draft.kind === "events" ? "when something happens" : "by the clock";
  if (part !== "filter") return draft[part];
  const set = Object.entries(draft.filter).filter(([, value]) => value !== undefined);
  return set.map(([name, value]) => `${words(name)} ${valueText(value)}`).join("; ");
}
