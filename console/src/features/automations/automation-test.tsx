import type { Automation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Empty, Heading, Skeleton } from "../../ui/card.tsx";
import type { Change } from "../../ui/change-text.ts";
import { changeText } from "../../ui/change-text.ts";
import { Figures } from "../../ui/figures.tsx";
import { fieldName, formatCount, plural, words } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import type { TestReport } from "./automations.queries.ts";
import { automationTestQuery } from "./automations.queries.ts";
import { verdictNames, verdictTones } from "./automations.text.ts";

const spans = [1, 7, 30];

/** Dry run of the automation on the orders of past events, in their present state. */
export function AutomationTest({ automation }: { automation: Automation }) {
  const { search, set } = useSearchParams();
  const asked = Number(oneOf(search["days"]));
  const days = spans.includes(asked) ? asked : undefined;
  const test = useQuery(automationTestQuery(automation.id, automation.version, days));
  const isClock = automation.trigger.cron !== undefined;
  return (
    <section aria-label="Test">
      <Heading
        title="Preview of changes"
        note={isClock ? "orders of its filter, now" : "orders of past events, as they are now"}
      >
        {(isClock ? [7] : spans).map((span) => (
          <Button
            key={span}
            aria-pressed={days === span}
            kind={days === span ? "plain" : "quiet"}
            onClick={() => set({ days: String(span) })}
          >
            {isClock ? "Test" : span === 1 ? "Last day" : `Last ${span} days`}
          </Button>
        ))}
      </Heading>
      {test.error && <ProblemBox error={test.error} onRetry={() => void test.refetch()} />}
      {days === undefined && (
        <div className="rounded-lg border border-dashed border-line-strong">
          <Empty text="Select how many days to test. Orders are not changed.">
            <Button kind="primary" onClick={() => set({ days: "7" })}>
              {isClock ? "Test now" : "Test the last 7 days"}
            </Button>
          </Empty>
        </div>
      )}
      {days !== undefined && test.isPending && <Skeleton />}
      {days !== undefined && test.data && (
        <div className={test.isPlaceholderData ? "stale" : ""}>
          <Report report={test.data} />
        </div>
      )}
    </section>
  );
}

function inWords(change: Change): string {
  const { sign, text } = changeText(change);
  return `${fieldName(change.path)} ${sign} ${text}`;
}

const columns: Array<ListColumn<TestReport["orders"][number]>> = [
  {
    name: "Order",
    className: "whitespace-nowrap",
    cell: ({ ref, order_number: number }) => (
      <RecordLink href={paths.order(number ?? ref)} className="font-mono text-sm">
        {number ?? ref}
      </RecordLink>
    ),
  },
  {
    name: "Result",
    className: "whitespace-nowrap",
    cell: ({ verdict }) => (
      <Badge tone={verdictTones[verdict] ?? "skip"}>{verdictNames[verdict] ?? words(verdict)}</Badge>
    ),
  },
  {
    name: "Changes",
    className: "text-muted",
    cell: ({ error, steps }) =>
      error?.message ?? (steps.flatMap(({ changes = [] }) => changes.map(inWords)).join(", ") || "–"),
  },
];

function Report({ report }: { report: TestReport }) {
  const { summary, orders } = report;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">
        {report.since ? (
          <>
            {plural(report.events, "event")} since <Time at={report.since} />,{" "}
          </>
        ) : null}
        {plural(report.evaluated, "order")} checked, {formatCount(report.matched)} matched.
        {report.truncated && " There were more events: the newest were tested."}
      </p>
      <Figures
        label="Results"
        figures={[
          { label: "would change", value: summary.ok, tone: "ok" },
          { label: "with a warning", value: summary.warning, tone: "warn" },
          { label: "cannot change", value: summary.blocked, tone: "bad" },
          { label: "no change", value: summary.no_change },
        ]}
      />
      {orders.length > 0 && (
        <Card label="Orders">
          <RowTable label="Changes" rows={orders} idOf={({ ref }) => ref} columns={columns} />
        </Card>
      )}
      {report.orders_truncated && (
        <p className="text-muted">The first {formatCount(orders.length)} orders are shown.</p>
      )}
    </div>
  );
}
