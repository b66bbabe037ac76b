import type { CarrierAccount, RateCard } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useClock } from "../../ui/zone.tsx";
import { downloadText } from "../../ui/download-text.ts";
import { CardColumns } from "./card-columns.tsx";
import { rateCardsQuery } from "./carrier-account.queries.ts";
import { sampleCard, zoneSchemes } from "./carrier-accounts.text.ts";

type Header = {
  name: string;
  effectiveFrom: string;
  zoneScheme: RateCard["zoneScheme"];
  fuel: string;
  isDraft: boolean;
  /** Fields of columns; others are recognized by their names. */
  mapping: Record<string, string | null>;
};
type Chosen = { name: string; text: string; card: RateCard | undefined };

/** Uploads a rate card. JSON is complete; for a CSV the dialog asks for the rest. */
export function CardUpload({ account }: { account: CarrierAccount }) {
  const refused = missingScope(useMe(), "carrier_accounts:write");
  const [file, setFile] = useState<Chosen>();
  const [wrong, setWrong] = useState<string>();
  const take = async (given: File): Promise<void> => {
    const text = await given.text();
    const isJson = /^\s*\{/.test(text);
    try {
      const read = isJson ? (JSON.parse(text) as RateCard | { card: RateCard }) : undefined;
      setWrong(undefined);
      setFile({ name: given.name, text, card: read && "card" in read ? read.card : read });
    } catch (error) {
      setWrong(`${given.name} is not valid JSON: ${error instanceof Error ? error.message : "it cannot be read"}`);
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-2.5">
      {refused ? (
        <Button disabledReason={refused}>Upload a rate card</Button>
      ) : (
        <FileDrop
          label="Upload a rate card"
          accept=".csv,.json,text/csv,application/json"
          isSmall
          onFile={(one) => void take(one)}
        />
      )}
      <Button kind="quiet" onClick={() => downloadText("rate-card-sample.csv", sampleCard)}>
        Download a sample file
      </Button>
      <span className="text-sm text-muted">
        CSV with one row per weight and one column per zone, or one row per price. Or JSON in the format of the API.
      </span>
      {wrong && (
        <p role="alert" className="w-full text-bad">
          {wrong}
        </p>
      )}
      {file && <UploadDialog key={file.name} account={account} file={file} onClose={() => setFile(undefined)} />}
    </div>
  );
}

function UploadDialog({ account, file, onClose }: { account: CarrierAccount; file: Chosen; onClose(): void }) {
  const router = useRouter();
  const clock = useClock();
  const form = useCreateForm({
    start: (): Header => ({
      name: file.card?.name ?? file.name.replace(/\.\w+$/, ""),
      effectiveFrom: file.card?.effectiveFrom ?? new Date(clock.now()).toISOString().slice(0, 10),
      zoneScheme: file.card?.zoneScheme ?? "ups",
      fuel: "",
      isDraft: false,
      mapping: {},
    }),
    create: ({ fuel, isDraft, mapping, ...header }) =>
      hub.call("POST /api/v1/carrier-accounts/{id}/rate-cards", {
        path: { id: account.id },
        body: {
          ...(file.card
            ? { card: { ...file.card, ...header } }
            : {
                csv: file.text,
                header: {
                  ...header,
                  ...(fuel === "" ? {} : { fuel: { percent: Number(fuel), appliesTo: "base_net" as const } }),
                },
                mapping,
              }),
          isActive: !isDraft,
        },
      }),
    refetch: ["carrier-accounts"],
    onCreated: (card) => {
      showToast(card.warnings[0]?.message ?? `${card.name} uploaded`);
      onClose();
      router.history.push(paths.carrier(account.id, { tab: "cards", card: card.id }));
    },
  });
  const { name, effectiveFrom, isDraft, mapping } = form.draft;
  const { data: cards } = useQuery(rateCardsQuery(account.id, 1));
  const same = cards?.data.find(
    (card) =>
      card.isActive &&
      card.effectiveFrom === effectiveFrom &&
      card.name.toLowerCase() === name.trim().toLowerCase() &&
      card.effectiveTo === (file.card?.effectiveTo ?? null),
  );
  const within = file.card ? "/card" : "/header";
  return (
    <FormDialog
      title={`Upload ${file.name}`}
      submit="Upload rate card"
      reason={name.trim() === "" ? "Enter a name." : effectiveFrom === "" && "Choose the first day."}
      form={form}
      onClose={onClose}
    >
      <TextField label="Name" {...form.field("name", `${within}/name`)} maxLength={100} />
      <TextField label="Valid from" type="date" {...form.field("effectiveFrom", `${within}/effectiveFrom`)} />
      <Select
        label="Zones if the account has no zone chart"
        {...form.field("zoneScheme", `${within}/zoneScheme`)}
        options={zoneSchemes}
      />
      {!file.card && (
        <TextField
          label="Fuel surcharge in % of the discounted price (optional)"
          type="number"
          min={0}
          max={100}
          step="any"
          {...form.field("fuel", "/header/fuel")}
        />
      )}
      {same && (
        <p role="status" className="text-sm text-warn">
          The account already has a card with this name and period (upload {same.version}). The new card will be used in
          its place.
        </p>
      )}
      {!file.card && <CardColumns csv={file.text} mapping={mapping} onChange={(next) => form.set({ mapping: next })} />}
      <Checkbox label="Save as a draft" isChecked={isDraft} onChange={(next) => form.set({ isDraft: next })} />
    </FormDialog>
  );
}
