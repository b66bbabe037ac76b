import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { formatCount, formatMs, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { catalogQuery, runsQuery } from "./operations.queries.ts";
import { runTones } from "./operations.text.ts";

const filters = ["running", "partially_failed", "failed", "cancelled"];

/** What was done in bulk, newest first. */
export function RunsPage() {
  const { search } = useSearchParams();
  const status = oneOf(search["status"]);
  const { data, error, isPending } = useQuery(runsQuery(status));
  const { data: catalog } = useQuery(catalogQuery);
  const titleOf = (type: unknown): string =>
    catalog?.find((action) => action.type === type)?.title ?? words(String(type));
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
      {error && <ProblemBox error={error} />}
      <Card label="Runs">
        {isPending && <Skeleton />}
        {data?.data.length === 0 && (
          <Empty
            text={
              status ? `No run is ${words(status)}.` : "No run yet. Pick orders, press E, and see what would happen."
            }
          >
            <Link href={paths.orders()} className={buttonClass("plain")}>
              To the orders
            </Link>
          </Empty>
        )}
        {data && data.data.length > 0 && (
          <Table label="Runs">
            <thead>
              <tr>
                <Th>Started</Th>
                <Th>Status</Th>
                <Th>Steps</Th>
                <Th isNumber>Orders</Th>
                <Th isNumber>Done</Th>
                <Th isNumber>Failed</Th>
                <Th>By</Th>
                <Th isNumber>Took</Th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((run) => (
                <tr key={run.id} className="hover:bg-skip-soft">
                  <Td className="whitespace-nowrap">
                    <Link
                      href={paths.run(run.id)}
                      className="inline-flex min-h-6 items-center text-accent-text hover:underline"
                    >
                      <Time at={run.created_at} withSeconds />
                    </Link>
                  </Td>
                  <Td>
                    <Badge tone={runTones[run.status] ?? "skip"}>{words(run.status)}</Badge>
                  </Td>
                  <Td className="max-w-72 truncate">
                    {run.undo_of ? "Undo: " : run.retry_of ? "Retry: " : ""}
                    {run.actions.map((action) => titleOf(action["type"])).join(", ")}
                  </Td>
                  <Td isNumber>{formatCount(run.order_count)}</Td>
                  <Td isNumber>{formatCount(run.summary.succeeded)}</Td>
                  <Td isNumber className={run.summary.failed > 0 ? "font-medium text-bad" : ""}>
                    {formatCount(run.summary.failed)}
                  </Td>
                  <Td className="max-w-40 truncate text-muted">
                    {run.created_by.name ?? run.created_by.email ?? words(run.created_by.type)}
                  </Td>
                  <Td isNumber className="whitespace-nowrap text-muted">
                    {run.duration_ms === null ? "–" : formatMs(run.duration_ms)}
                  </Td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Card>
    </>
  );
}
