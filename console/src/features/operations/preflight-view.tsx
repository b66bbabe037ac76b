import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { PageButtons } from "../../ui/page-buttons.tsx";
import { ShareBar } from "../../ui/share-bar.tsx";
import type { Preflight } from "./operations.queries.ts";
import { PreflightMatrix } from "./preflight-matrix.tsx";
import { ReasonTable } from "./reason-table.tsx";

type Props = {
  report: Preflight;
  actions: ReadonlyArray<OperationAction | undefined>;
  isStale: boolean;
  leftOut: ReadonlySet<string>;
  onLeaveOut(code: string, isOut: boolean): void;
  show: Show | undefined;
  onShow(show: Show | undefined): void;
};

type Verdict = "ok" | "no_change" | "warning" | "blocked";
/** Which orders are listed: all, those with a verdict, or those of one group. */
export type Show = { verdict?: Verdict; step?: number; code?: string; page?: number };

export function PreflightView({ report, actions, isStale, leftOut, onLeaveOut, show, onShow }: Props) {
  const { summary, report_page: shown } = report;
  const pick = (verdict: Verdict) => () => onShow(show?.verdict === verdict ? undefined : { verdict });
  const isOn = (verdict: Verdict): boolean => show?.verdict === verdict;
  const figures = [
    { label: "ready", value: summary.ok, tone: "ok" as const, isOn: isOn("ok"), onPick: pick("ok") },
    {
      label: "with a warning",
      value: summary.warning,
      tone: "warn" as const,
      isOn: isOn("warning"),
      onPick: pick("warning"),
    },
    {
      label: "blocked",
      value: summary.blocked,
      tone: "bad" as const,
      isOn: isOn("blocked"),
      onPick: pick("blocked"),
    },
    { label: "no change", value: summary.no_change, isOn: isOn("no_change"), onPick: pick("no_change") },
  ];
  const parts = [
    { label: "ready", count: summary.ok, tone: "ok" as const },
    { label: "warning", count: summary.warning, tone: "warn" as const },
    { label: "blocked", count: summary.blocked, tone: "bad" as const },
  ];
  return (
    <div className={cx("flex flex-col gap-2.5", isStale && "stale")} aria-busy={isStale}>
      <Figures label="What would happen" figures={figures} />
      <ShareBar parts={parts} total={summary.orders} />
      <ReasonTable
        label="Why orders are blocked or have a warning"
        groups={report.groups}
        toneOf={({ verdict }) => (verdict === "blocked" ? "bad" : "warn")}
        titleOf={({ step }) => actions[step!]?.title ?? ""}
        renderButtons={(group) => (
          <>
            <Button
              kind="quiet"
              aria-pressed={isShown(show, group)}
              onClick={() => onShow(isShown(show, group) ? undefined : showOf(group))}
            >
              {isShown(show, group) ? "show all" : "show"}
            </Button>
            <Button
              aria-pressed={leftOut.has(group.code)}
              onClick={() => onLeaveOut(group.code, !leftOut.has(group.code))}
            >
              {leftOut.has(group.code) ? "left out" : "leave out"}
            </Button>
          </>
        )}
      />
      <Card label="Orders">
        <PreflightMatrix rows={report.orders} actions={actions} />
      </Card>
      <p className="flex items-center gap-2 text-sm text-muted">
        {plural(shown.total, "order")}
        {show ? ` of ${formatCount(summary.orders)}, those that were asked for` : ", those with problems first"}
        {shown.pages > 1 && `; page ${formatCount(shown.page)} of ${formatCount(shown.pages)}`}
        {summary.not_found > 0 && `; ${plural(summary.not_found, "order is", "orders are")} gone`}.
        {shown.pages > 1 && (
          <PageButtons
            page={shown.page}
            hasMore={shown.page < shown.pages}
            onPage={(page) => onShow({ ...show, page })}
          />
        )}
      </p>
    </div>
  );
}

type Group = Preflight["groups"][number];
const showOf = (group: Group): Show => ({ code: group.code, ...(group.step === null ? {} : { step: group.step }) });
const isShown = (show: Show | undefined, group: Group): boolean =>
  show?.code === group.code && (show.step ?? null) === group.step;
