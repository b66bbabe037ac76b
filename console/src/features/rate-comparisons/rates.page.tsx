import type { RateComparison } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Filters } from "../../ui/filters.tsx";
import { formatCount, sentence, words } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { isAtWork } from "./rate-comparison.can.ts";
import { comparisonsQuery } from "./rate-comparisons.queries.ts";
import { comparisonTones } from "./rate-comparisons.text.ts";

const filters = ["draft", "processing", "completed", "completed_with_errors", "failed"];

const columns: Array<ListColumn<RateComparison>> = [
  {
    name: "Comparison",
    className: "max-w-80 truncate",
    cell: (one) => <RecordLink href={paths.rate(one.id)}>{one.name}</RecordLink>,
  },
  {
    name: "Status",
    cell: (one) => (
      <span className="inline-flex items-center gap-1.5">
        <Badge tone={comparisonTones[one.status] ?? "skip"}>{sentence(one.status)}</Badge>
        {isAtWork(one) && <span className="text-sm text-muted tabular-nums">{one.progress.percent} %</span>}
        {one.stale && <Badge tone="warn">Prices changed</Badge>}
      </span>
    ),
  },
  { name: "Paid to", className: "max-w-40 truncate", cell: (one) => one.sourceCarrier || <Unknown /> },
  {
    name: "Compared with",
    className: "max-w-56 truncate",
    cell: (one) => <RecordLink href={paths.carrier(one.carrierAccountId)}>{one.carrierAccountName}</RecordLink>,
  },
  { name: "Items", isNumber: true, cell: (one) => formatCount(one.itemCount) },
  {
    name: "Priced",
    isNumber: true,
    cell: ({ counts, revision }) => (revision === 0 ? <Unknown /> : formatCount(counts.rated + counts.estimated)),
  },
  { name: "Created", className: "whitespace-nowrap text-muted", cell: (one) => <Time at={one.createdAt} /> },
];

const Unknown = () => <span className="text-muted">–</span>;

/** Rate comparisons: past invoices priced with other contracts. */
export function RatesPage() {
  const { search } = useSearchParams();
  const status = oneOf(search["status"]);
  const comparisons = useQuery(comparisonsQuery(status, oneOf(search["search"]), usePage()));
  return (
    <>
      <PageHead title="Rates">
        <Link href={paths.newRate()} className={buttonClass("primary")}>
          New comparison
        </Link>
      </PageHead>
      <TabLinks
        label="Comparisons by status"
        tabs={[
          { href: paths.rates(), label: "All", isOn: !status },
          ...filters.map((name) => ({
            href: paths.rates({ status: name }),
            label: sentence(name),
            isOn: status === name,
          })),
        ]}
      />
      <Filters filters={[]} placeholder="Search by name" />
      <ListCard
        label="Comparisons"
        query={comparisons}
        columns={columns}
        idOf={(one) => one.id}
        empty={
          <Empty
            text={
              status
                ? `No ${words(status)} comparisons.`
                : "No comparison yet. Upload a carrier invoice to see what another contract would have cost."
            }
          >
            <Link href={status ? paths.rates() : paths.newRate()} className={buttonClass("plain")}>
              {status ? "All comparisons" : "New comparison"}
            </Link>
          </Empty>
        }
      />
    </>
  );
}
