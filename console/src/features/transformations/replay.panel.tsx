import type { Transformation } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Empty } from "../../ui/card.tsx";
import { valueText } from "../../ui/change-text.ts";
import { Figures } from "../../ui/figures.tsx";
import { fieldName, plural, sentence } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { Tone } from "../../ui/tone.ts";
import { Time } from "../../ui/zone.tsx";
import type { Replay } from "./transformations.queries.ts";

const tones: Record<string, Tone> = { unchanged: "ok", changed: "warn", failed: "bad", not_recorded: "skip" };

/** Replays the saved mapping on recent records without any side effects. */
export function ReplayPanel({ transformation: { id, version } }: { transformation: Transformation }) {
  const me = useMe();
  const refused = missingScope(me, "tasks:read") ?? missingScope(me, "pii:read");
  const replay = useMutation({
    mutationFn: (): Promise<Replay> =>
      hub.call("POST /api/v1/transformations/{id}/replay", { path: { id }, body: { limit: 20 } }),
  });
  const { data } = replay;
  return (
    <div className="flex flex-col gap-3.5">
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" isBusy={replay.isPending} disabledReason={refused} onClick={() => replay.mutate()}>
          Replay version {version}
        </Button>
        <span className="text-muted">
          Replays the records of the last 20 executions. Nothing is changed and nothing is sent.
        </span>
      </div>
      {replay.error && <ProblemBox error={replay.error} />}
      {data?.results.length === 0 && (
        <Card>
          <Empty text="This task has no recent executions." />
        </Card>
      )}
      {data && data.results.length > 0 && (
        <>
          <Figures
            label="Replay result"
            figures={[
              {
                label: data.summary.executions === 1 ? "Execution" : "Executions",
                value: data.summary.executions,
              },
              { label: "Unchanged", value: data.summary.unchanged, tone: "ok" },
              { label: "Different", value: data.summary.changed, tone: "warn" },
              { label: "Would fail", value: data.summary.failed, tone: "bad" },
              { label: "Not recorded", value: data.summary.notRecorded },
            ]}
          />
          <ul className="flex flex-col gap-2">
            {data.results.map((result) => (
              <Result key={result.executionId} result={result} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const maxShown = 8;

function Result({ result }: { result: Replay["results"][number] }) {
  const { executionId, createdAt, status, records, reason, differences, errors } = result;
  return (
    <li className="rounded-lg border border-line bg-panel px-3 py-2">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={tones[status] ?? "skip"}>{sentence(status)}</Badge>
        <RecordLink href={paths.task(executionId)}>
          <Time at={createdAt} withSeconds />
        </RecordLink>
        {records !== undefined && <span className="text-muted">{plural(records, "record")} tested</span>}
        {reason && <span className="text-muted">{reason}</span>}
      </p>
      {errors.slice(0, maxShown).map((error, at) => (
        <p key={at} className="text-sm text-bad">
          {error.message}
        </p>
      ))}
      {differences.length > 0 && (
        <dl className="mt-1 grid grid-cols-[minmax(96px,auto)_1fr] gap-x-3 text-sm">
          {differences.slice(0, maxShown).map(({ path, before, after }) => (
            <div key={path} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-muted">{recordName(path)}</dt>
              <dd className="min-w-0 break-words">
                {valueText(before)} <span aria-hidden>→</span> <span className="font-medium">{valueText(after)}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {differences.length > maxShown && (
        <p className="text-sm text-faint">{plural(differences.length - maxShown, "more difference")}</p>
      )}
    </li>
  );
}

/** "Record 1: shipping address zip" for "/0/shippingAddress/zip". */
function recordName(path: string): string {
  const [, index, rest] = /^\/(\d+)\/(.+)$/.exec(path) ?? [];
  return index === undefined ? fieldName(path) : `Record ${Number(index) + 1}: ${fieldName(rest!)}`;
}
