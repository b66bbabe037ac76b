import type { Schedule } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useDefaultZone } from "../../live/hub-clock.tsx";
import { useMe } from "../../live/me.ts";
import { SaveRow } from "../../live/save-row.tsx";
import { Card } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { hasFields } from "../../ui/schema-form/schema.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { bridgeTasksQuery } from "../bridges/bridges.queries.ts";
import { pickEntity } from "../pick/entity.pick.tsx";
import { CronFields, CronMeaning, useCronPreview } from "./cron.pick.tsx";
import { scheduleCan } from "./schedule.can.ts";
import type { Draft } from "./schedule-draft.ts";
import { partNames, partText, useScheduleForm } from "./schedule-draft.ts";
import { missedOptions, overlapOptions } from "./schedules.text.ts";

type Props = { schedule?: Schedule; start?: Partial<Draft>; onDone(schedule: Schedule): void };
const onFields = ["/name", "/bridgeId", "/taskName", "/cron", "/timezone", "/input"];

/** Task, timing and policies. The cron expression is explained while typing. */
export function ScheduleForm({ schedule, start, onDone }: Props) {
  const me = useMe();
  const form = useScheduleForm(
    schedule,
    {
      name: "",
      bridgeId: "",
      taskName: "",
      cron: "30 2 * * *",
      timezone: useDefaultZone(),
      overlap: "skip",
      missed: "once",
      input: {},
      ...start,
    },
    onDone,
  );
  const { draft, set } = form;
  const { preview, errors } = useCronPreview(draft);
  const wrong = new Map([...errors, ...form.errors]);
  const reason =
    scheduleCan.change(me) ?? (missingOf(draft) || (preview.error ? "Correct the time first." : undefined));
  return (
    <form className="grid items-start gap-3.5 xl:grid-cols-[minmax(0,1fr)_360px]" onSubmit={form.submit}>
      <Card className="flex flex-col gap-3 px-4 py-3" label="Schedule">
        <TextField label="Name (optional)" {...form.field("name")} maxLength={100} />
        <TaskFields draft={draft} set={set} wrong={wrong} />
        <CronFields value={draft} errors={wrong} onChange={set} />
        <div className="grid gap-3 sm:grid-cols-2">
          <Select label="If the last run is still going" {...form.field("overlap")} options={overlapOptions} />
          <Select label="If runs were missed" {...form.field("missed")} options={missedOptions} />
        </div>
        <SaveRow
          form={form}
          names={partNames}
          textOf={partText}
          fields={onFields}
          reason={reason}
          save={form.isNew ? "Create schedule" : "Save"}
        />
      </Card>
      <CronMeaning preview={preview} />
    </form>
  );
}

function missingOf(draft: Draft): string | undefined {
  if (!draft.bridgeId) return "Choose a connection first.";
  if (!draft.taskName) return "Choose a task first.";
  return draft.cron.trim() ? undefined : "Enter a time.";
}

type TaskProps = { draft: Draft; set(change: Partial<Draft>): void; wrong: ReadonlyMap<string, string> };

function TaskFields({ draft, set, wrong }: TaskProps) {
  const { data: bridges } = useEntityNames("bridge");
  const tasks = useQuery(bridgeTasksQuery(draft.bridgeId));
  const task = tasks.data?.find(({ name }) => name === draft.taskName);
  const schema = (task?.inputSchema ?? {}) as FormSchema;
  const inputErrors = new Map(
    [...wrong].filter(([at]) => at.startsWith("/input/")).map(([at, message]) => [at.slice("/input".length), message]),
  );
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Connection"
          value={draft.bridgeId}
          error={wrong.get("/bridgeId")}
          placeholder={bridges?.length === 0 ? "No connections yet" : "Choose"}
          options={(bridges ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(bridgeId) => set({ bridgeId, taskName: "", input: {} })}
        />
        <Select
          label="Task"
          hint={task?.description ?? (draft.bridgeId ? undefined : "Choose a connection first.")}
          value={draft.taskName}
          error={wrong.get("/taskName") ?? tasks.error?.message}
          options={(tasks.data ?? []).map(({ name, title }) => ({ value: name, label: title }))}
          onChange={(taskName) => set({ taskName, input: {} })}
        />
      </div>
      {bridges?.length === 0 && (
        <p className="text-muted">
          A schedule runs a task of a connection.{" "}
          <Link href={paths.newBridge()} className="text-accent-text underline">
            Add a connection
          </Link>{" "}
          first.
        </p>
      )}
      {hasFields(schema) && (
        <fieldset className="rounded-md border border-line px-3 pt-1 pb-3">
          <legend className="px-1 text-sm font-medium text-muted">Input of the task</legend>
          <SchemaForm
            schema={schema}
            value={draft.input}
            onChange={(input) => set({ input })}
            errors={inputErrors}
            pickEntity={pickEntity}
          />
        </fieldset>
      )}
    </>
  );
}
