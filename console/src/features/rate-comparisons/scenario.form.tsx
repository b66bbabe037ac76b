import type { RateComparison, RateComparisonMix } from "@order-operations-hub/sdk/api-types";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Fold } from "../../ui/fold.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { sentence, words } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { DraftRule, ScenarioDraft } from "./scenario-draft.ts";
import { levels, missingIn, startOf, toRequest } from "./scenario-draft.ts";

type Props = { comparison: RateComparison; mix: RateComparisonMix; onClose(): void };
type Set = (change: Partial<ScenarioDraft>) => void;
type PartProps = { draft: ScenarioDraft; set: Set; mix: RateComparisonMix };

/** Other terms, a mix by rules, and commitments. */
export function ScenarioForm({ comparison, mix, onClose }: Props) {
  const router = useRouter();
  const form = useCreateForm({
    start: () => startOf(mix),
    create: (draft) =>
      hub.call("POST /api/v1/rate-comparisons/{id}/scenarios", {
        path: { id: comparison.id },
        body: toRequest(draft),
      }),
    refetch: ["rates", "scenarios", comparison.id],
    onCreated: ({ id }) => {
      onClose();
      router.history.push(paths.rate(comparison.id, { scenario: id }));
    },
  });
  const { draft, set } = form;
  return (
    <FormDialog
      title="New scenario"
      submit="Save scenario"
      reason={missingIn(draft)}
      form={form}
      isWide
      onClose={onClose}
    >
      <TextField label="Name" maxLength={100} {...form.field("name")} />
      <TermFields draft={draft} set={set} mix={mix} />
      <RuleFields draft={draft} set={set} mix={mix} />
      <CommitmentFields draft={draft} set={set} mix={mix} />
      <Checkbox
        label={`Parcels may stay with ${comparison.sourceCarrier || "the carrier that was paid"}`}
        isChecked={draft.keepSource}
        onChange={(keepSource) => set({ keepSource })}
      />
    </FormDialog>
  );
}

const termFields = [
  ["increasePercent", "General increase, %"],
  ["fuelPercent", "Fuel, %"],
  ["extraDiscountPercent", "Additional discount, %"],
  ["dimDivisor", "DIM divisor"],
  ["minimumChange", "Added to the minimum"],
] as const;

function TermFields({ draft, set, mix }: PartProps) {
  const codes = [...new Set(mix.targets.flatMap(({ costBreakdown }) => Object.keys(costBreakdown.surcharges)))];
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Terms</legend>
      <div className="grid gap-2 sm:grid-cols-3">
        <Select
          label="Contract"
          value={draft.target}
          options={[{ value: "", label: "All contracts" }, ...optionsOf(mix)]}
          onChange={(target) => set({ target })}
        />
        {termFields.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            inputMode="decimal"
            placeholder="As contracted"
            value={draft[name]}
            onChange={(value) => set({ [name]: value })}
          />
        ))}
      </div>
      {codes.length > 0 && (
        <Fold title="Surcharges">
          <div className="grid gap-2 sm:grid-cols-3">
            {codes.map((code) => (
              <TextField
                key={code}
                label={`${sentence(code)}, % more`}
                inputMode="decimal"
                value={draft.surcharges[code] ?? ""}
                onChange={(value) => set({ surcharges: { ...draft.surcharges, [code]: value } })}
              />
            ))}
          </div>
        </Fold>
      )}
    </fieldset>
  );
}

function RuleFields({ draft, set, mix }: PartProps) {
  const { rules } = draft;
  const change = (index: number, part: Partial<DraftRule>): void =>
    set({ rules: rules.map((rule, at) => (at === index ? { ...rule, ...part } : rule)) });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Rules</legend>
      {rules.length > 0 && <p className="text-sm text-muted">The first rule that matches a parcel decides.</p>}
      {rules.map((rule, index) => (
        <div key={rule.id} className="grid items-end gap-2 sm:grid-cols-[repeat(6,minmax(0,1fr))_auto]">
          <Select
            label={`Rule ${index + 1}: contract`}
            value={rule.target}
            options={optionsOf(mix)}
            onChange={(target) => change(index, { target })}
          />
          <TextField
            label="Paid carriers"
            placeholder="Any; UPS, USPS"
            value={rule.carriers}
            onChange={(carriers) => change(index, { carriers })}
          />
          <Select
            label="Service level"
            value={rule.level}
            options={[{ value: "", label: "Any" }, ...levels.map((value) => ({ value, label: words(value) }))]}
            onChange={(level) => change(index, { level })}
          />
          <TextField
            label="Zones"
            placeholder="Any; 2, 3, 4"
            value={rule.zones}
            onChange={(zones) => change(index, { zones })}
          />
          <TextField
            label="Over, lb"
            inputMode="decimal"
            value={rule.over}
            onChange={(over) => change(index, { over })}
          />
          <TextField
            label="Up to, lb"
            inputMode="decimal"
            value={rule.upTo}
            onChange={(upTo) => change(index, { upTo })}
          />
          <Button
            kind="quiet"
            aria-label={`Remove rule ${index + 1}`}
            onClick={() => set({ rules: rules.filter((one) => one !== rule) })}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button
        className="self-start"
        disabledReason={rules.length >= 50 && "A scenario has at most 50 rules."}
        onClick={() =>
          set({
            rules: [
              ...rules,
              { id: crypto.randomUUID(), target: "1", carriers: "", level: "", zones: "", over: "", upTo: "" },
            ],
          })
        }
      >
        Add rule
      </Button>
    </fieldset>
  );
}

function CommitmentFields({ draft, set, mix }: PartProps) {
  return (
    <Fold title="Commitments" isOpenAtFirst={draft.commitments.some(({ parcels, revenue }) => parcels || revenue)}>
      <div className="flex flex-col gap-2">
        {mix.targets.map(({ target, name }, index) => {
          const own = draft.commitments[index]!;
          const change = (part: Partial<typeof own>): void =>
            set({ commitments: draft.commitments.map((one, at) => (at === index ? { ...one, ...part } : one)) });
          return (
            <div key={target} className="grid gap-2 sm:grid-cols-2">
              <TextField
                label={`${name}: minimum parcels`}
                inputMode="numeric"
                value={own.parcels}
                onChange={(parcels) => change({ parcels })}
              />
              <TextField
                label={`${name}: minimum amount`}
                inputMode="decimal"
                value={own.revenue}
                onChange={(revenue) => change({ revenue })}
              />
            </div>
          );
        })}
      </div>
    </Fold>
  );
}

function optionsOf(mix: RateComparisonMix) {
  return mix.targets.map(({ target, name }) => ({ value: String(target), label: name }));
}
