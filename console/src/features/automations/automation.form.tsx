import type { Automation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { valueText } from "../../ui/change-text.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConflictBox, isConflict } from "../../ui/conflict-box.tsx";
import { errorAt, fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { ConditionForm } from "../operations/condition.pick.tsx";
import { presetsQuery } from "../operations/operations.queries.ts";
import { CronFields, CronMeaning, useCronPreview } from "../schedules/cron.pick.tsx";
import { EventTypesPick } from "../webhooks/event-types.pick.tsx";
import { automationCan } from "./automation.can.ts";
import type { Draft } from "./automation-draft.ts";
import { filterFields, filterSchemas, useAutomationDraft } from "./automation-draft.ts";
import { text } from "./automations.text.ts";

type Props = { automation?: Automation; onDone(saved: Automation): void };
const onFields = ["/name", "/description", "/on", "/when", "/pipeline_id", "/max_per_hour"];
const orders = ["order"];

/** What starts it, which orders, and what is done to them. It begins in shadow. */
export function AutomationForm({ automation, onDone }: Props) {
  const me = useMe();
  const { draft, set, save, conflict, submit } = useAutomationDraft(
    automation,
    startOf(me.organization.timeZone),
    onDone,
  );
  const wrong = fieldErrors(save.error);
  const reason = automationCan.change(me) ?? missingOf(draft);
  return (
    <form
      className="flex max-w-4xl flex-col gap-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) submit();
      }}
    >
      <Card className="flex flex-col gap-3 px-4 py-3" label="Automation">
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Name"
            value={draft.name}
            maxLength={100}
            error={wrong.get("/name")}
            onChange={(name) => set({ name })}
          />
          <TextField
            label="What it is for (optional)"
            value={draft.description}
            maxLength={500}
            error={wrong.get("/description")}
            onChange={(description) => set({ description })}
          />
        </div>
        <Select
          label="Starts"
          value={draft.kind}
          options={[
            { value: "events", label: "When something happens to an order" },
            { value: "clock", label: "By the clock, for all orders that match" },
          ]}
          onChange={(kind) => set({ kind: kind === "clock" ? "clock" : "events" })}
        />
        {draft.kind === "events" ? (
          <EventTypesPick
            only={orders}
            value={draft.types}
            error={errorAt(wrong, "/on/types")}
            onChange={(types) => set({ types })}
          />
        ) : (
          <Clock draft={draft} set={set} wrong={wrong} />
        )}
      </Card>
      <Card className="flex flex-col gap-3 px-4 py-3" label="Which orders">
        <h2 className="text-lg font-semibold">Which orders</h2>
        <FilterFields draft={draft} set={set} error={errorAt(wrong, "/on/filter")} />
        <ConditionForm value={draft.when} error={errorAt(wrong, "/when")} onChange={(when) => set({ when })} />
      </Card>
      <Card className="flex flex-col gap-3 px-4 py-3" label="What is done">
        <h2 className="text-lg font-semibold">What is done</h2>
        <PipelineFields draft={draft} set={set} wrong={wrong} />
        {conflict && <ConflictBox {...conflict} />}
        {save.error && !isConflict(save.error) && !isAllOnFields(save.error, onFields) && (
          <ProblemBox error={save.error} />
        )}
        <div className="flex flex-wrap items-center justify-end gap-3">
          {!automation && <p className="text-muted">{text.shadow}</p>}
          <Button kind="primary" type="submit" isBusy={save.isPending} disabledReason={reason}>
            {automation ? "Save" : "Begin in shadow"}
          </Button>
        </div>
      </Card>
    </form>
  );
}

const startOf = (timezone: string): Draft => ({
  name: "",
  description: "",
  kind: "events",
  types: ["order.created"],
  cron: "0 6 * * 1-5",
  timezone,
  filter: {},
  when: undefined,
  pipelineId: "",
  maxPerHour: "1000",
});

function missingOf(draft: Draft): string | undefined {
  if (!draft.name.trim()) return "Give it a name.";
  if (draft.kind === "events" && draft.types.length === 0) return "Pick what starts it.";
  if (draft.kind === "clock" && !draft.cron.trim()) return "Say when.";
  return draft.pipelineId ? undefined : "Pick a pipeline.";
}

type FieldProps = { draft: Draft; set(change: Partial<Draft>): void; wrong: ReadonlyMap<string, string> };

function Clock({ draft, set, wrong }: FieldProps) {
  const { preview, errors } = useCronPreview(draft);
  const said = new Map([
    ...errors,
    ...[...wrong].map(([at, message]): [string, string] => [at.replace(/^\/on/, ""), message]),
  ]);
  return (
    <>
      <CronFields value={draft} errors={said} onChange={set} />
      <CronMeaning preview={preview} />
    </>
  );
}

function FilterFields({ draft, set, error }: Omit<FieldProps, "wrong"> & { error: string | undefined }) {
  const others = Object.entries(draft.filter).filter(([name]) => !filterFields.includes(name));
  return (
    <>
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
        {filterSchemas.map((schema, at) => (
          <SchemaForm key={at} schema={schema} value={draft.filter} onChange={(filter) => set({ filter })} />
        ))}
      </div>
      {others.length > 0 && (
        <p className="text-muted">
          And also, as it was given: {others.map(([name, value]) => `${words(name)} ${valueText(value)}`).join(", ")}.
        </p>
      )}
      {error && <p className="text-sm text-bad">{error}</p>}
    </>
  );
}

function PipelineFields({ draft, set, wrong }: FieldProps) {
  const { data: pipelines } = useQuery(presetsQuery);
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Pipeline"
          value={draft.pipelineId}
          error={wrong.get("/pipeline_id")}
          placeholder={pipelines?.length === 0 ? "There is none yet" : "Choose"}
          options={(pipelines ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(pipelineId) => set({ pipelineId })}
        />
        <TextField
          label="Orders an hour, at most"
          hint="Beyond it, it does nothing more and is paused."
          type="number"
          min={1}
          max={100_000}
          value={draft.maxPerHour}
          error={wrong.get("/max_per_hour")}
          onChange={(maxPerHour) => set({ maxPerHour })}
        />
      </div>
      {pipelines?.length === 0 && (
        <p className="text-muted">
          It starts a saved pipeline.{" "}
          <Link href={paths.orders()} className="text-accent-text underline">
            Build one for some orders
          </Link>{" "}
          and save it there.
        </p>
      )}
    </>
  );
}
