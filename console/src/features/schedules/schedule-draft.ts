import type { Schedule } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { isConflict } from "../../ui/conflict-box.tsx";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import { scheduleQuery } from "./schedules.queries.ts";
import { labelOf, missedOptions, overlapOptions } from "./schedules.text.ts";

export type Draft = {
  name: string;
  bridgeId: string;
  taskName: string;
  cron: string;
  timezone: string;
  overlap: string;
  missed: string;
  input: Record<string, unknown>;
};

const draftOf = (schedule: Schedule): Draft => ({
  name: schedule.name ?? "",
  bridgeId: schedule.bridgeId,
  taskName: schedule.taskName,
  cron: schedule.cron,
  timezone: schedule.timezone,
  overlap: schedule.overlap,
  missed: schedule.missed,
  input: schedule.input,
});

/** Members that were taken away are said with null: the input is merged. */
const inputPatch = (before: object, after: object): Record<string, unknown> => ({
  ...Object.fromEntries(Object.keys(before).map((name) => [name, null])),
  ...after,
});

/** A schedule while it is made or changed. `base` is what stood there when somebody began to type. */
export function useScheduleDraft(schedule: Schedule | undefined, start: Draft, onDone: (saved: Schedule) => void) {
  const [base, setBase] = useState(schedule);
  const [theirs, setTheirs] = useState<Schedule>();
  const [draft, setDraft] = useState<Draft>(() => (schedule ? draftOf(schedule) : start));
  const save = useMutation({
    mutationFn: (version: number | undefined) => store(draft, base, version),
    onSuccess: async (saved) => {
      queryClient.setQueryData(["schedules", "one", saved.id], saved);
      setBase(schedule && saved);
      await queryClient.invalidateQueries({ queryKey: ["schedules"] });
      onDone(saved);
    },
    onError: async (error) => {
      if (base && isConflict(error))
        setTheirs(await queryClient.fetchQuery({ ...scheduleQuery(base.id), staleTime: 0 }));
    },
  });
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
  const set = (change: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...change }));
    // What was said of the former is not true of this.
    if (save.error && !isConflict(save.error)) save.reset();
  };
  return { draft, set, save, conflict, submit: () => save.mutate(base?.version) };
}

function store(draft: Draft, base: Schedule | undefined, version: number | undefined): Promise<Schedule> {
  const { name, input, overlap, missed, ...rest } = draft;
  const policies = { overlap: overlap as "skip", missed: missed as "once" };
  const given = withoutEmpty(input);
  if (!base || version === undefined) {
    return hub.call("POST /api/v1/schedules", {
      body: { ...rest, ...policies, input: given, ...(name.trim() ? { name: name.trim() } : {}) },
    });
  }
  return hub.call("PATCH /api/v1/schedules/{id}", {
    path: { id: base.id },
    ifMatch: version,
    body: { ...rest, ...policies, name: name.trim() || null, input: inputPatch(base.input, given) },
  });
}

const conflictsOf = (mine: Draft, theirs: Draft) => [
  { name: "Name", mine: mine.name, theirs: theirs.name },
  { name: "Task", mine: mine.taskName, theirs: theirs.taskName },
  { name: "When", mine: mine.cron, theirs: theirs.cron },
  { name: "Time zone", mine: mine.timezone, theirs: theirs.timezone },
  {
    name: "If one still runs",
    mine: labelOf(overlapOptions, mine.overlap),
    theirs: labelOf(overlapOptions, theirs.overlap),
  },
  {
    name: "If the hub was down",
    mine: labelOf(missedOptions, mine.missed),
    theirs: labelOf(missedOptions, theirs.missed),
  },
  { name: "Input", mine: JSON.stringify(withoutEmpty(mine.input)), theirs: JSON.stringify(theirs.input) },
];
