import { Card, Heading } from "../../ui/card.tsx";
import { formatCount } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { listOf } from "./report-lists.pick.ts";
import type { DeliveryReport } from "./reports.queries.ts";

type Props = { report: DeliveryReport; filter: Record<string, string> };

/** The figures of the whole report, and why shipments are in none of them. Each opens its shipments. */
export function PerformanceFigures({ report: { totals, previous, window }, filter }: Props) {
  const all = { by: "", key: "", filter };
  const figures = [
    {
      name: "On time",
      value: totals.onTimePct === null ? "–" : `${totals.onTimePct.toFixed(1)}%`,
      note: previous.onTimePct === null ? "no promises before" : `${previous.onTimePct.toFixed(1)}% before`,
      href: listOf.promised(window, all),
    },
    {
      name: "Late",
      value: formatCount(totals.late),
      note: `of ${formatCount(totals.onTime + totals.late)} promises`,
      href: listOf.onTime(window, false, all),
    },
    {
      name: "Days in transit",
      value: totals.avgTransitDays?.toFixed(1) ?? "–",
      note: `average of ${formatCount(totals.delivered - totals.leftOut.noFirstScan)} delivered`,
      href: listOf.delivered(window, all),
    },
    { name: "At risk", value: formatCount(totals.atRisk), note: "as of now", href: listOf.atRisk(all) },
  ];
  return (
    <Card label="Figures" className="grid gap-x-6 gap-y-3 px-3.5 py-3 lg:grid-cols-[3fr_2fr]">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figures.map(({ name, value, note, href }) => (
          <Link key={name} href={href} aria-label={`${name}: ${value}. Open the shipments`} className="group min-w-0">
            <span className="block text-sm text-muted">{name}</span>
            <span className="block text-[22px] leading-7 font-semibold tabular-nums group-hover:underline">
              {value}
            </span>
            <span className="block text-sm text-muted">{note}</span>
          </Link>
        ))}
      </div>
      <LeftOut leftOut={totals.leftOut} window={window} filter={filter} />
    </Card>
  );
}

const reasons = [
  ["noPromise", "no_promise", "No promise", "delivery attempted, but no day was promised"],
  ["cancelled", "cancelled", "Cancelled", "voided or cancelled at the carrier"],
  ["returned", "returned", "Returned", "sent back to the sender"],
  ["noFirstScan", "no_first_scan", "No first scan", "delivered; only the transit time leaves it out"],
] as const;

function LeftOut({
  leftOut,
  window,
  filter,
}: Pick<DeliveryReport["totals"], "leftOut"> & Pick<DeliveryReport, "window"> & Pick<Props, "filter">) {
  const all = { by: "", key: "", filter };
  return (
    <div className="min-w-0">
      <Heading title="Left out" note={<span className="text-sm">shipments of this period and why</span>} />
      <ul>
        {reasons.map(([name, reason, title, why]) => (
          <li key={name} className="flex min-h-6 items-baseline gap-2">
            <span className="w-10 shrink-0 text-end tabular-nums">
              {leftOut[name] === 0 ? (
                <span className="text-faint">0</span>
              ) : (
                <RecordLink href={listOf.leftOut(window, reason, all)} aria-label={`${title}: ${leftOut[name]}`}>
                  {formatCount(leftOut[name])}
                </RecordLink>
              )}
            </span>
            <span className="min-w-0">
              {title} <span className="text-sm text-muted max-sm:hidden">{why}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
