import type { Execution } from "@order-operations-hub/sdk/api-types";
import type { ReactNode } from "react";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { formatCount, sentence, words } from "../../ui/format.ts";
import { JsonView } from "../../ui/json-view.tsx";
import { RecordLink } from "../../ui/link.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import type { Tone } from "../../ui/tone.ts";
import { hasEnded } from "./tasks.queries.ts";

type Told = { ref: string; status: string; error?: { code: string; message: string } };

/** Input and output of an execution: figures first, raw data on demand. */
export function TaskData({ execution }: { execution: Execution }) {
  const { search } = useSearchParams();
  const tab = oneOf(search["data"]) === "in" ? "in" : "out";
  const at = (data?: string): string => paths.task(execution.id, { data });
  return (
    <Card label="Input and output" className="px-3 pt-1.5 pb-3">
      <TabLinks
        label="Input and output"
        tabs={[
          { href: at(), label: "Output", isOn: tab === "out" },
          { href: at("in"), label: "Input", isOn: tab === "in" },
        ]}
      />
      {tab === "in" ? <In execution={execution} /> : <Out execution={execution} />}
    </Card>
  );
}

function In({ execution: { input, transformedInput } }: { execution: Execution }) {
  return (
    <div className="flex flex-col gap-2">
      <Tree label="As requested" value={input} isEmpty={Object.keys(input).length === 0} />
      {transformedInput && <Tree label="As sent, after the field mapping" value={transformedInput} />}
    </div>
  );
}

function Out({ execution }: { execution: Execution }) {
  const { result } = execution;
  if (result === null || result === undefined)
    return <p className="text-muted">{hasEnded(execution) ? "No output." : "No output yet."}</p>;
  const { summary, results, ...rest } = (typeof result === "object" ? result : {}) as Record<string, unknown>;
  const figures = figuresOf({ ...rest, ...(summary as object | undefined) });
  const told = Array.isArray(results) ? (results as Told[]) : [];
  const left = told.filter(({ status }) => !["sent", "updated", "already_sent"].includes(status));
  return (
    <div className="flex flex-col gap-2">
      {figures.length > 0 && (
        <p className="flex flex-wrap gap-x-4 gap-y-1">
          {figures.map(([name, value]) => (
            <span key={name}>
              <span className="font-semibold tabular-nums">{formatCount(value)}</span>{" "}
              <span className="text-muted">{words(name)}</span>
            </span>
          ))}
        </p>
      )}
      {left.length > 0 && <Left results={left} />}
      <Tree label="Complete output" value={result} />
    </div>
  );
}

const figuresOf = (data: Record<string, unknown>): Array<[string, number]> =>
  Object.entries(data).filter((entry): entry is [string, number] => typeof entry[1] === "number");

const tones: Record<string, Tone> = { failed: "bad", outcome_unknown: "warn", in_progress: "info" };

const leftColumns: Array<ListColumn<Told>> = [
  {
    name: "Order",
    cell: ({ ref }) => (
      <RecordLink href={paths.order(ref)} className="font-mono text-sm">
        {ref}
      </RecordLink>
    ),
  },
  {
    name: "Result",
    cell: ({ status }) => <Badge tone={tones[status] ?? "skip"}>{sentence(status)}</Badge>,
  },
  { name: "Error", className: "text-muted", cell: ({ error }) => error?.message ?? "–" },
];

/** Orders of a push that failed or whose outcome is unknown. */
function Left({ results }: { results: Told[] }) {
  return (
    <RowTable
      label="Orders that were not sent"
      rows={results.slice(0, 100)}
      idOf={({ ref }) => ref}
      columns={leftColumns}
    />
  );
}

function Tree({ label, value, isEmpty }: { label: string; value: unknown; isEmpty?: boolean }): ReactNode {
  return (
    <div>
      <p className="mb-1 text-sm font-medium text-muted">{label}</p>
      {isEmpty ? <p className="text-muted">The task needs no input.</p> : <JsonView label={label} value={value} />}
    </div>
  );
}
