import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { ShareBar } from "../../ui/share-bar.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { Preflight } from "./operations.queries.ts";
import { PreflightMatrix } from "./preflight-matrix.tsx";

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
/** Which orders are looked at: all, those with a verdict, or those of one group. */
export type Show = { verdict?: Verdict; step?: number; code?: string; page?: number };

export function PreflightView({ report, actions, isStale, leftOut, onLeaveOut, show, onShow }: Props) {
  const { summary, shown } = report;
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
    <div className={cx("flex flex-col gap-2.5", isStale && "opacity-55")} aria-busy={isStale}>
      <Figures label="What would happen" figures={figures} />
      <ShareBar parts={parts} total={summary.orders} />
      <Groups {...{ report, actions, leftOut, onLeaveOut, show, onShow }} />
      <Card label="Orders">
        <PreflightMatrix rows={report.orders} actions={actions} />
      </Card>
      <p className="flex items-center gap-2 text-sm text-muted">
        {plural(shown.total, "order")}
        {show ? ` of ${formatCount(summary.orders)}, those that were asked for` : ", those with problems first"}
        {shown.pages > 1 && `; page ${formatCount(shown.page)} of ${formatCount(shown.pages)}`}
        {summary.not_found > 0 && `; ${plural(summary.not_found, "order is", "orders are")} gone`}.
        {shown.pages > 1 && (
          <>
            <Button
              kind="quiet"
              disabledReason={shown.page <= 1 && "This is the first page."}
              onClick={() => onShow({ ...show, page: shown.page - 1 })}
            >
              Back
            </Button>
            <Button
              kind="quiet"
              disabledReason={shown.page >= shown.pages && "This is the last page."}
              onClick={() => onShow({ ...show, page: shown.page + 1 })}
            >
              More
            </Button>
          </>
        )}
      </p>
    </div>
  );
}

type GroupProps = Pick<Props, "report" | "actions" | "leftOut" | "onLeaveOut" | "show" | "onShow">;

function Groups({ report, actions, leftOut, onLeaveOut, show, onShow }: GroupProps) {
  const { groups } = report;
  if (groups.length === 0) return null;
  return (
    <Card label="Why">
      <Table label="Why orders are blocked or have a warning">
        <thead>
          <tr>
            <Th>Why</Th>
            <Th>Step</Th>
            <Th isNumber>Orders</Th>
            <Th>What to do</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={`${group.step} ${group.code} ${group.message}`}>
              <Td className="w-1/2 min-w-56 py-1">
                <span className="flex min-h-6 items-center gap-2">
                  <Badge tone={group.verdict === "blocked" ? "bad" : "warn"}>{group.code}</Badge>
                  <span>{group.message}</span>
                </span>
              </Td>
              <Td className="whitespace-nowrap text-muted">
                {group.step === null ? "–" : `${group.step + 1} ${actions[group.step]?.title.toLowerCase() ?? ""}`}
              </Td>
              <Td isNumber>{formatCount(group.count)}</Td>
              <Td className="w-1/3 min-w-40 text-muted">{group.fix ?? "–"}</Td>
              <Td isNumber className="whitespace-nowrap">
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
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

type Group = Preflight["groups"][number];
const showOf = (group: Group): Show => ({ code: group.code, ...(group.step === null ? {} : { step: group.step }) });
const isShown = (show: Show | undefined, group: Group): boolean =>
  show?.code === group.code && (show.step ?? null) === group.step;
