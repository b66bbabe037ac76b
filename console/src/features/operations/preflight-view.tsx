import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageButtons } from "../../ui/page-buttons.tsx";
import { ShareBar } from "../../ui/share-bar.tsx";
import type { Preflight } from "./operations.queries.ts";
import { useKnownTitles } from "./operations.queries.ts";
import { PreflightMatrix } from "./preflight-matrix.tsx";
import { ReasonTable } from "./reason-table.tsx";
import { fixOf } from "./reasons.ts";

type Props = {
  report: Preflight;
  actions: ReadonlyArray<OperationAction | undefined>;
  isStale: boolean;
  leftOut: ReadonlySet<string>;
  onLeaveOut(code: string, isOut: boolean): void;
  show: Show | undefined;
  onShow(show: Show | undefined): void;
  /** Adds a step before the step `at`. */
  onAddStep(type: string, at: number): void;
};

type Verdict = "ok" | "no_change" | "warning" | "blocked";
/** Which orders are listed: all, those with a verdict, or those of one group. */
export type Show = { verdict?: Verdict; step?: number; code?: string; page?: number };

export function PreflightView(props: Props) {
  const { report, actions, isStale, show, onShow } = props;
  const { summary, report_page: shown } = report;
  const pick = (verdict: Verdict) => () => onShow(show?.verdict === verdict ? undefined : { verdict });
  const isOn = (verdict: Verdict): boolean => show?.verdict === verdict;
  const figures = [
    { label: "will change", value: summary.ok, tone: "ok" as const, isOn: isOn("ok"), onPick: pick("ok") },
    {
      label: "will change, with a warning",
      value: summary.warning,
      tone: "warn" as const,
      isOn: isOn("warning"),
      onPick: pick("warning"),
    },
    {
      label: "cannot change",
      value: summary.blocked,
      tone: "bad" as const,
      isOn: isOn("blocked"),
      onPick: pick("blocked"),
    },
    { label: "no change", value: summary.no_change, isOn: isOn("no_change"), onPick: pick("no_change") },
  ];
  const parts = [
    { label: "will change", count: summary.ok, tone: "ok" as const },
    { label: "warning", count: summary.warning, tone: "warn" as const },
    { label: "cannot change", count: summary.blocked, tone: "bad" as const },
  ];
  return (
    <div className={cx("flex flex-col gap-2.5", isStale && "stale")} aria-busy={isStale}>
      <Figures label="Preview of changes" figures={figures} />
      <ShareBar parts={parts} total={summary.orders} />
      <Problems {...props} />
      <Card label="Orders">
        <PreflightMatrix rows={report.orders} actions={actions} />
      </Card>
      <p className="flex items-center gap-2 text-sm text-muted">
        {plural(shown.total, "order")}
        {show ? ` of ${formatCount(summary.orders)} shown` : ", those with problems first"}
        {shown.pages > 1 && `; page ${formatCount(shown.page)} of ${formatCount(shown.pages)}`}
        {summary.not_found > 0 && `; ${plural(summary.not_found, "order was", "orders were")} deleted`}.
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

const stateOf = ({ verdict }: Group) =>
  verdict === "blocked" ? { tone: "bad" as const, text: "Cannot change" } : { tone: "warn" as const, text: "Warning" };

/** Why orders cannot change, with the step that would fix it, or out of the run. */
function Problems({ report, leftOut, onLeaveOut, show, onShow, onAddStep }: Props) {
  const titleOf = useKnownTitles();
  if (report.groups.length === 0) return null;
  return (
    <Card label="Causes">
      <ReasonTable
        label="Why orders cannot change or have a warning"
        groups={report.groups}
        stateOf={stateOf}
        titleOf={titleOf}
        renderButtons={(group) => {
          const isOut = leftOut.has(group.code);
          return (
            <>
              <Button
                kind="quiet"
                aria-pressed={isShown(show, group)}
                onClick={() => onShow(isShown(show, group) ? undefined : showOf(group))}
              >
                {isShown(show, group) ? "Show all" : "Show"}
              </Button>
              <FixLink group={group} onAddStep={onAddStep} />
              {isOut && <span className="inline-flex items-center text-muted">Excluded</span>}
              <Button kind={isOut ? "quiet" : "plain"} onClick={() => onLeaveOut(group.code, !isOut)}>
                {isOut ? "Undo" : "Exclude"}
              </Button>
            </>
          );
        }}
      />
    </Card>
  );
}

/** Adds the missing step before the one that fails, or opens the page where the cause is. */
function FixLink({ group: { code, step, verdict }, onAddStep }: { group: Group; onAddStep: Props["onAddStep"] }) {
  const fix = fixOf(code);
  if (!fix || verdict !== "blocked" || "retry" in fix) return null;
  if ("page" in fix) {
    return (
      <Link href={paths[fix.page]()} className={buttonClass("plain")}>
        {fix.label}
      </Link>
    );
  }
  return <Button onClick={() => onAddStep(fix.step, step ?? 0)}>Add step: {fix.label}</Button>;
}

const showOf = (group: Group): Show => ({ code: group.code, ...(group.step === null ? {} : { step: group.step }) });
const isShown = (show: Show | undefined, group: Group): boolean =>
  show?.code === group.code && (show.step ?? null) === group.step;
