import type { CarrierAccount, Weight } from "@order-operations-hub/sdk/api-types";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import type { RecordForm } from "../../live/use-record-form.ts";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Card, Heading } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { errorAt } from "../../ui/field-errors.ts";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { TokenField } from "../../ui/token-field.tsx";
import type { AccountPatch } from "./carrier-account.queries.ts";
import { patchCarrierAccount, readCarrierAccount } from "./carrier-account.queries.ts";
import { dayNames } from "./carrier-accounts.text.ts";

type Rules = NonNullable<AccountPatch["pickupRules"]>;
type Times = "cutoffLocalTime" | "earliestReadyTime" | "latestCloseTime";
type Counts = "minWindowMinutes" | "leadMinutes" | "maxDaysAhead" | "maxPackages" | "cancelDeadlineMinutes";
type Weights = "maxTotalWeight" | "maxAverageWeight";
/** Null: the carrier's default. */
type Draft = Record<Times, string | null> &
  Record<Counts, number | null> &
  Record<Weights, Weight | null> & {
    allowsSameDay: boolean;
    requiresWindow: boolean;
    serviceDays: number[];
    holidayCalendar: NonNullable<Rules["holidayCalendar"]>;
    holidays: string[];
    allowsPoBox: boolean;
  };

const draftOf = ({ pickupRules: rules }: CarrierAccount): Draft => ({
  allowsSameDay: rules.allowsSameDay ?? false,
  cutoffLocalTime: rules.cutoffLocalTime ?? null,
  earliestReadyTime: rules.earliestReadyTime ?? null,
  latestCloseTime: rules.latestCloseTime ?? null,
  requiresWindow: rules.requiresWindow ?? true,
  minWindowMinutes: rules.minWindowMinutes ?? null,
  leadMinutes: rules.leadMinutes ?? null,
  maxDaysAhead: rules.maxDaysAhead ?? null,
  serviceDays: rules.serviceDays ?? [],
  holidayCalendar: (rules.holidayCalendar ?? "us_parcel") as Draft["holidayCalendar"],
  holidays: rules.holidays ?? [],
  maxPackages: rules.maxPackages ?? null,
  maxTotalWeight: rules.maxTotalWeight ?? null,
  maxAverageWeight: rules.maxAverageWeight ?? null,
  allowsPoBox: rules.allowsPoBox ?? false,
  cancelDeadlineMinutes: rules.cancelDeadlineMinutes ?? null,
});

const names: Record<keyof Draft, string> = {
  allowsSameDay: "Same-day pickup",
  cutoffLocalTime: "Same-day cut-off",
  earliestReadyTime: "Earliest ready time",
  latestCloseTime: "Latest close time",
  requiresWindow: "Requires a time window",
  minWindowMinutes: "Shortest window (minutes)",
  leadMinutes: "Notice before ready (minutes)",
  maxDaysAhead: "Maximum days ahead",
  serviceDays: "Service days",
  holidayCalendar: "Holidays",
  holidays: "Other days without pickups",
  maxPackages: "Maximum packages",
  maxTotalWeight: "Maximum total weight",
  maxAverageWeight: "Maximum average weight",
  allowsPoBox: "Picks up at PO boxes",
  cancelDeadlineMinutes: "Cancellation deadline (minutes before)",
};
const calendars = [
  { value: "us_parcel", label: "Holidays of parcel carriers" },
  { value: "us_federal", label: "All federal holidays" },
  { value: "none", label: "None" },
];
const dayText = (days: readonly number[]): string => days.map((day) => dayNames[day - 1]).join(", ");

function textOf(part: keyof Draft, draft: Draft): unknown {
  if (part === "serviceDays") return dayText(draft.serviceDays);
  if (part === "holidayCalendar") return calendars.find(({ value }) => value === draft.holidayCalendar)?.label;
  return draft[part];
}

/** Pickup rules of the account. Empty fields use the carrier's defaults. */
export function PickupRulesForm({ account }: { account: CarrierAccount }) {
  const form = useRecordForm<CarrierAccount, Draft>({
    kind: "carrier-accounts",
    record: account,
    draftOf,
    read: readCarrierAccount,
    write: (pickupRules, over) => patchCarrierAccount({ pickupRules }, over),
  });
  const { draft, set } = form;
  const missing = draft.serviceDays.length === 0 ? "Choose at least one day." : undefined;
  return (
    <Card className="px-3 py-2.5" label="Pickup rules">
      <Heading title="Pickup rules" note="Times are local to the pickup address" />
      <SaveForm
        form={form}
        names={names}
        textOf={textOf}
        fields={["/pickupRules"]}
        reason={missingScope(useMe(), "carrier_accounts:write") ?? missing}
        save="Save pickup rules"
      >
        <div className="grid grid-cols-[minmax(0,1fr)] items-end gap-3 sm:grid-cols-2">
          <Switch
            label={names.allowsSameDay}
            isOn={draft.allowsSameDay}
            onChange={(allowsSameDay) => set({ allowsSameDay })}
          />
          {draft.allowsSameDay ? <TimeField form={form} part="cutoffLocalTime" /> : <span />}
          <TimeField form={form} part="earliestReadyTime" />
          <TimeField form={form} part="latestCloseTime" />
          <Switch
            label={names.requiresWindow}
            isOn={draft.requiresWindow}
            onChange={(requiresWindow) => set({ requiresWindow })}
          />
          {draft.requiresWindow ? <CountField form={form} part="minWindowMinutes" /> : <span />}
          <CountField form={form} part="leadMinutes" />
          <CountField form={form} part="maxDaysAhead" />
        </div>
        <DayFields form={form} />
        <div className="grid grid-cols-[minmax(0,1fr)] items-end gap-3 sm:grid-cols-2">
          <CountField form={form} part="maxPackages" />
          <CountField form={form} part="cancelDeadlineMinutes" />
          <WeightField form={form} part="maxTotalWeight" />
          <WeightField form={form} part="maxAverageWeight" />
        </div>
        <Switch label={names.allowsPoBox} isOn={draft.allowsPoBox} onChange={(allowsPoBox) => set({ allowsPoBox })} />
      </SaveForm>
    </Card>
  );
}

type PartProps<Part> = { form: RecordForm<Draft>; part: Part };
const errorOf = ({ errors }: RecordForm<Draft>, part: keyof Draft): string | undefined =>
  errorAt(errors, `/pickupRules/${part}`);

function TimeField({ form, part }: PartProps<Times>) {
  return (
    <TextField
      type="time"
      label={names[part]}
      value={form.draft[part] ?? ""}
      error={errorOf(form, part)}
      onChange={(text) => form.set({ [part]: text || null })}
    />
  );
}

function CountField({ form, part }: PartProps<Counts>) {
  return (
    <TextField
      type="number"
      min={0}
      label={names[part]}
      value={form.draft[part] ?? ""}
      error={errorOf(form, part)}
      onChange={(text) => form.set({ [part]: text === "" ? null : Number(text) })}
    />
  );
}

const units = ["lb", "oz", "kg", "g"].map((value) => ({ value, label: value }));

function WeightField({ form, part }: PartProps<Weights>) {
  const weight = form.draft[part];
  const unit = weight?.unit ?? "lb";
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_5rem] items-end gap-1.5">
      <TextField
        type="number"
        min={0}
        step="any"
        label={names[part]}
        placeholder="no limit"
        value={weight?.value ?? ""}
        error={errorOf(form, part)}
        onChange={(text) => form.set({ [part]: text === "" ? null : { value: Number(text), unit } })}
      />
      <Select
        isLabelHidden
        label={`Unit of ${names[part]}`}
        value={unit}
        options={units}
        onChange={(next) => weight && form.set({ [part]: { ...weight, unit: next } })}
      />
    </div>
  );
}

function DayFields({ form }: { form: RecordForm<Draft> }) {
  const { draft, set } = form;
  const toggle = (day: number, isOn: boolean): number[] =>
    isOn ? [...draft.serviceDays, day].toSorted((a, b) => a - b) : draft.serviceDays.filter((one) => one !== day);
  return (
    <>
      <fieldset className="flex flex-wrap gap-x-3">
        <legend className="text-sm font-medium text-muted">{names.serviceDays}</legend>
        {dayNames.map((name, at) => (
          <Checkbox
            key={name}
            label={name}
            isChecked={draft.serviceDays.includes(at + 1)}
            onChange={(isOn) => set({ serviceDays: toggle(at + 1, isOn) })}
          />
        ))}
      </fieldset>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
        <Select
          label={names.holidayCalendar}
          value={draft.holidayCalendar}
          options={calendars}
          onChange={(value) => set({ holidayCalendar: value as Draft["holidayCalendar"] })}
        />
        <TokenField
          label={names.holidays}
          hint="For example 2026-12-24. Press Enter to add."
          tokens={draft.holidays}
          error={errorOf(form, "holidays")}
          onChange={(holidays) => set({ holidays })}
        />
      </div>
    </>
  );
}
