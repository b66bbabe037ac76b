import { useQuery } from "@tanstack/react-query";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { ConditionForm } from "../operations/condition.pick.tsx";
import { conditionFieldsQuery } from "../operations/operations.queries.ts";
import type { Unit, WaitDraft } from "./automation-wait.ts";
import { unitOptions } from "./automation-wait.ts";

const kinds = [
  { value: "none", label: "At once" },
  { value: "duration", label: "After some time" },
  { value: "time", label: "At the next time of day" },
  { value: "date", label: "Before or after a date of the order" },
  { value: "condition", label: "When the order meets a condition" },
];
const sides = [
  { value: "minus", label: "before" },
  { value: "plus", label: "after" },
];

type Props = { value: WaitDraft; onChange(value: WaitDraft): void; error: string | undefined };

/** When the steps run after the event. */
export function WaitFields({ value: wait, onChange, error }: Props) {
  const set = (change: Partial<WaitDraft>): void => onChange({ ...wait, ...change });
  const { kind } = wait;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-2 [&>*]:w-44">
        <Select
          label="Runs"
          value={kind}
          options={kinds}
          error={error}
          onChange={(next) => set({ kind: next as WaitDraft["kind"] })}
        />
        {(kind === "duration" || kind === "date") && <Length wait={wait} set={set} />}
        {kind === "time" && (
          <TextField
            label="Time"
            hint="In the time zone of the organization"
            placeholder="16:00"
            value={wait.time}
            onChange={(time) => set({ time })}
          />
        )}
        {kind === "date" && (
          <>
            <Select
              label="Before or after"
              value={wait.side}
              options={sides}
              onChange={(side) => set({ side: side === "plus" ? "plus" : "minus" })}
            />
            <DatePick path={wait.path} onChange={(path) => set({ path })} />
          </>
        )}
      </div>
      {kind === "condition" && (
        <>
          <ConditionForm value={wait.when} onChange={(when) => set({ when })} />
          <div className="flex flex-wrap items-end gap-2 [&>*]:w-44">
            <Length wait={wait} set={set} label="Waits at most" />
          </div>
          <p className="text-sm text-faint">Orders that do not meet the condition in this time are left out.</p>
        </>
      )}
    </div>
  );
}

type LengthProps = { wait: WaitDraft; set(change: Partial<WaitDraft>): void; label?: string };

function Length({ wait, set, label = "Time" }: LengthProps) {
  return (
    <>
      <TextField
        label={label}
        type="number"
        min={wait.kind === "date" ? 0 : 1}
        value={wait.amount}
        onChange={(amount) => set({ amount })}
      />
      <Select label="Unit" value={wait.unit} options={unitOptions} onChange={(unit) => set({ unit: unit as Unit })} />
    </>
  );
}

function DatePick({ path, onChange }: { path: string; onChange(path: string): void }) {
  const { data } = useQuery(conditionFieldsQuery);
  const dates = (data?.data ?? []).filter((field) => field.type === "moment" || field.path === "requestedDeliveryDate");
  const options = dates.map((field) => ({ value: field.path, label: field.title }));
  return <Select label="Date" value={path} options={options} onChange={onChange} />;
}
