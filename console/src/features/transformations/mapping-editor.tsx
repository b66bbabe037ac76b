import type { TransformationTest } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { hub } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Heading, Skeleton } from "../../ui/card.tsx";
import { plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { showToast } from "../../ui/toast.tsx";
import { useLatest } from "../../ui/use-latest.ts";
import { useDebounced } from "../../ui/use-debounced.ts";
import type { Mapping, SourcePath, Row } from "./mapping.ts";
import { sourcePathsIn, rowOf, targetsOf, toMappings, toRows } from "./mapping.ts";
import type { RowResults } from "./mapping-rows.form.tsx";
import { MappingRows } from "./mapping-rows.form.tsx";
import type { TargetField, TargetReport, Targets } from "./target-check.ts";
import { checkTargets, exampleRecord } from "./target-check.ts";
import { OutputPanel } from "./output.panel.tsx";
import type { Sample, Slot } from "./sample.panel.tsx";
import { SamplePanel } from "./sample.panel.tsx";
import { mappingTestQuery, targetsQuery } from "./transformations.queries.ts";
import { loadPart } from "../../ui/load-part.ts";

const MappingJson = lazy(loadPart(async () => ({ default: (await import("./mapping-json.tsx")).MappingJson })));

type Props = {
  slot: Slot;
  rows: readonly Row[];
  onChange(rows: Row[]): void;
  isReadOnly: boolean;
  /** The rows extend the connector's built-in mapping instead of replacing it. */
  isExtending?: boolean;
  /** Reports why the mapping should not be activated; undefined: no objection. */
  onVerdict?(reason: string | undefined): void;
};

const noTargets: Targets = { fields: [], recordType: null };

/** Source, mapping rows and output side by side, evaluated by the hub while typing. */
export function MappingEditor({ slot, rows, onChange, isReadOnly, isExtending = false, onVerdict }: Props) {
  const { search, set } = useSearchParams();
  const isJson = oneOf(search["view"]) === "json";
  const [sample, setSample] = useState<Sample>();
  const mappings = useMemo(() => toMappings(rows), [rows]);
  const settled = useDebounced(mappings);
  const test = useQuery(mappingTestQuery(sample && { mappings: settled, sampleData: sample.source }));
  const { data: known = noTargets } = useQuery(targetsQuery(slot));
  const { fields } = known;
  const targets = useMemo(
    () => (known.fields.length > 0 ? checkTargets(rows, known, !isExtending) : undefined),
    [rows, known, isExtending],
  );
  const results = useMemo(() => resultsOf(test.data, targets), [test.data, targets]);
  const verdict =
    targets?.errors[0] ?? (sample && test.data?.ok === false ? "The mapping fails on the sample." : undefined);
  const tellVerdict = useLatest(onVerdict);
  useEffect(() => tellVerdict.current?.(verdict), [verdict, tellVerdict]);
  const paths = useMemo(() => sourcePathsIn(sample?.source), [sample]);
  // Invalid rows are not evaluated, so their source paths are unknown.
  const unused = useMemo(
    () => (test.data && (test.data.ok || test.data.trace.length > 0) ? new Set(test.data.unusedSource) : undefined),
    [test.data],
  );
  const isStale = settled !== mappings || test.isPlaceholderData || test.isFetching;
  return (
    <div className="grid items-start gap-3.5 xl:grid-cols-[minmax(0,9fr)_minmax(0,20fr)_minmax(0,10fr)]">
      <SamplePanel
        slot={slot}
        sample={sample}
        onSample={setSample}
        paths={paths}
        unused={unused}
        onPick={isReadOnly || isJson ? undefined : (path) => onChange(withRowFor(rows, path))}
      />
      <section aria-label="Rows" className="min-w-0">
        <Heading title="Rows" note={plural(rows.length, "row")}>
          {!isReadOnly && <Suggest sample={sample} fields={fields} rows={rows} onChange={onChange} />}
          <Button
            kind="quiet"
            aria-pressed={isJson}
            onClick={() => set({ view: isJson ? undefined : "json" }, "replace")}
          >
            {isJson ? "Edit as rows" : "Edit as JSON"}
          </Button>
        </Heading>
        {isJson ? (
          <Suspense fallback={<Skeleton />}>
            <MappingJson mappings={mappings} onChange={(next) => onChange(toRows(next))} isReadOnly={isReadOnly} />
          </Suspense>
        ) : (
          <>
            {rows.length === 0 && (
              <div className="mb-2 rounded-lg border border-dashed border-line-strong">
                <Empty text={noRowsText(isExtending, known.recordType !== null)} />
              </div>
            )}
            <MappingRows rows={rows} onChange={onChange} results={results} fields={fields} isReadOnly={isReadOnly} />
          </>
        )}
      </section>
      <OutputPanel
        test={sample && test.data}
        targets={targets}
        error={test.error}
        isStale={isStale}
        hasSample={sample !== undefined}
      />
      <Paths id="source-paths" paths={paths.filter(({ list }) => !list).map(({ path }) => path)} />
      <Paths id="element-paths" paths={paths.filter(({ list }) => list).map(({ path }) => path)} />
    </div>
  );
}

function Paths({ id, paths }: { id: string; paths: readonly string[] }) {
  return (
    <datalist id={id}>
      {[...new Set(paths)].map((path) => (
        <option key={path} value={path}>
          {path}
        </option>
      ))}
    </datalist>
  );
}

function noRowsText(isExtending: boolean, makesRecords: boolean): string {
  const what = isExtending
    ? "No rows. Records are imported as the connector reads them."
    : makesRecords
      ? "No rows yet. Each row fills one field."
      : "No rows. The data passes unchanged.";
  return `${what} Click a field of the source, or use Suggest rows.`;
}

function resultsOf(test: TransformationTest | undefined, targets: TargetReport | undefined): RowResults {
  const group = <T extends { path: string }>(entries: readonly T[] = []): Map<string, T[]> =>
    Map.groupBy(entries, ({ path }) => path);
  return {
    errors: group(test?.errors),
    warnings: group(test?.warnings),
    trace: group(test?.trace),
    targets: targets?.wrong ?? new Map(),
  };
}

/** Adds a row for the clicked path; a field of a list goes into the rows of that list. */
function withRowFor(rows: readonly Row[], { path, name, list, isList }: SourcePath): Row[] {
  if (isList) return [...rows, rowOf({ each: path, target: name, mappings: [] })];
  const row = rowOf({ source: path, target: list === undefined ? path.slice(2) : name });
  if (list === undefined) return [...rows, row];
  const isOfList = (one: Row): boolean =>
    one.inner !== undefined && [list, list.slice(2)].includes(String(one.mapping["each"]));
  if (rows.some(isOfList))
    return rows.map((one) => (isOfList(one) ? { ...one, inner: [...(one.inner ?? []), row] } : one));
  const around = rowOf({ each: list, target: list.split(".").at(-1) ?? list, mappings: [] });
  return [...rows, { ...around, inner: [row] }];
}

/** Suggests rows for target fields that no row fills yet. */
function Suggest({
  sample,
  fields,
  rows,
  onChange,
}: {
  sample: Sample | undefined;
  /** Target fields to suggest for when there is no sample output. */
  fields: readonly TargetField[];
  rows: readonly Row[];
  onChange(rows: Row[]): void;
}) {
  const suggest = useMutation({
    mutationFn: ({ source, output }: Sample) =>
      hub.call("POST /api/v1/transformations/suggest", {
        body: { sampleData: source, targetExample: output ?? exampleRecord(fields) },
      }),
    onSuccess: ({ mappings, unmatched }) => {
      const taken = new Set(targetsOf(rows));
      const fresh = (mappings as Mapping[]).filter(({ target }) => !taken.has(String(target)));
      onChange([...rows, ...toRows(fresh)]);
      const left = unmatched.length > 0 && `No similar source field for ${unmatched.slice(0, 6).join(", ")}.`;
      showToast(`${plural(fresh.length, "row")} suggested`, left ? { text: left } : {});
    },
  });
  const why = !sample
    ? "Rows are suggested from a sample. Get a sample first."
    : !sample.output && fields.length === 0 && "The hub does not know the format of this task.";
  return (
    <>
      {suggest.error && <ProblemBox error={suggest.error} />}
      <Button onClick={() => sample && suggest.mutate(sample)} isBusy={suggest.isPending} disabledReason={why}>
        Suggest rows
      </Button>
    </>
  );
}
