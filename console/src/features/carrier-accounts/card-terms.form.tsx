import type { RateCardDetail } from "@order-operations-hub/sdk/api-types";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TextArea, TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { PeakDraft, ServiceDraft, TermsDraft } from "./card-terms.ts";
import { ServiceTiers } from "./card-tiers.form.tsx";
import { cardWith, draftOf, wrongIn } from "./card-terms.ts";

/** Changes the terms of a card. Cards do not change: the result is another version with the same prices. */
export function ChangeTerms({ detail }: { detail: RateCardDetail }) {
  const [isOpen, setOpen] = useState(false);
  const refused = missingScope(useMe(), "carrier_accounts:write");
  return (
    <>
      <Button disabledReason={refused} onClick={() => setOpen(true)}>
        Change terms
      </Button>
      {isOpen && <TermsDialog detail={detail} onClose={() => setOpen(false)} />}
    </>
  );
}

type Draft = TermsDraft & { isSavedAsDraft: boolean };

function TermsDialog({ detail, onClose }: { detail: RateCardDetail; onClose(): void }) {
  const router = useRouter();
  const { card, carrierAccountId } = detail;
  const form = useCreateForm({
    start: (): Draft => ({ ...draftOf(card), isSavedAsDraft: false }),
    create: ({ isSavedAsDraft, ...draft }) =>
      hub.call("POST /api/v1/carrier-accounts/{id}/rate-cards", {
        path: { id: carrierAccountId },
        body: { card: cardWith(card, draft), isActive: !isSavedAsDraft },
      }),
    refetch: ["carrier-accounts"],
    onCreated: (created) => {
      showToast(created.warnings[0]?.message ?? `${created.name} saved`);
      onClose();
      router.history.push(paths.carrier(carrierAccountId, { tab: "cards", card: created.id }));
    },
  });
  const { draft, set } = form;
  const wrong = wrongIn(draft);
  const setService = (code: string, change: Partial<ServiceDraft>): void =>
    set({ services: draft.services.map((one) => (one.code === code ? { ...one, ...change } : one)) });
  const [firstWrong] = wrong.values();
  return (
    <FormDialog
      title={`Change terms of ${card.name}`}
      isWide
      form={form}
      submit="Save rate card"
      reason={
        (draft.name.trim() === "" && "Enter a name.") ||
        (draft.effectiveFrom === "" && "Choose the first day.") ||
        firstWrong
      }
      onClose={onClose}
    >
      <p className="text-muted">
        Saves another version of the card. Prices by weight and zone stay as they are. Until the first day, the previous
        card is used.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="Name" {...form.field("name", "/card/name")} maxLength={100} />
        <TextField label="Valid from" type="date" {...form.field("effectiveFrom", "/card/effectiveFrom")} />
      </div>
      <TextArea
        label="Fuel of all services in %"
        hint="One percentage, or a line for each change: 2026-01-05 18.25"
        rows={2}
        value={draft.fuel}
        error={wrong.get("fuel")}
        onChange={(fuel) => set({ fuel })}
      />
      <TextArea
        label="Weekly revenue"
        hint="Decides earned discounts. A line for each change: 2026-01-05 12000"
        rows={2}
        value={draft.weeklyRevenue}
        error={wrong.get("weeklyRevenue")}
        onChange={(weeklyRevenue) => set({ weeklyRevenue })}
      />
      {draft.services.map((service, at) => (
        <ServiceTerms
          key={service.code}
          name={card.services[at]?.name ?? service.code}
          draft={service}
          wrong={wrong}
          onChange={(change) => setService(service.code, change)}
        />
      ))}
      <Peaks peaks={draft.peaks} wrong={wrong} onChange={(peaks) => set({ peaks })} />
      <Checkbox
        label="Save as a draft"
        isChecked={draft.isSavedAsDraft}
        onChange={(isSavedAsDraft) => set({ isSavedAsDraft })}
      />
    </FormDialog>
  );
}

const groupClass = "flex flex-col gap-2.5 rounded-lg border border-line px-3 pt-1 pb-2.5";
const legendClass = "px-1 font-semibold";

type Wrong = ReadonlyMap<string, string>;
type ServiceProps = { name: string; draft: ServiceDraft; wrong: Wrong; onChange(change: Partial<ServiceDraft>): void };

function ServiceTerms({ name, draft, wrong, onChange }: ServiceProps) {
  const field = (part: "fuel" | "dim" | "minimum" | "reduction") => ({
    value: draft[part],
    error: wrong.get(`${draft.code} ${part}`),
    onChange: (value: string) => onChange({ [part]: value }),
  });
  return (
    <fieldset className={groupClass}>
      <legend className={legendClass}>{name}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextArea label="Own fuel in %" hint="Empty: the fuel of all services" rows={2} {...field("fuel")} />
        <TextArea
          label="Divisor of dimensional weight"
          hint="139. Before it, smaller parcels: 1728 194. After it, later terms: from 2026-05-01"
          rows={2}
          {...field("dim")}
        />
        <TextField label="Minimum charge" inputMode="decimal" {...field("minimum")} />
        <TextField
          label="Reduction of the minimum"
          hint="Subtracted from the list price that is the minimum"
          inputMode="decimal"
          {...field("reduction")}
        />
      </div>
      <ServiceTiers
        draft={draft.tiers}
        wrong={(name) => wrong.get(`${draft.code} ${name}`)}
        onChange={(change) => onChange({ tiers: { ...draft.tiers, ...change } })}
      />
    </fieldset>
  );
}

type PeakProps = { peaks: readonly PeakDraft[]; wrong: Wrong; onChange(peaks: PeakDraft[]): void };

/** Surcharges between two days. */
function Peaks({ peaks, wrong, onChange }: PeakProps) {
  const field = (at: number, part: keyof PeakDraft) => ({
    value: peaks[at]![part],
    error: wrong.get(`${at} ${part}`),
    onChange: (value: string) => onChange(peaks.map((one, index) => (index === at ? { ...one, [part]: value } : one))),
  });
  return (
    <fieldset className={groupClass}>
      <legend className={legendClass}>Peak surcharges</legend>
      {peaks.map((peak, at) => (
        // A row has no identity of its own; rows are only added at the end.
        <div key={at} className="grid items-start gap-3 sm:grid-cols-3">
          <TextField label="Code" {...field(at, "code")} maxLength={40} />
          <TextField label="Name (optional)" {...field(at, "label")} maxLength={100} />
          <TextField label="Amount for each parcel" inputMode="decimal" {...field(at, "amount")} />
          <TextField label="First day" type="date" {...field(at, "from")} />
          <TextField label="Last day" type="date" {...field(at, "to")} />
          <div className="self-end">
            <Button
              kind="quiet"
              aria-label={`Remove the peak surcharge ${peak.code}`}
              onClick={() => onChange(peaks.filter((_, index) => index !== at))}
            >
              Remove
            </Button>
          </div>
        </div>
      ))}
      <div>
        <Button onClick={() => onChange([...peaks, { code: "", label: "", amount: "", from: "", to: "" }])}>
          Add a peak surcharge
        </Button>
      </div>
    </fieldset>
  );
}
