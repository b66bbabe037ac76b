import type { CarrierAccount, RateCard } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { errorAt, fieldErrors } from "../../ui/field-errors.ts";
import { FileDrop } from "../../ui/file-drop.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
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

/** A file of prices. JSON says everything; beside a CSV a few things have to be said. */
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
  const [header, setHeader] = useState<Header>({
    name: file.card?.name ?? file.name.replace(/\.\w+$/, ""),
    effectiveFrom: file.card?.effectiveFrom ?? new Date(clock.now()).toISOString().slice(0, 10),
    zoneScheme: file.card?.zoneScheme ?? "ups",
    fuel: "",
    isDraft: false,
  });
  const set = (change: Partial<Header>): void => setHeader({ ...header, ...change });
  const upload = useMutation({
    mutationFn: () => {
      const { name, effectiveFrom, zoneScheme, fuel, isDraft } = header;
      const said = { name, effectiveFrom, zoneScheme };
      const csvHeader = {
        ...said,
        ...(fuel === "" ? {} : { fuel: { percent: Number(fuel), appliesTo: "base_net" as const } }),
      };
      return hub.call("POST /api/v1/carrier-accounts/{id}/rate-cards", {
        path: { id: account.id },
        body: {
          ...(file.card ? { card: { ...file.card, ...said } } : { csv: file.text, header: csvHeader }),
          isActive: !isDraft,
        },
      });
    },
    onSuccess: (card) => {
      void queryClient.invalidateQueries({ queryKey: ["carrier-accounts"] });
      tell(`${card.name} is uploaded`);
      onClose();
      router.history.push(paths.carrier(account.id, { tab: "cards", card: card.id }));
    },
  });
  const errors = fieldErrors(upload.error);
  const at = (field: string): string | undefined =>
    errorAt(errors, `/header/${field}`) ?? errorAt(errors, `/card/${field}`);
  return (
    <FormDialog
      title={`Prices of ${file.name}`}
      submit="Upload"
      reason={header.name.trim() === "" ? "It needs a name." : header.effectiveFrom === "" && "From which day?"}
      action={upload}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={header.name}
        maxLength={100}
        error={at("name")}
        onChange={(name) => set({ name })}
      />
      <TextField
        label="Counts from"
        type="date"
        value={header.effectiveFrom}
        error={at("effectiveFrom")}
        onChange={(effectiveFrom) => set({ effectiveFrom })}
      />
      <Select
        label="Zones, where the account has no chart"
        value={header.zoneScheme}
        error={at("zoneScheme")}
        options={zoneSchemes}
        onChange={(zoneScheme) => set({ zoneScheme: zoneScheme as Header["zoneScheme"] })}
      />
      {!file.card && (
        <TextField
          label="Fuel, in % of the price after discount (optional)"
          type="number"
          min={0}
          max={100}
          step="any"
          value={header.fuel}
          error={at("fuel")}
          onChange={(fuel) => set({ fuel })}
        />
      )}
      <Checkbox label="Keep it as a draft" isChecked={header.isDraft} onChange={(isDraft) => set({ isDraft })} />
    </FormDialog>
  );
}
