import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { formatCount, formatMoney, formatMs } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { runsQuery, useActionTitles } from "./operations.queries.ts";
import { creatorName } from "./operations.text.ts";
import { runState, runTitle } from "./run-words.pick.ts";

/** Filters that come with links from reports. */
const given = ["created_by", "from", "to"] as const;
const days: ListFilter = { kind: "days", from: "from", to: "to", title: "Started" };

const filters = [
  { status: "running", label: "Running" },
  { status: "partially_failed", label: "Partly failed" },
  { status: "failed", label: "Failed" },
  { status: "cancelled", label: "Stopped" },
];

const columnsWith = (titleOf: (type: unknown) => string): Array<ListColumn<OperationRun>> => {
  const stepsOf = (run: OperationRun): string => run.actions.map((action) => titleOf(action["type"])).join(", ");
  return [
    {
      name: "Run",
      className: "max-w-64 truncate",
      cell: (run) => <RecordLink href={paths.run(run.id)}>{runTitle(run, stepsOf(run))}</RecordLink>,
    },
    {
      name: "Status",
      cell: (run) => {
        const { tone, text } = runState(run);
        return <Badge tone={tone}>{text}</Badge>;
      },
    },
    {
      name: "Started",
      className: "whitespace-nowrap",
      cell: (run) => <Time at={run.created_at} withSeconds />,
    },
    { name: "Steps", className: "max-w-72 truncate text-muted", cell: stepsOf },
    { name: "Orders", isNumber: true, cell: (run) => formatCount(run.order_count) },
    { name: "Done", isNumber: true, cell: ({ summary }) => formatCount(summary.succeeded - summary.partially_undone) },
    {
      name: "Failed",
      isNumber: true,
      cell: ({ summary: { failed }, undo_of }) => (
        <span className={failed > 0 ? cx("font-medium", undo_of === null ? "text-bad" : "text-warn") : ""}>
          {formatCount(failed)}
        </span>
      ),
    },
    {
      name: "Labels",
      isNumber: true,
      className: "whitespace-nowrap",
      cell: ({ labels: { costs = [] } }) =>
        costs.map(({ total, currency }) => formatMoney(total, currency)).join(", ") || "–",
    },
    { name: "By", className: "max-w-40 truncate text-muted", cell: creatorName },
    {
      name: "Duration",
      isNumber: true,
      className: "whitespace-nowrap text-muted",
      cell: (run) => (run.duration_ms === null ? "–" : formatMs(run.duration_ms)),
    },
  ];
};

/** Bulk runs, newest first. */
export function RunsPage() {
  const { search } = useSearchParams();
  const status = oneOf(search["status"]);
  const more = Object.fromEntries(given.flatMap((name) => (oneOf(search[name]) ? [[name, oneOf(search[name])!]] : [])));
  const runs = useQuery(runsQuery(status, usePage(), more));
  const by = runs.data?.data[0]?.created_by;
  const person: ListFilter = {
    kind: "choice",
    param: "created_by",
    title: "Started by",
    options: more["created_by"] ? [{ value: more["created_by"], label: by?.name ?? by?.email ?? "One person" }] : [],
  };
  const titleOf = useActionTitles();
  const tabs = [
    { href: paths.operations(), label: "All", isOn: !status },
    ...filters.map((filter) => ({
      href: paths.operations({ status: filter.status }),
      label: filter.label,
      isOn: status === filter.status,
    })),
  ];
  return (
    <>
      <PageHead title="Runs">
        <Link href={paths.presets()} className={buttonClass("plain")}>
          Presets
        </Link>
      </PageHead>
      <TabLinks label="Runs by status" tabs={tabs} />
      <Filters filters={more["created_by"] ? [days, person] : [days]} />
      <ListCard
        label="Runs"
        query={runs}
        columns={columnsWith(titleOf)}
        idOf={(run) => run.id}
        empty={
          <Empty
            text={
              status
                ? "No runs have this status."
                : "Runs appear here. Select orders, press E, add steps and check the preview."
            }
          >
            <Link href={paths.orders()} className={buttonClass(status ? "plain" : "primary")}>
              Select orders
            </Link>
          </Empty>
        }
      />
    </>
  );
}
