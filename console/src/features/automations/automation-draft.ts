import type { Automation, Condition as SentCondition } from "@order-operations-hub/sdk/api-types";
import { hub } from "../../live/hub.ts";
import { useRecordForm } from "../../live/use-record-form.ts";
import { valueText } from "../../ui/change-text.ts";
import { words } from "../../ui/format.ts";
import type { Search } from "../../ui/search-params.ts";
import type { Clock } from "../../ui/clock.ts";
import { useClock } from "../../ui/zone.tsx";
import { filterOf, searchOf } from "../orders/order-filters.pick.ts";
import type { Condition, WaitDraft } from "./automation-wait.ts";
import { waitDraftOf, waitOf, waitText } from "./automation-wait.ts";
import { readAutomation } from "./automations.queries.ts";

export type BranchDraft = { when: Condition; pipelineId: string };

export type Draft = {
  name: string;
  description: string;
  kind: "events" | "clock";
  types: string[];
  cron: string;
  timezone: string;
  /** In the format of the order list's address. */
  filter: Search;
  /** Of a run or a task that an event is about. */
  orders: "all" | "failed";
  when: Condition;
  wait: WaitDraft;
  /** `task`: a task of a connection, which the form does not change. */
  does: "pipeline" | "branches" | "task";
  pipelineId: string;
  branches: BranchDraft[];
  /** The pipeline of orders that meet no branch; empty: none. */
  otherwise: string;
  stopsOthers: boolean;
  /** Empty: no limit. */
  maxPerObject: string;
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
  orders: one.trigger.orders === "failed" ? "failed" : "all",
  when: one.when ?? undefined,
  wait: waitDraftOf(one.wait),
  does: one.task ? "task" : one.branches ? "branches" : "pipeline",
  pipelineId: one.pipeline_id ?? "",
  branches: (one.branches ?? []).map((branch) => ({ when: branch.when, pipelineId: branch.pipeline_id })),
  otherwise: one.otherwise ?? "",
  stopsOthers: one.stop_further_rules,
  maxPerObject: one.max_per_object === null ? "" : String(one.max_per_object),
  maxPerHour: String(one.max_orders_per_hour),
});

/** Events that can be about several orders, of which some failed. */
export const isAboutSeveral = ({ types }: Pick<Draft, "types">): boolean =>
  types.some((type) => type.startsWith("operation_run.") || type.startsWith("task_execution."));

/** The trigger is replaced as a whole; its condition on events is not part of the form. */
function triggerOf(draft: Draft, clock: Clock, event?: SentCondition) {
  const filter = filterOf(draft.filter, clock);
  const hasFilter = Object.keys(filter).length > 0;
  if (draft.kind === "clock") return { cron: draft.cron, timezone: draft.timezone || "UTC", filter };
  return {
    types: draft.types,
    ...(event && { event }),
    ...(isAboutSeveral(draft) && draft.orders === "failed" && { orders: "failed" as const }),
    ...(hasFilter && { filter }),
  };
}

/** The pipeline, or the branches with the condition and pipeline of each. */
function targetOf({ does, pipelineId, branches, otherwise }: Draft) {
  if (does === "task") return {};
  if (does === "pipeline") return { pipeline_id: pipelineId };
  return {
    branches: branches.map((branch) => ({ when: branch.when as SentCondition, pipeline_id: branch.pipelineId })),
    ...(otherwise && { otherwise }),
  };
}

const trigger: ReadonlyArray<keyof Draft> = ["kind", "types", "cron", "timezone", "filter", "orders"];
const target: ReadonlyArray<keyof Draft> = ["does", "pipelineId", "branches", "otherwise"];

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
          ...targetOf(draft),
          max_orders_per_hour: Number(draft.maxPerHour) || 1_000,
          ...(draft.when ? { when: draft.when as SentCondition } : {}),
          ...(draft.wait.kind !== "none" && { wait: waitOf(draft.wait)! }),
          ...(draft.stopsOthers && { stop_further_rules: true }),
          ...(draft.maxPerObject && { max_per_object: Number(draft.maxPerObject) }),
        },
      }),
    read: readAutomation,
    write: (change, over) => {
      const { name, description, wait, stopsOthers, maxPerObject, maxPerHour } = change;
      const whole = { ...draftOf(over), ...change };
      const has = (parts: ReadonlyArray<keyof Draft>): boolean => parts.some((part) => part in change);
      const body = {
        ...(name !== undefined && { name: name.trim() }),
        ...(description !== undefined && { description: description.trim() }),
        ...(has(trigger) && { trigger: triggerOf(whole, clock, over.trigger.event) }),
        ...("when" in change && { when: (change.when as SentCondition | undefined) ?? null }),
        ...(has(target) && targetOf(whole)),
        // Without a pipeline of its own, the automation would keep the former one.
        ...(has(target) && whole.does === "branches" && !whole.otherwise && { otherwise: null }),
        ...(wait !== undefined && { wait: waitOf(wait) }),
        ...(stopsOthers !== undefined && { stop_further_rules: stopsOthers }),
        ...(maxPerObject !== undefined && { max_per_object: maxPerObject ? Number(maxPerObject) : null }),
        ...(maxPerHour !== undefined && { max_orders_per_hour: Number(maxPerHour) || 1_000 }),
      };
      return hub.call("PATCH /api/v1/automations/{id}", { path: { id: over.id }, ifMatch: over.version, body });
    },
    onSaved: onDone,
  });
}

export const partNames: Partial<Record<keyof Draft, string>> = {
  name: "Name",
  description: "Description",
  kind: "Trigger",
  types: "Events",
  cron: "Schedule",
  timezone: "Time zone",
  filter: "Orders",
  orders: "Orders of the event",
  when: "Condition",
  wait: "Wait",
  does: "Action",
  pipelineId: "Preset",
  branches: "Branches",
  otherwise: "Other orders",
  stopsOthers: "Stops later automations",
  maxPerObject: "Runs per order",
  maxPerHour: "Orders per hour",
};

export function partText(part: keyof Draft, draft: Draft): unknown {
  if (part === "kind") return draft.kind === "events" ? "on events" : "on a schedule";
  if (part === "wait") return waitText(draft.wait, words) || "none";
  if (part === "branches") return `${draft.branches.length}`;
  if (part !== "filter") return draft[part];
  const set = Object.entries(draft.filter).filter(([, value]) => value !== undefined);
  return set.map(([name, value]) => `${words(name)} ${valueText(value)}`).join("; ");
}
