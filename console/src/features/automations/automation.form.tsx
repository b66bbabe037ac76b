import type { Automation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useDefaultZone } from "../../live/hub-clock.tsx";
import { useMe } from "../../live/me.ts";
import { SaveRow } from "../../live/save-row.tsx";
import type { RecordForm } from "../../live/use-record-form.ts";
import { Card } from "../../ui/card.tsx";
import { errorAt } from "../../ui/field-errors.ts";
import { Link } from "../../ui/link.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf } from "../../ui/search-params.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { ConditionForm } from "../operations/condition.pick.tsx";
import { presetsQuery } from "../operations/operations.queries.ts";
import { OrderFilterChips } from "../orders/order-filter-chips.pick.tsx";
import { CronFields, CronMeaning, useCronPreview } from "../schedules/cron.pick.tsx";
import { EventTypesPick } from "../webhooks/event-types.pick.tsx";
import { automationCan } from "./automation.can.ts";
import type { Draft } from "./automation-draft.ts";
import { partNames, partText, useAutomationForm } from "./automation-draft.ts";
import { text } from "./automations.text.ts";

type Props = { automation?: Automation; onDone(saved: Automation): void };
const onFields = ["/name", "/description", "/on", "/when", "/pipeline_id", "/max_orders_per_hour"];
const orders = ["order"];

/** Trigger, filter and pipeline. A new automation starts in preflight mode. */
export function AutomationForm({ automation, onDone }: Props) {
  const me = useMe();
  const form = useAutomationForm(automation, startOf(useDefaultZone()), onDone);
  const { draft, set, errors: wrong } = form;
  const reason = automationCan.change(me) ?? missingOf(draft);
  return (
    <form className="flex max-w-4xl flex-col gap-3.5" onSubmit={form.submit}>
      <Card className="flex flex-col gap-3 px-4 py-3" label="Automation">
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label="Name" {...form.field("name")} maxLength={100} />
          <TextField label="What it is for (optional)" {...form.field("description")} maxLength={500} />
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
          <EventTypesPick only={orders} {...form.field("types", "/on/types")} />
        ) : (
          <Clock draft={draft} set={set} wrong={wrong} />
        )}
      </Card>
      <Card className="flex flex-col gap-3 px-4 py-3" label="Which orders">
        <h2 className="text-lg font-semibold">Which orders</h2>
        <FilterFields draft={draft} set={set} error={errorAt(wrong, "/on/filter")} />
        <ConditionForm {...form.field("when")} />
      </Card>
      <Card className="flex flex-col gap-3 px-4 py-3" label="What is done">
        <h2 className="text-lg font-semibold">What is done</h2>
        <PipelineFields form={form} />
        <SaveRow
          form={form}
          names={partNames}
          textOf={partText}
          fields={onFields}
          reason={reason}
          save={form.isNew ? "Start in preflight mode" : "Save"}
        >
          {form.isNew && <p className="text-muted">{text.preflight}</p>}
        </SaveRow>
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
  const timingErrors = new Map([
    ...errors,
    ...[...wrong].map(([at, message]): [string, string] => [at.replace(/^\/on/, ""), message]),
  ]);
  return (
    <>
      <CronFields value={draft} errors={timingErrors} onChange={set} />
      <CronMeaning preview={preview} />
    </>
  );
}

function FilterFields({ draft, set, error }: Omit<FieldProps, "wrong"> & { error: string | undefined }) {
  const change = (next: Search): void => {
    const kept = Object.entries({ ...draft.filter, ...next }).filter(([, value]) => value !== undefined);
    set({ filter: Object.fromEntries(kept) });
  };
  return (
    <>
      <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-1.5">
        <OrderFilterChips isKept search={draft.filter} onChange={change} />
      </div>
      <TextField
        label="In which these words are (optional)"
        hint="Number, customer, city, SKU, tags, tracking numbers."
        maxLength={200}
        value={oneOf(draft.filter["search"]) ?? ""}
        onChange={(words) => change({ search: words || undefined })}
      />
      {error && <p className="text-sm text-bad">{error}</p>}
    </>
  );
}

function PipelineFields({ form }: { form: RecordForm<Draft> }) {
  const { data: pipelines } = useQuery(presetsQuery);
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Pipeline"
          {...form.field("pipelineId", "/pipeline_id")}
          placeholder={pipelines?.length === 0 ? "There is none yet" : "Choose"}
          options={(pipelines ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
        <TextField
          label="Orders an hour, at most"
          hint="When this limit is reached, the automation is paused."
          type="number"
          min={1}
          max={100_000}
          {...form.field("maxPerHour", "/max_orders_per_hour")}
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
