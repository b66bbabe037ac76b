import { useQuery } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { errorAt, fieldErrors } from "../../ui/field-errors.ts";
import { Fold } from "../../ui/fold.tsx";
import { Select } from "../../ui/select.tsx";
import { FormPopover } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { contractsQuery } from "../carrier-accounts/carrier-account.queries.ts";
import type { ImportPreset, PresetSettings } from "../import-presets/import-presets.queries.ts";
import { readingWith } from "./invoice-columns.tsx";
import type { FileShape, Reading } from "./invoices.queries.ts";
import { formatTexts } from "./invoices.text.ts";

type Props = {
  reading: Reading;
  /** Undefined: the file was recognised, and failed for another reason. */
  shape: FileShape | undefined;
  presets: readonly ImportPreset[];
  presetId: string;
  onPreset(id: string): void;
  error: Error | null;
  onChange(reading: Reading): void;
};

/** What the file does not say: carrier, number and formats. */
export function ReadingForm({ reading, shape, presets, presetId, error, onPreset, onChange }: Props) {
  const errors = fieldErrors(error);
  const apply = (id: string): void => {
    onPreset(id);
    const preset = presets.find((one) => one.id === id);
    if (shape) onChange(preset ? readingWith(reading, preset, shape) : { ...reading, mapping: {} });
  };
  const needsNumber = errorAt(errors, "/number");
  return (
    <Card className="px-3 py-2.5" label="File format">
      <Heading title="File format" />
      <div className="flex flex-col gap-2.5">
        {shape && presets.length > 0 && (
          <Select
            label="Preset"
            value={presetId}
            placeholder="None"
            options={[{ value: "", label: "None" }, ...presets.map(({ id, name }) => ({ value: id, label: name }))]}
            onChange={apply}
          />
        )}
        {shape && (
          <TextField
            label="Carrier"
            hint="The sender of the invoice. Use the same name for all invoices of a carrier."
            value={reading.carrier ?? ""}
            maxLength={100}
            onChange={(carrier) => onChange({ ...reading, carrier })}
          />
        )}
        {(shape ?? needsNumber) && (
          <TextField
            label={needsNumber ? "Invoice number" : "Invoice number (optional)"}
            hint="For files that do not state it."
            error={needsNumber && "The file names no invoice and no day. Enter the number of the invoice."}
            value={reading.number ?? ""}
            maxLength={100}
            onChange={(number) => onChange({ ...reading, number })}
          />
        )}
        <ContractField reading={reading} onChange={onChange} />
        <Fold title="Number and date formats" isOpenAtFirst={!shape && !needsNumber}>
          <div className="flex flex-col gap-2.5">
            <FormatFields reading={reading} onChange={onChange} />
          </div>
        </Fold>
        {shape && <SavePreset reading={reading} onSaved={onPreset} />}
      </div>
    </Card>
  );
}

/** The contract that the invoices are audited against. Hidden from users who may not see carrier accounts. */
export function ContractField({ reading, onChange }: Pick<Props, "reading" | "onChange">) {
  const mayRead = missingScope(useMe(), "carrier_accounts:read") === undefined;
  const { data = [] } = useQuery({ ...contractsQuery, enabled: mayRead });
  const contracts = data.filter(({ hasCard }) => hasCard);
  if (contracts.length === 0) return null;
  return (
    <Select
      label="Audit against"
      hint="The contract with the carrier. Charges above it become findings."
      value={reading.carrierAccountId ?? ""}
      options={[
        { value: "", label: "Contract of the last invoice of this account" },
        ...contracts.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(id) => {
        const { carrierAccountId: _old, ...rest } = reading;
        onChange({ ...rest, ...(id ? { carrierAccountId: id } : {}) });
      }}
    />
  );
}

export function FormatFields({ reading, onChange }: Pick<Props, "reading" | "onChange">) {
  const set = (name: keyof typeof formatTexts, value: string): void => {
    const { [name]: _old, ...rest } = reading;
    onChange({ ...rest, ...(value ? { [name]: value } : {}) });
  };
  const choice = (label: string, name: keyof typeof formatTexts) => (
    <Select
      label={label}
      value={reading[name] ?? ""}
      options={[
        { value: "", label: "Detect automatically" },
        ...Object.entries(formatTexts[name]).map(([value, text]) => ({ value, label: text })),
      ]}
      onChange={(value) => set(name, value)}
    />
  );
  return (
    <>
      {choice("Delimiter", "delimiter")}
      {choice("Decimal separator", "decimalSeparator")}
      {choice("Date order", "dateOrder")}
      <TextField
        label="Default currency"
        hint="Three letters, such as EUR. Default: USD"
        value={reading.currency ?? ""}
        maxLength={3}
        onChange={(text) => onChange({ ...reading, currency: text.toUpperCase().replaceAll(/[^A-Z]/g, "") })}
      />
    </>
  );
}

/** Saves the columns and formats for the next file of the same shape. */
function SavePreset({ reading, onSaved }: { reading: Reading; onSaved(id: string): void }) {
  const { mapping, delimiter, decimalSeparator, dateOrder, currency, carrier } = reading;
  const settings: PresetSettings = {
    mapping,
    ...(delimiter ? { delimiter } : {}),
    ...(decimalSeparator ? { decimalSeparator } : {}),
    ...(dateOrder ? { dateOrder } : {}),
    ...(currency ? { currency } : {}),
  };
  const form = useCreateForm({
    start: { name: "" },
    create: ({ name }) =>
      hub.call("POST /api/v1/import-presets", {
        body: { name: name.trim() || (carrier?.trim() ?? ""), kind: "invoices", settings },
      }),
    refetch: ["import-presets"],
    onCreated: ({ id, name }) => {
      onSaved(id);
      showToast(`Preset ${name} saved`);
      // Not `reset`, which would forget the request before its popover closes.
      form.set({ name: "" });
    },
  });
  const refused =
    missingScope(useMe(), "orders:write") ??
    (Object.keys(mapping).length === 0 && "Choose a column first: the names alone are recognised without a preset.");
  if (refused) {
    return (
      <div>
        <Button disabledReason={refused}>Save as preset</Button>
      </div>
    );
  }
  return (
    <div>
      <FormPopover
        title="Save as preset"
        triggerClass={buttonClass("plain")}
        trigger="Save as preset"
        submit="Save"
        form={form}
      >
        <TextField label="Preset name" {...form.field("name")} placeholder={carrier ?? ""} maxLength={100} />
        <p className="text-sm text-muted">Saves the columns and formats for the whole organization.</p>
      </FormPopover>
    </div>
  );
}
