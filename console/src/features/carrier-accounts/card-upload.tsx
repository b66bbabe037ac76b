import type { CarrierAccount, RateCard } from "@order-operations-hub/sdk/api-types";
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
import { zoneSchemes } from "./carrier-accounts.text.ts";

type Header = {
  name: string;
  effectiveFrom: string;
  zoneScheme: RateCard["zoneScheme"];
  fuel: string;
  isDraft: boolean;
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
      setWrong(`${given.name} is no JSON: ${error instanceof Error ? error.message : "it cannot be read"}`);
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
      <span className="text-sm text-muted">
        CSV: a row for each weight with a column for each zone, or a row for each price; JSON: as the API has it.
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
    }),
    create: ({ fuel, isDraft, ...header }) =>
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
              }),
          isActive: !isDraft,
        },
      }),
    refetch: ["carrier-accounts"],
    onCreated: (card) => {
      showToast(`${card.name} is uploaded`);
      onClose();
      router.history.push(paths.carrier(account.id, { tab: "cards", card: card.id }));
    },
  });
  const { name, effectiveFrom, isDraft } = form.draft;
  const within = file.card ? "/card" : "/header";
  return (
    <FormDialog
      title={`Prices of ${file.name}`}
      submit="Upload"
      reason={name.trim() === "" ? "It needs a name." : effectiveFrom === "" && "From which day?"}
      form={form}
      onClose={onClose}
    >
      <TextField label="Name" {...form.field("name", `${within}/name`)} maxLength={100} />
      <TextField label="Counts from" type="date" {...form.field("effectiveFrom", `${within}/effectiveFrom`)} />
      <Select
        label="Zones, where the account has no chart"
        {...form.field("zoneScheme", `${within}/zoneScheme`)}
        options={zoneSchemes}
      />
      {!file.card && (
        <TextField
          label="Fuel, in % of the price after discount (optional)"
          type="number"
          min={0}
          max={100}
          step="any"
          {...form.field("fuel", "/header/fuel")}
        />
      )}
      <Checkbox label="Keep it as a draft" isChecked={isDraft} onChange={(next) => form.set({ isDraft: next })} />
    </FormDialog>
  );
}
