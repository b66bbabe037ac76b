import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Heading, Skeleton } from "../../ui/card.tsx";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import { formatCount, sentence, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Table, Td } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { runsQuery } from "../operations/operations.queries.ts";
import { orderCountsQuery } from "../orders/orders.queries.ts";

const statuses = [
  "new",
  "review_required",
  "awaiting_payment",
  "ready",
  "sent",
  "partially_shipped",
  "shipped",
  "delivered",
  "cancelled",
  "on_hold",
] as const;

/** What needs somebody. Every figure opens the list that it counts. */
export function OverviewPage() {
  const counts = useQuery(orderCountsQuery);
  const runs = useQuery(runsQuery(undefined));
  const failed = runs.data?.data.filter((run) => run.summary.failed > 0 || run.status === "running").slice(0, 8);
  return (
    <>
      <PageHead title="Overview" />
      <div className="grid items-start gap-3.5 xl:grid-cols-2">
        <Card className="px-3 py-2.5" label="Orders by status">
          <Heading
            title="Orders by status"
            note={counts.data && `${formatCount(counts.data.total)} that are not archived`}
          />
          {counts.error && !counts.data && <ProblemBox error={counts.error} onRetry={() => void counts.refetch()} />}
          {counts.isPending && <Skeleton />}
          {counts.data?.total === 0 && (
            <Empty text="There are no orders yet. They come from a bridge, an import, or the API.">
              <a href="/docs" className={buttonClass("plain")}>
                The API
              </a>
            </Empty>
          )}
          {counts.data && counts.data.total > 0 && (
            <BarChart
              label="Orders by status"
              bars={statuses.map((status) => ({
                label: sentence(status),
                value: counts.data[status],
                href: paths.orders({ status }),
              }))}
            />
          )}
        </Card>
        <Card className="px-3 py-2.5" label="Runs that need a look">
          <Heading title="Runs that need a look" note="running, or with failed orders" />
          {runs.error && !runs.data && <ProblemBox error={runs.error} onRetry={() => void runs.refetch()} />}
          {runs.isPending && <Skeleton />}
          {failed?.length === 0 && <Empty text="All well: nothing runs, nothing failed among the last runs." />}
          {failed && failed.length > 0 && (
            <Table label="Runs that need a look">
              <tbody>
                {failed.map((run) => (
                  <tr key={run.id}>
                    <Td>
                      <Link
                        href={paths.run(run.id)}
                        className="inline-flex min-h-6 items-center text-accent-text hover:underline"
                      >
                        <Time at={run.created_at} />
                      </Link>
                    </Td>
                    <Td>
                      <Badge tone={run.status === "running" ? "info" : "bad"}>{words(run.status)}</Badge>
                    </Td>
                    <Td isNumber>
                      {formatCount(run.summary.failed)} failed of {formatCount(run.order_count)}
                    </Td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
        </Card>
      </div>
    </>
  );
}
