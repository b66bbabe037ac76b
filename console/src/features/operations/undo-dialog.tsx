import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { changeText, valueText } from "../../ui/change-text.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Figures } from "../../ui/figures.tsx";
import { fieldName, formatCount, plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { undoPreflightQuery, useKnownTitles } from "./operations.queries.ts";
import type { NameOf } from "./named-values.ts";
import { namedChange } from "./named-values.ts";
import { useRecordNames } from "./record-names.ts";
import { reasonText, reasonTitle } from "./reasons.ts";

/** Preflight of an undo: what can be reversed, what cannot, and why. */
export function UndoDialog({ run, isOpen, onClose }: { run: OperationRun; isOpen: boolean; onClose(): void }) {
  const router = useRouter();
  const report = useQuery({ ...undoPreflightQuery(run.id), enabled: isOpen });
  const undo = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/operations/runs/{id}/undo", { path: { id: run.id }, prefer: "respond-async" }),
    onSuccess: (next) => {
      onClose();
      router.history.push(paths.run(next.id));
    },
  });
  const summary = report.data?.summary;
  const count = summary ? summary.reversible + summary.partially_reversible : 0;
  const failed = undo.error ?? report.error;
  return (
    <Dialog
      title="Preview of the undo"
      isOpen={isOpen}
      onClose={onClose}
      isWide
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            isBusy={undo.isPending}
            disabledReason={!summary ? "The preview is being prepared." : count === 0 && "Nothing can be undone."}
            onClick={() => undo.mutate()}
          >
            Undo on {plural(count, "order")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2.5">
        {failed && <ProblemBox error={failed} />}
        {report.isPending && <Skeleton />}
        {report.data && <Report report={report.data} />}
      </div>
    </Dialog>
  );
}

type UndoReport = Answer<"POST /api/v1/operations/runs/{id}/undo/preflight">;

const tones = { reversible: "ok", partially_reversible: "warn", irreversible: "bad", no_change: "skip" } as const;

const verdictNames: Record<string, string> = {
  reversible: "Will be undone",
  partially_reversible: "Partly undone",
  irreversible: "Cannot be undone",
  no_change: "No change",
};

const columnsWith = (nameOf: NameOf): Array<ListColumn<UndoReport["orders"][number]>> => [
  { name: "Order", className: "font-mono text-sm", cell: (order) => order.order_number ?? order.ref },
  {
    name: "Change",
    className: "max-w-80 truncate",
    cell: ({ steps }) =>
      steps
        .flatMap((step) => step.changes ?? [])
        .map((change) => namedChange(change, nameOf))
        .map((change) => `${fieldName(change.path)}: ${shortText(change)}`)
        .join("; ") || "–",
  },
  {
    name: "Result",
    cell: ({ verdict }) => (
      <Badge tone={tones[verdict as keyof typeof tones] ?? "skip"}>{verdictNames[verdict] ?? verdict}</Badge>
    ),
  },
];

function Report({ report }: { report: UndoReport }) {
  const { summary, groups, orders } = report;
  const titleOf = useKnownTitles();
  const nameOf = useRecordNames();
  return (
    <>
      <Figures
        label="Preview of the undo"
        figures={[
          { label: "will be undone", value: summary.reversible, tone: "ok" },
          { label: "partly undone", value: summary.partially_reversible, tone: "warn" },
          { label: "cannot be undone", value: summary.irreversible, tone: "bad" },
          { label: "nothing to undo", value: summary.no_change + summary.deleted },
        ]}
      />
      {groups.map((group) => (
        <p key={`${group.step} ${group.code} ${group.message}`} className="flex items-center gap-2">
          <Badge tone="warn">{reasonTitle(group.code)}</Badge>
          <span className="flex-1">{reasonText(group, titleOf)}</span>
          <span className="text-muted">{plural(group.count, "order")}</span>
        </p>
      ))}
      <RowTable label="Orders" rows={orders.slice(0, 20)} idOf={({ ref }) => ref} columns={columnsWith(nameOf)} />
      {orders.length > 20 && <p className="text-sm text-muted">The first 20 of {formatCount(summary.orders)}.</p>}
    </>
  );
}

function shortText(change: { path: string; from: unknown; to: unknown }): string {
  const { sign, text } = changeText(change);
  return sign === "→" ? `${valueText(change.from)} → ${text}` : `${sign} ${text}`;
}
