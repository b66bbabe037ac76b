import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { isAllOnFields } from "../../ui/field-errors.ts";
import { FileDrop } from "../../ui/file-drop.tsx";
import { Fold } from "../../ui/fold.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { invoicePresetsQuery } from "../import-presets/import-presets.queries.ts";
import { DifferingInvoice, RowErrors } from "./invoice-import-errors.tsx";
import type { ChosenFile, FileShape, Reading } from "./invoices.queries.ts";
import { differingIn, sendInvoices, shapeIn } from "./invoices.queries.ts";
import { Imported } from "./invoice-import-result.tsx";
import { fieldOf, InvoiceColumns, presetFor, readingWith } from "./invoice-columns.tsx";
import { ContractField, FormatFields, ReadingForm } from "./invoice-reading.form.tsx";

const accept = ".csv,.tsv,.txt,.xlsx,text/csv";
const maxBytes = 128 * 1024 * 1024;

/** Import of a carrier's file. Known files are imported as they are; for others the columns are mapped first. */
export function InvoiceImportPage() {
  const me = useMe();
  const refused = missingScope(me, "invoices:write");
  const canReadPresets = missingScope(me, "orders:read") === undefined;
  const { data: presets = [] } = useQuery({ ...invoicePresetsQuery, enabled: canReadPresets });
  const [file, setFile] = useState<ChosenFile>();
  const [reading, setReading] = useState<Reading>({ mapping: {} });
  const [shape, setShape] = useState<FileShape>();
  const [presetId, setPresetId] = useState("");
  const [tooLarge, setTooLarge] = useState<string>();
  const send = useMutation({
    mutationFn: (sent: { file: ChosenFile; reading: Reading }) => sendInvoices(sent.file, sent.reading),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["invoices"] }),
    onError: (error, sent) => {
      const found = shapeIn(error);
      if (!found) return;
      setShape(found);
      const preset = Object.keys(sent.reading.mapping).length === 0 && presetFor(found, presets);
      if (!preset) return;
      setPresetId(preset.id);
      setReading((before) => readingWith(before, preset, found));
    },
  });
  const take = async (given: File): Promise<void> => {
    if (given.size > maxBytes) return setTooLarge(`${given.name} is larger than 128 MB. Split it by invoice.`);
    const chosen = { name: given.name, bytes: await given.arrayBuffer() };
    // Formats apply to the next file as well; columns and names belong to one.
    const { carrier: _carrier, number: _number, ...formats } = reading;
    const next = { ...formats, mapping: {} };
    setTooLarge(undefined);
    setFile(chosen);
    setReading(next);
    setShape(undefined);
    setPresetId("");
    send.mutate({ file: chosen, reading: next });
  };
  const onFile = (given: File): void => void take(given);
  if (send.data && file) return <Imported answer={send.data} fileName={file.name} accept={accept} onFile={onFile} />;
  return (
    <>
      <PageHead above={{ href: paths.invoices(), name: "Invoices" }} title="Import invoices" note={file?.name}>
        {file && (
          <>
            <FileDrop isSmall label="Another file" accept={accept} isBusy={send.isPending} onFile={onFile} />
            <Button
              kind="primary"
              isBusy={send.isPending}
              disabledReason={missingPart(shape, reading)}
              onClick={() => send.mutate({ file, reading })}
            >
              {differingIn(send.error) ? "Import again" : "Import"}
            </Button>
          </>
        )}
      </PageHead>
      {tooLarge && (
        <p role="alert" className="mb-2.5 text-bad">
          {tooLarge}
        </p>
      )}
      {refused && <p className="text-muted">{refused}</p>}
      {!refused && !file && <Start reading={reading} onChange={setReading} onFile={onFile} />}
      {file && (
        <div className="flex flex-col gap-3.5">
          {send.isPending && !shape && (
            <Card label="Import">
              <p className="px-3 pt-2.5 text-muted">Importing {file.name}</p>
              <Skeleton rows={6} />
            </Card>
          )}
          {send.error && <Problem error={send.error} preset={presets.find(({ id }) => id === presetId)?.name} />}
          {(shape ?? (send.error && !differingIn(send.error))) && (
            <div className="grid items-start gap-3.5 lg:grid-cols-[300px_minmax(0,1fr)]">
              <ReadingForm
                reading={reading}
                shape={shape}
                presets={presets}
                presetId={presetId}
                onPreset={setPresetId}
                error={send.error}
                onChange={setReading}
              />
              {shape && <InvoiceColumns shape={shape} reading={reading} onChange={setReading} />}
            </div>
          )}
        </div>
      )}
    </>
  );
}

type StartProps = { reading: Reading; onChange(reading: Reading): void; onFile(file: File): void };

function Start({ reading, onChange, onFile }: StartProps) {
  return (
    <div className="flex flex-col gap-3.5">
      <div className="max-w-sm">
        <ContractField reading={reading} onChange={onChange} />
      </div>
      <FileDrop
        label="Choose a CSV or XLSX file"
        accept={accept}
        hint="Files of UPS (Billing Data), FedEx (Billing Online), DHL Express, EasyPost and ShipStation are detected. For other files you choose what each column is."
        onFile={onFile}
      />
      <Fold title="Number and date formats">
        <div className="grid max-w-xl gap-2.5 sm:grid-cols-2">
          <FormatFields reading={reading} onChange={onChange} />
        </div>
      </Fold>
    </div>
  );
}

function Problem({ error, preset }: { error: Error; preset: string | undefined }) {
  const differing = differingIn(error);
  if (differing) return <DifferingInvoice differing={differing} message={error.message} />;
  const shape = shapeIn(error);
  if (shape && preset !== undefined) {
    return <p role="status">The columns are those of the preset {preset}. Check them, and import.</p>;
  }
  if (shape) {
    return (
      <p role="status">
        {error instanceof HubApiError && error.errors[0]?.code === "unknown_format"
          ? "This is not a file of a known carrier. Choose what its columns are, at least one amount, and enter the carrier."
          : "The columns are read by their names. Check them, and enter the carrier."}
      </p>
    );
  }
  if (error instanceof HubApiError && error.errors.some(({ row }) => row !== undefined)) {
    return <RowErrors errors={error.errors} />;
  }
  return isAllOnFields(error, ["/number"]) ? null : <ProblemBox error={error} />;
}

/** Why the file cannot be imported yet. */
function missingPart(shape: FileShape | undefined, reading: Reading): string | undefined {
  if (!shape) return undefined;
  const isAmount = (field: string | null): boolean =>
    field !== null && field.endsWith("Amount") && field !== "invoiceAmount";
  if (!shape.columns.some((column) => isAmount(fieldOf(column, reading)))) return "Choose the column with the amount.";
  return reading.carrier?.trim() ? undefined : "Enter the carrier.";
}
