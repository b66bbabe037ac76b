import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { formatCount, formatMs, words } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { runsQuery, useActionTitles } from "./operations.queries.ts";
import { runTones } from "./operations.text.ts";

const filters = ["running", "partially_failed", "failed", "cancelled"];

const columnsWith = (titleOf: (type: unknown) => string): Array<ListColumn<OperationRun>> => [
  {
    name: "Started",
    className: "whitespace-nowrap",
    cell: (run) => (
      <RecordLink href={paths.run(run.id)}>
        <Time at={run.created_at} withSeconds />
      </RecordLink>
    ),
  },
  {
    name: "Status",
    cell: (run) => <Badge tone={runTones[run.status] ?? "skip"}>{words(run.status)}</Badge>,
  },
  {
    name: "Steps",
    className: "max-w-72 truncate",
    cell: (run) =>
      `${run.undo_of ? "Undo: " : run.retry_of ? "Retry: " : ""}${run.actions.map((action) => titleOf(action["type"])).join(", ")}`,
  },
  { name: "Orders", isNumber: true, cell: (run) => formatCount(run.order_count) },
  { name: "Done", isNumber: true, cell: (run) => formatCount(run.summary.succeeded) },
  {
    name: "Failed",
    isNumber: true,
    cell: ({ summary: { failed } }) => (
      <span className={failed > 0 ? "font-medium text-bad" : ""}>{formatCount(failed)}</span>
    ),
  },
  {
    name: "By",
    className: "max-w-40 truncate text-muted",
    cell: ({ created_by: by }) => by.name ?? by.email ?? words(by.type),
  },
  {
    name: "Took",
    isNumber: true,
    className: "whitespace-nowrap text-muted",
    cell: (run) => (run.duration_ms === null ? "–" : formatMs(run.duration_ms)),
  },
];

/** Bulk runs, newest first. */
export function RunsPage() {
  const { search } = useSearchParams();
  const status = oneOf(search["status"]);
  const runs = useQuery(runsQuery(status, usePage()));
  const titleOf = useActionTitles();
  const tabs = [
    { href: paths.operations(), label: "All", isOn: !status },
    ...filters.map((name) => ({ href: paths.operations({ status: name }), label: words(name), isOn: status === name })),
  ];
  return (
    <>
      <PageHead title="Operations">
        <Link href={paths.presets()} className={buttonClass("plain")}>
          Presets
        </Link>
      </PageHead>
      <TabLinks label="Runs by status" tabs={tabs} />
      <ListCard
        label="Runs"
        query={runs}
        columns={columnsWith(titleOf)}
        idOf={(run) => run.id}
        empty={
          <Empty
            text={
              status ? `No run is ${words(status)}.` : "No run yet. Pick orders, press E, and see what would happen."
            }
          >
            <Link href={paths.orders()} className={buttonClass("plain")}>
              To the orders
            </Link>
          </Empty>
        }
      />
    </>
  );
}
