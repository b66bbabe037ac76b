import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { TextArea } from "../../ui/text-field.tsx";
import { Select } from "../../ui/select.tsx";
import { formatTime, useClock } from "../../ui/zone.tsx";
import { keptSamplesQuery, pullSample } from "../bridges/bridges.queries.ts";
import type { SourcePath } from "./mapping.ts";
import { lastExecution, newestOrder } from "./transformations.queries.ts";

/** Test input. `output`: the result of the built-in mapping, used for suggestions. */
export type Sample = { label: string; source: Record<string, unknown>; output?: Record<string, unknown> | undefined };

export type Slot = { bridgeId: string; taskName: string; direction: "inbound" | "outbound"; mode: string };

type Props = {
  slot: Slot;
  sample: Sample | undefined;
  onSample(sample: Sample | undefined): void;
  paths: readonly SourcePath[];
  /** Paths that no row uses. */
  unused: ReadonlySet<string> | undefined;
  onPick: ((path: SourcePath) => void) | undefined;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Sample of the source with its paths. A click adds a row. */
export function SamplePanel({ slot, sample, onSample, paths, unused, onPick }: Props) {
  return (
    <section aria-label="Source" className="min-w-0">
      <Heading title="Source" note={sample?.label} />
      <SampleChoice slot={slot} sample={sample} onSample={onSample} />
      {sample && (
        <ul className="mt-2 overflow-hidden rounded-lg border border-line bg-panel py-1">
          {paths.map((path) => (
            <PathLine
              key={`${path.list ?? ""} ${path.path}`}
              path={path}
              isUnused={isUnused(path, unused)}
              onPick={onPick}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

const isUnused = ({ path, list, isList }: SourcePath, unused: ReadonlySet<string> | undefined): boolean =>
  unused === undefined || (!isList && unused.has(list === undefined ? path : `${list}[*]${path.slice(1)}`));

function PathLine({ path, isUnused, onPick }: { path: SourcePath; isUnused: boolean; onPick: Props["onPick"] }) {
  const { name, value, depth, isList } = path;
  const isInside = isRecord(value);
  const count = Array.isArray(value) ? value.length : 0;
  const text = isList
    ? `list of ${count}`
    : isInside
      ? ""
      : Array.isArray(value)
        ? JSON.stringify(value)
        : String(value);
  return (
    <li>
      <button
        type="button"
        disabled={!onPick || isInside}
        onClick={() => onPick?.(path)}
        title={isInside ? undefined : `Add a row for ${path.path}`}
        style={{ paddingInlineStart: `${10 + depth * 12}px` }}
        className="flex min-h-6 w-full items-center gap-2 pe-2.5 text-start enabled:hover:bg-accent-soft"
      >
        <span
          aria-hidden
          className={cx(
            "size-1.5 shrink-0 rounded-full",
            isInside ? "bg-transparent" : isUnused ? "border border-edge" : "bg-ok",
          )}
        />
        <span className={cx("shrink-0 font-mono text-sm", isUnused || isInside ? "text-muted" : "text-text")}>
          {name}
        </span>
        <span className="min-w-0 flex-1 truncate text-end text-sm text-faint">{text}</span>
        {!isInside && <span className="sr-only">{isUnused ? "Not used yet" : "Used"}</span>}
      </button>
    </li>
  );
}

/** Recent records are the best samples; otherwise one is fetched, made from an order, or pasted. */
function SampleChoice({ slot, sample, onSample }: Pick<Props, "slot" | "sample" | "onSample">) {
  const me = useMe();
  const clock = useClock();
  const refused = missingScope(me, "pii:read");
  const hasRecords = slot.mode === "push" || slot.mode === "pull" || slot.direction === "inbound";
  const { data: kept, error } = useQuery({
    ...keptSamplesQuery(slot.bridgeId, slot.taskName),
    enabled: !refused && hasRecords && slot.bridgeId !== "" && slot.taskName !== "",
  });
  const [isPasting, setPasting] = useState(false);
  const fetchOne = useMutation({
    mutationFn: () => fetchSample(slot),
    onSuccess: (found) => found && onSample(found),
  });
  const choices = (kept ?? []).flatMap(({ source, output, createdAt }, at): Sample[] =>
    isRecord(source)
      ? [
          {
            label: `Record ${at + 1}, received ${formatTime(createdAt, clock)}`,
            source,
            ...(isRecord(output) ? { output } : {}),
          },
        ]
      : [],
  );
  // Preselects the latest record once.
  const [isTaken, setTaken] = useState(false);
  if (!sample && !isTaken && choices[0]) {
    setTaken(true);
    onSample(choices[0]);
  }
  const how = { pull: "Fetch a sample", push: "Use the newest order", call: "Use the last result" }[slot.mode];
  return (
    <div className="flex flex-col gap-2">
      {choices.length > 1 && (
        <Select
          label="Sample"
          isLabelHidden
          value={choices.findIndex(({ source }) => source === sample?.source).toString()}
          placeholder="Recent record"
          options={choices.map(({ label }, at) => ({ value: String(at), label }))}
          onChange={(at) => onSample(choices[Number(at)])}
        />
      )}
      <div className="flex flex-wrap gap-1.5">
        {how && (
          <Button
            onClick={() => fetchOne.mutate()}
            isBusy={fetchOne.isPending}
            disabledReason={slot.taskName === "" ? "Choose a task first." : refused}
          >
            {how}
          </Button>
        )}
        <Button kind="quiet" aria-expanded={isPasting} onClick={() => setPasting(!isPasting)}>
          Paste a sample
        </Button>
      </div>
      {isPasting && <Paste onSample={(pasted) => (onSample(pasted), setPasting(false))} />}
      {fetchOne.error && <ProblemBox error={fetchOne.error} />}
      {fetchOne.isSuccess && fetchOne.data === undefined && <p className="text-muted">No records yet.</p>}
      {error && !sample && <ProblemBox error={error} />}
      {!sample && !isPasting && !fetchOne.isPending && (
        <div className="rounded-lg border border-dashed border-line-strong">
          <Empty text="The mapping is tested on a sample record while you edit it. Get a sample to start." />
        </div>
      )}
    </div>
  );
}

async function fetchSample({ bridgeId, taskName, mode, direction }: Slot): Promise<Sample | undefined> {
  if (mode === "pull") {
    const { records, error } = await pullSample(bridgeId, taskName);
    // Shows the message of the other system.
    if (error) throw new Error(error.message);
    const [first] = records;
    return first && { label: `Record ${first.externalId}, fetched now`, source: first.source, output: first.output };
  }
  if (mode === "push") {
    const order = await newestOrder();
    return isRecord(order) ? { label: `Order ${String(order["number"])}`, source: order } : undefined;
  }
  const last = await lastExecution(bridgeId, taskName);
  const data = direction === "inbound" ? last?.result : last?.input;
  return isRecord(data) ? { label: "Last execution", source: data } : undefined;
}

function Paste({ onSample }: { onSample(sample: Sample): void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const take = (): void => {
    try {
      const source = JSON.parse(text) as unknown;
      if (isRecord(source)) onSample({ label: "Pasted", source });
      else setProblem("A sample is one JSON object: {…}.");
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <div className="flex flex-col gap-1.5">
      <TextArea
        label="One record as JSON"
        rows={8}
        className="font-mono text-sm"
        value={text}
        error={problem}
        onChange={setText}
      />
      <div>
        <Button onClick={take}>Use this sample</Button>
      </div>
    </div>
  );
}
