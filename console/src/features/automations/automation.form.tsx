import type { Automation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useDefaultZone } from "../../live/hub-clock.tsx";
import { useMe } from "../../live/me.ts";
import { SaveRow } from "../../live/save-row.tsx";
import type { RecordForm } from "../../live/use-record-form.ts";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { errorAt } from "../../ui/field-errors.ts";
import { Fold } from "../../ui/fold.tsx";
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
import { isAboutSeveral, partNames, partText, useAutomationForm } from "./automation-draft.ts";
import { noWait } from "./automation-wait.ts";
import { text } from "./automations.text.ts";
import { BranchFields } from "./branch.fields.tsx";
import { WaitFields } from "./wait.fields.tsx";

type Props = { automation?: Automation; onDone(saved: Automation): void };
const onFields = [
  "/name",
  "/description",
  "/trigger",
  "/when",
  "/wait",
  "/pipeline_id",
  "/branches",
  "/otherwise",
  "/max_per_object",
  "/max_orders_per_hour",
];
/** Families of events that lead to orders. */
const families = ["order", "exception", "shipment", "label", "pickup", "manifest", "operation_run", "task_execution"];

/** Trigger, orders, wait and steps. A new automation starts in test mode. */
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
          <TextField label="Description (optional)" {...form.field("description")} maxLength={500} />
        </div>
        <Select
          label="Trigger"
          value={draft.kind}
          options={[
            { value: "events", label: "Events, such as a new order" },
            { value: "clock", label: "A schedule, for all orders that match" },
          ]}
          onChange={(kind) => set({ kind: kind === "clock" ? "clock" : "events" })}
        />
        {draft.kind === "events" ? <Events form={form} /> : <Clock draft={draft} set={set} wrong={wrong} />}
      </Card>
      {draft.does !== "task" && (
        <Card className="flex flex-col gap-3 px-4 py-3" label="Orders">
          <h2 className="text-lg font-semibold">Orders</h2>
          <FilterFields draft={draft} set={set} error={errorAt(wrong, "/trigger/filter")} />
          <ConditionForm {...form.field("when")} />
        </Card>
      )}
      <Card className="flex flex-col gap-3 px-4 py-3" label="Steps">
        <h2 className="text-lg font-semibold">Steps</h2>
        {draft.does === "task" ? <p className="text-muted">{text.task}</p> : <Steps form={form} />}
        <Limits form={form} />
        <SaveRow
          form={form}
          names={partNames}
          textOf={partText}
          fields={onFields}
          reason={reason}
          save={form.isNew ? "Start in test mode" : "Save"}
        >
          {form.isNew && <p className="text-muted">{text.testMode}</p>}
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
  orders: "all",
  when: undefined,
  wait: noWait,
  does: "pipeline",
  pipelineId: "",
  branches: [],
  otherwise: "",
  stopsOthers: false,
  maxPerObject: "",
  maxPerHour: "1000",
});

function missingOf(draft: Draft): string | undefined {
  if (!draft.name.trim()) return "Enter a name.";
  if (draft.kind === "events" && draft.types.length === 0) return "Select at least one event.";
  if (draft.kind === "clock" && !draft.cron.trim()) return "Enter a schedule.";
  if (draft.does === "pipeline") return draft.pipelineId ? undefined : "Select a preset.";
  if (draft.does === "task") return undefined;
  if (draft.branches.length === 0) return "Add a branch.";
  return draft.branches.every(({ when, pipelineId }) => when && pipelineId)
    ? undefined
    : "Each branch needs a condition and a preset.";
}

function Events({ form }: { form: RecordForm<Draft> }) {
  const { draft, set } = form;
  return (
    <>
      <EventTypesPick only={families} {...form.field("types", "/trigger/types")} />
      {isAboutSeveral(draft) && (
        <Select
          label="Orders of the run or task"
          value={draft.orders}
          options={[
            { value: "all", label: "All orders" },
            { value: "failed", label: "Only orders that failed" },
          ]}
          onChange={(orders) => set({ orders: orders === "failed" ? "failed" : "all" })}
        />
      )}
    </>
  );
}

type FieldProps = { draft: Draft; set(change: Partial<Draft>): void; wrong: ReadonlyMap<string, string> };

function Clock({ draft, set, wrong }: FieldProps) {
  const { preview, errors } = useCronPreview(draft);
  const timingErrors = new Map([
    ...errors,
    ...[...wrong].map(([at, message]): [string, string] => [at.replace(/^\/trigger/, ""), message]),
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
        label="Search words (optional)"
        hint="Number, customer, city, SKU, tags, tracking numbers."
        maxLength={200}
        value={oneOf(draft.filter["search"]) ?? ""}
        onChange={(words) => change({ search: words || undefined })}
      />
      {error && <p className="text-sm text-bad">{error}</p>}
    </>
  );
}

function Steps({ form }: { form: RecordForm<Draft> }) {
  const { draft, set, errors: wrong } = form;
  const { data: pipelines } = useQuery(presetsQuery);
  const presets = (pipelines ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      {draft.kind === "events" && <WaitFields {...form.field("wait")} error={errorAt(wrong, "/wait")} />}
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Action"
          value={draft.does}
          options={[
            { value: "pipeline", label: "Run one preset" },
            { value: "branches", label: "Run a preset depending on conditions" },
          ]}
          onChange={(does) => set({ does: does === "branches" ? "branches" : "pipeline" })}
        />
        {draft.does === "pipeline" && (
          <Select
            label="Preset"
            {...form.field("pipelineId", "/pipeline_id")}
            placeholder={presets.length === 0 ? "No presets yet" : "Choose"}
            options={presets}
          />
        )}
      </div>
      {draft.does === "branches" && (
        <BranchFields
          branches={draft.branches}
          otherwise={draft.otherwise}
          presets={presets}
          errorAt={(pointer) => errorAt(wrong, pointer)}
          onChange={set}
        />
      )}
      {pipelines?.length === 0 && (
        <p className="text-muted">
          An automation runs a preset.{" "}
          <Link href={paths.orders()} className="text-accent-text underline">
            Select some orders
          </Link>
          , add the steps and save them as a preset.
        </p>
      )}
    </>
  );
}

function Limits({ form }: { form: RecordForm<Draft> }) {
  const { draft, set } = form;
  return (
    <Fold title="Order and limits" isOpenAtFirst={draft.stopsOthers || draft.maxPerObject !== ""}>
      <div className="flex flex-col gap-3">
        {draft.kind === "events" && draft.does !== "task" && (
          <Checkbox
            label="Later automations leave out the orders of this one, for the same event"
            isChecked={draft.stopsOthers}
            onChange={(stopsOthers) => set({ stopsOthers })}
          />
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Runs per order, at most (optional)"
            hint="With a limit it also reacts to events that it caused itself, such as another failure."
            type="number"
            min={1}
            max={100}
            {...form.field("maxPerObject", "/max_per_object")}
          />
          <TextField
            label="Orders per hour, at most"
            hint="When this limit is reached, the automation is paused."
            type="number"
            min={1}
            max={100_000}
            {...form.field("maxPerHour", "/max_orders_per_hour")}
          />
        </div>
      </div>
    </Fold>
  );
}
