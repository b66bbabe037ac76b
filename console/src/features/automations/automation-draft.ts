import type { Automation, OrderFilter, Condition as SentCondition } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { isConflict } from "../../ui/conflict-box.tsx";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import type { ConditionForm } from "../operations/condition.pick.tsx";
import { automationQuery } from "./automations.queries.ts";

/** As the form of conditions has it. */
type Condition = Parameters<typeof ConditionForm>[0]["value"];

export type Draft = {
  name: string;
  description: string;
  kind: "events" | "clock";
  types: string[];
  cron: string;
  timezone: string;
  filter: Record<string, unknown>;
  when: Condition;
  pipelineId: string;
  maxPerHour: string;
};

const choices = (title: string, values: string[]): FormSchema => ({
  type: "array",
  title,
  items: { type: "string", enum: values },
});
const tokens = (title: string): FormSchema => ({ type: "array", title, items: { type: "string" } });

/** The filters that people use most, in two columns; others that an automation has are kept as they are. */
export const filterSchemas: FormSchema[] = [
  {
    type: "object",
    properties: {
      status: choices("Status", ["new", "review_required", "awaiting_payment", "ready", "sent", "on_hold"]),
      priority: choices("Priority", ["low", "normal", "high", "urgent"]),
    },
  },
  {
    type: "object",
    properties: {
      tagsAny: tokens("Has at least one of the tags"),
      tagsNone: tokens("Has none of the tags"),
      channel: tokens("Channel"),
    },
  },
];
export const filterFields = filterSchemas.flatMap(({ properties }) => Object.keys(properties ?? {}));

/** Lists may be written with commas between. */
const asLists = (filter: OrderFilter): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name,
      filterFields.includes(name) && typeof value === "string" ? value.split(",") : value,
    ]),
  );

const draftOf = (one: Automation): Draft => ({
  name: one.name,
  description: one.description,
  kind: one.on.cron ? "clock" : "events",
  types: one.on.types ?? [],
  cron: one.on.cron ?? "0 6 * * 1-5",
  timezone: one.on.timezone ?? "UTC",
  filter: asLists(one.on.filter ?? {}),
  when: one.when ?? undefined,
  pipelineId: one.pipeline_id,
  maxPerHour: String(one.max_per_hour),
});

function bodyOf(draft: Draft) {
  const filter = withoutEmpty(draft.filter) as OrderFilter;
  const hasFilter = Object.keys(filter).length > 0;
  const trigger =
    draft.kind === "events" ? { types: draft.types } : { cron: draft.cron, timezone: draft.timezone || "UTC" };
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    on: { ...trigger, ...(hasFilter || draft.kind === "clock" ? { filter } : {}) },
    pipeline_id: draft.pipelineId,
    max_per_hour: Number(draft.maxPerHour) || 1_000,
  };
}

/** An automation while it is made or changed. `base` is what stood there when somebody began to type. */
export function useAutomationDraft(
  automation: Automation | undefined,
  start: Draft,
  onDone: (saved: Automation) => void,
) {
  const [base, setBase] = useState(automation);
  const [theirs, setTheirs] = useState<Automation>();
  const [draft, setDraft] = useState(() => (automation ? draftOf(automation) : start));
  const save = useMutation({
    mutationFn: (version: number | undefined): Promise<Automation> => {
      const body = bodyOf(draft);
      if (!base || version === undefined)
        return hub.call("POST /api/v1/automations", {
          body: { ...body, ...(draft.when ? { when: draft.when as SentCondition } : {}) },
        });
      return hub.call("PATCH /api/v1/automations/{id}", {
        path: { id: base.id },
        ifMatch: version,
        body: { ...body, when: (draft.when as SentCondition | undefined) ?? null },
      });
    },
    onSuccess: async (saved) => {
      if (automation) setBase(saved);
      queryClient.setQueryData(["automations", "one", saved.id], saved);
      await queryClient.invalidateQueries({ queryKey: ["automations"] });
      onDone(saved);
    },
    onError: async (error) => {
      if (base && isConflict(error))
        setTheirs(await queryClient.fetchQuery({ ...automationQuery(base.id), staleTime: 0 }));
    },
  });
  const set = (change: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...change }));
    // What was said of the former is not true of this.
    if (save.error && !isConflict(save.error)) save.reset();
  };
  const conflict = theirs &&
    isConflict(save.error) && {
      fields: conflictsOf(draft, draftOf(theirs)),
      isBusy: save.isPending,
      onTakeTheirs: () => {
        setBase(theirs);
        setDraft(draftOf(theirs));
        save.reset();
      },
      onKeepMine: () => {
        setBase(theirs);
        save.mutate(theirs.version);
      },
    };
  return { draft, set, save, conflict, submit: () => save.mutate(base?.version) };
}

const startOf = ({ kind, types, cron, timezone }: Draft): string =>
  kind === "events" ? types.join(", ") : `${cron} ${timezone}`;
const conflictsOf = (mine: Draft, theirs: Draft) => [
  { name: "Name", mine: mine.name, theirs: theirs.name },
  { name: "Description", mine: mine.description, theirs: theirs.description },
  { name: "Starts", mine: startOf(mine), theirs: startOf(theirs) },
  {
    name: "Orders",
    mine: JSON.stringify(withoutEmpty(mine.filter)),
    theirs: JSON.stringify(withoutEmpty(theirs.filter)),
  },
  { name: "When", mine: JSON.stringify(mine.when ?? null), theirs: JSON.stringify(theirs.when ?? null) },
  { name: "At most an hour", mine: mine.maxPerHour, theirs: theirs.maxPerHour },
];
