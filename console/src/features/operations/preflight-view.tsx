import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { ShareBar } from "../../ui/share-bar.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { Preflight } from "./operations.queries.ts";
import { groupsOf } from "./preflight-groups.ts";
import { PreflightMatrix } from "./preflight-matrix.tsx";

type Props = {
  report: Preflight;
  actions: ReadonlyArray<OperationAction | undefined>;
  isStale: boolean;
  leftOut: ReadonlySet<string>;
  onLeaveOut(code: string, isOut: boolean): void;
};

const maxRows = 100;

export function PreflightView({ report, actions, isStale, leftOut, onLeaveOut }: Props) {
  const [verdict, setVerdict] = useState<string>();
  const [code, setCode] = useState<string>();
  const { summary } = report;
  const rows = report.orders.filter(
    (order) =>
      (!verdict || order.verdict === verdict) &&
      (!code ||
        order.error?.code === code ||
        order.steps.some((step) => step.error?.code === code || step.warning?.code === code)),
  );
  const pick = (name: string) => () => setVerdict(verdict === name ? undefined : name);
  const figures = [
    { label: "ready", value: summary.ok, tone: "ok" as const, isOn: verdict === "ok", onPick: pick("ok") },
    {
      label: "with a warning",
      value: summary.warning,
      tone: "warn" as const,
      isOn: verdict === "warning",
      onPick: pick("warning"),
    },
    {
      label: "blocked",
      value: summary.blocked,
      tone: "bad" as const,
      isOn: verdict === "blocked",
      onPick: pick("blocked"),
    },
    { label: "no change", value: summary.no_change, isOn: verdict === "no_change", onPick: pick("no_change") },
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
      <Groups
        {...{ report, actions, leftOut, onLeaveOut, code }}
        onOpen={(next) => setCode(code === next ? undefined : next)}
      />
      <Card label="Orders">
        <PreflightMatrix rows={rows.slice(0, maxRows)} actions={actions} />
      </Card>
      <p className="text-sm text-muted">
        {rows.length > maxRows || report.orders_truncated
          ? `The first ${formatCount(Math.min(maxRows, rows.length))} of ${plural(summary.orders, "order")}, those with problems first.`
          : `${plural(rows.length, "order")} shown of ${formatCount(summary.orders)}.`}
        {summary.not_found > 0 && ` ${plural(summary.not_found, "order is", "orders are")} gone.`}
      </p>
    </div>
  );
}

type GroupProps = Pick<Props, "report" | "actions" | "leftOut" | "onLeaveOut"> & {
  code: string | undefined;
  onOpen(code: string): void;
};

function Groups({ report, actions, leftOut, onLeaveOut, code, onOpen }: GroupProps) {
  const groups = groupsOf(report);
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
              <Td className="h-8 max-w-80">
                <span className="flex items-center gap-2">
                  <Badge tone={group.verdict === "blocked" ? "bad" : "warn"}>{group.code}</Badge>
                  <span className="truncate">{group.message}</span>
                </span>
              </Td>
              <Td className="whitespace-nowrap text-muted">
                {group.step === undefined ? "–" : `${group.step + 1} ${actions[group.step]?.title.toLowerCase() ?? ""}`}
              </Td>
              <Td isNumber>{formatCount(group.count)}</Td>
              <Td className="max-w-64 truncate text-muted">{group.fix ?? "–"}</Td>
              <Td isNumber className="whitespace-nowrap">
                <Button kind="quiet" aria-pressed={code === group.code} onClick={() => onOpen(group.code)}>
                  {code === group.code ? "show all" : "show"}
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
