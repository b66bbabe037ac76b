import type { Schedule } from "@order-operations-hub/sdk/api-types";
import type { Input } from "@order-operations-hub/sdk/client";
import { hub } from "../../live/hub.ts";
import { mergePatch, useRecordForm } from "../../live/use-record-form.ts";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import { readSchedule } from "./schedules.queries.ts";
import { labelOf, missedOptions, overlapOptions } from "./schedules.text.ts";

/** Values that the hub accepts; responses may contain newer ones. */
type Policies = Required<Pick<Input<"POST /api/v1/schedules">["body"], "overlap" | "missed">>;

export type Draft = {
  name: string;
  bridgeId: string;
  taskName: string;
  cron: string;
  timezone: string;
  overlap: Policies["overlap"];
  missed: Policies["missed"];
  input: Record<string, unknown>;
};

const draftOf = (schedule: Schedule): Draft => ({
  name: schedule.name ?? "",
  bridgeId: schedule.bridgeId,
  taskName: schedule.taskName,
  cron: schedule.cron,
  timezone: schedule.timezone,
  overlap: schedule.overlap as Policies["overlap"],
  missed: schedule.missed as Policies["missed"],
  input: schedule.input,
});

/** Form state of a new or existing schedule. */
export function useScheduleForm(schedule: Schedule | undefined, start: Draft, onDone: (saved: Schedule) => void) {
  return useRecordForm<Schedule, Draft>({
    kind: "schedules",
    record: schedule,
    draftOf,
    start,
    create: ({ name, input, ...rest }) =>
      hub.call("POST /api/v1/schedules", {
        body: { ...rest, input: withoutEmpty(input), ...(name.trim() ? { name: name.trim() } : {}) },
      }),
    read: readSchedule,
    write: ({ name, input, ...rest }, { id, version }, base) =>
      hub.call("PATCH /api/v1/schedules/{id}", {
        path: { id },
        ifMatch: version,
        body: {
          ...rest,
          ...(name !== undefined && { name: name.trim() || null }),
          ...(input && { input: mergePatch(base.input, withoutEmpty(input)) }),
        },
      }),
    onSaved: onDone,
  });
}

export const partNames = {
  name: "Name",
  bridgeId: "Connection",
  taskName: "Task",
  cron: "When",
  timezone: "Time zone",
  overlap: "If the last run is still going",
  missed: "If runs were missed",
  input: "Input",
};

export function partText(part: keyof Draft, draft: Draft): unknown {
  if (part === "overlap") return labelOf(overlapOptions, draft.overlap);
  if (part === "missed") return labelOf(missedOptions, draft.missed);
  return draft[part];
}
