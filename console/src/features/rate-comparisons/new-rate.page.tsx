import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { usePreferences } from "../../live/preferences.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { downloadText } from "../../ui/download-text.ts";
import { Figures } from "../../ui/figures.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ColumnMapping } from "./column-mapping.tsx";
import type { ComparisonHeader } from "./comparison-header.form.tsx";
import { ComparisonHeaderForm, useContracts } from "./comparison-header.form.tsx";
import { FileErrors, FileSample } from "./file-report.tsx";
import { headerKey, remember } from "./mapping-memory.ts";
import type { ChosenFile, FileReport, Mapping } from "./rate-comparisons.queries.ts";
import { fileQuery, importFile } from "./rate-comparisons.queries.ts";
import { sampleCsv } from "./rate-comparisons.text.ts";

const maxBytes = 128 * 1024 * 1024;
const accept = ".csv,.tsv,.txt,.xlsx,text/csv";
/** XLSX files are ZIP archives. */
const zipSignature = "PK\u0003\u0004";

/** New rate comparison from a file: column mapping, preview and contract. */
export function NewRatePage() {
  const [file, setFile] = useState<ChosenFile>();
  const [problem, setProblem] = useState<string>();
  const take = async (given: File): Promise<void> => {
    if (given.size > maxBytes) return setProblem("The file is larger than 128 MB. Split it.");
    const isWorkbook = (await given.slice(0, zipSignature.length).text()) === zipSignature;
    const content = isWorkbook ? new Blob([given], { type: "text/csv" }) : await given.text();
    setProblem(undefined);
    setFile({ id: `${given.name} ${given.size} ${given.lastModified}`, name: given.name, content });
  };
  if (file) return <FromFile key={file.id} file={file} problem={problem} onFile={(given) => void take(given)} />;
  return (
    <>
      <Head />
      <FileDrop
        label="Choose a CSV or XLSX file"
        accept={accept}
        onFile={(given) => void take(given)}
        hint="One row per parcel with tracking number and amount paid. Service, ZIP codes and weight make the prices exact."
      />
      {problem && <Problem text={problem} />}
      <p className="mt-2.5 text-muted">
        No file at hand?{" "}
        <Button kind="quiet" onClick={() => downloadText("sample-parcels.csv", sampleCsv)}>
          Download a sample file
        </Button>
      </p>
      <p className="mt-1 text-muted">
        Files as carriers send them are imported as{" "}
        <Link href={paths.invoices()} className="text-accent-text underline underline-offset-2">
          invoices
        </Link>{" "}
        and compared from there.
      </p>
    </>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <p role="alert" className="py-1 text-bad">
      {text}
    </p>
  );
}

function Head({ children }: { children?: React.ReactNode }) {
  return (
    <PageHead above={{ href: paths.rates(), name: "Rates" }} title="New comparison">
      {children}
    </PageHead>
  );
}

type FileProps = { file: ChosenFile; problem: string | undefined; onFile(file: File): void };

function FromFile({ file, problem, onFile }: FileProps) {
  const me = useMe();
  const router = useRouter();
  const { preferences, set } = usePreferences();
  const [mapping, setMapping] = useState<Mapping>({});
  const [isRemembered, setRemembered] = useState(false);
  const [header, setHeader] = useState<ComparisonHeader>({ name: file.name.replace(/\.\w+$/, "").slice(0, 100) });
  const report = useQuery(fileQuery(file, mapping));
  const contracts = useContracts();
  const account = contracts.data?.find(({ id }) => id === header.carrierAccountId);
  useRememberedMapping(report.data, preferences.rateMappings, (kept) => {
    setMapping(kept);
    setRemembered(true);
  });
  const compare = useMutation({
    mutationFn: async ({ carrierAccountId, others = [], ...rest }: ComparisonHeader) => {
      const further = others.filter((id) => id !== carrierAccountId);
      const targets = [carrierAccountId!, ...further].map((id) => ({ carrierAccountId: id }));
      const contracts = further.length === 0 ? { carrierAccountId: carrierAccountId! } : { targets };
      const { comparison } = await importFile(file, mapping, { ...rest, ...contracts, skipInvalid: true });
      const path = { id: comparison!.id };
      try {
        await hub.call("POST /api/v1/rate-comparisons/{id}/process", { path, body: {} });
      } catch (error) {
        // The comparison exists as a draft; its page shows the error and can process it again.
        showToast("The items are not priced yet", { text: (error as Error).message, tone: "bad" });
      }
      return path;
    },
    onSuccess: ({ id }) => {
      const key = report.data && headerKey(report.data.columns);
      if (key) set({ rateMappings: remember(preferences.rateMappings, key, mapping) });
      void queryClient.invalidateQueries({ queryKey: ["rates"] });
      router.history.push(paths.rate(id));
    },
  });
  const { data } = report;
  const reason = missingScope(me, "rates:write") ?? missingPart(data, header, account);
  return (
    <>
      <Head>
        <FileDrop label="Another file" accept={accept} isSmall onFile={onFile} />
        <Button
          kind="primary"
          disabledReason={reason}
          isBusy={compare.isPending}
          onClick={() => compare.mutate(header)}
        >
          {data && data.summary.items > 0 ? `Compare ${plural(data.summary.items, "item")}` : "Compare"}
        </Button>
      </Head>
      <div className="flex flex-col gap-3.5">
        {problem && <Problem text={problem} />}
        {compare.error && <ProblemBox error={compare.error} />}
        {report.error && <ProblemBox error={report.error} />}
        <div className="grid items-start gap-3.5 lg:grid-cols-[300px_minmax(0,1fr)]">
          <div className="flex flex-col gap-3.5">
            <Card className="px-3 py-2.5" label="What to compare">
              <ComparisonHeaderForm value={header} onChange={setHeader} />
            </Card>
            {data && (
              <Figures
                label={`Rows of ${file.name}`}
                figures={[
                  { label: "items to price", value: data.summary.items, tone: "ok" },
                  {
                    label: "rejected rows",
                    value: data.summary.skipped,
                    tone: "bad",
                  },
                ]}
              />
            )}
          </div>
          <div className="flex min-w-0 flex-col gap-3.5">
            {isRemembered && (
              <Remembered
                onForget={() => {
                  setMapping({});
                  setRemembered(false);
                }}
              />
            )}
            {report.isPending && (
              <Card label="Columns">
                <Skeleton rows={10} />
              </Card>
            )}
            {data && (
              <>
                <ColumnMapping
                  report={data}
                  mapping={mapping}
                  onChange={setMapping}
                  isOld={report.isPlaceholderData || report.isFetching}
                />
                <FileErrors report={data} name={file.name} />
                <FileSample report={data} isOld={report.isPlaceholderData} />
              </>
            )}
          </div>
        </div>
      </div>
    </>
  );
}

function Remembered({ onForget }: { onForget(): void }) {
  return (
    <p className="text-muted">
      The columns are mapped as in your last file with this header.{" "}
      <Button kind="quiet" onClick={onForget}>
        Reset to column names
      </Button>
    </p>
  );
}

/** Why the comparison cannot be started yet. */
function missingPart(
  report: FileReport | undefined,
  header: ComparisonHeader,
  account: { name: string; hasPrices: boolean } | undefined,
): string | undefined {
  if (report === undefined) return "The file is being read.";
  if (report.summary.items === 0) return "No row of the file has all required values.";
  if (header.name.trim() === "") return "Enter a name.";
  if (header.carrierAccountId === undefined) return "Choose the contract to compare with.";
  return account && !account.hasPrices ? `${account.name} has no rate card in effect.` : undefined;
}

/** Applies the remembered mapping of the same header, once per file. */
function useRememberedMapping(
  report: FileReport | undefined,
  kept: Record<string, Mapping> | undefined,
  onFound: (mapping: Mapping) => void,
): void {
  const key = report && headerKey(report.columns);
  const found = key === undefined ? undefined : kept?.[key];
  useEffect(() => {
    if (found) onFound(found);
    // Only a new header triggers it; later edits must not be overwritten.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key]);
}
