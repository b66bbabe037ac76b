import type { Automation, Invocation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { formatCount, plural, words } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { invocationsQuery } from "./automations.queries.ts";
import { kindNames } from "./automations.text.ts";

const columns: Array<ListColumn<Invocation>> = [
  { name: "When", className: "whitespace-nowrap", cell: (one) => <Time at={one.invoked_at} withSeconds /> },
  {
    name: "Kind",
    className: "whitespace-nowrap",
    cell: (one) =>
      one.run ? <RecordLink href={paths.run(one.run.id)}>Run</RecordLink> : (kindNames[one.kind] ?? words(one.kind)),
  },
  { name: "Orders", isNumber: true, cell: (one) => formatCount(one.order_count) },
  { name: "Result", cell: (one) => <Outcome invocation={one} /> },
  {
    name: "Not changed",
    className: "text-muted",
    cell: (one) =>
      Object.entries(one.errors_by_code ?? {})
        .map(([code, count]) => `${words(code)}: ${plural(count, "order")}`)
        .join(", "),
  },
];

function Outcome({ invocation: { run, preflight_summary } }: { invocation: Invocation }) {
  if (run?.summary) {
    const { succeeded, failed, skipped, no_change: unchanged } = run.summary;
    return (
      <span className="inline-flex flex-wrap gap-1">
        {succeeded > 0 && <Badge tone="ok">{formatCount(succeeded)} done</Badge>}
        {failed > 0 && <Badge tone="bad">{formatCount(failed)} failed</Badge>}
        {skipped > 0 && <Badge tone="skip">{formatCount(skipped)} skipped</Badge>}
        {unchanged > 0 && <Badge tone="skip">{formatCount(unchanged)} no change</Badge>}
      </span>
    );
  }
  if (!preflight_summary) return <span className="text-muted">–</span>;
  return (
    <span className="inline-flex flex-wrap gap-1">
      {preflight_summary.ok > 0 && <Badge tone="ok">{`${formatCount(preflight_summary.ok)} would change`}</Badge>}
      {preflight_summary.warning > 0 && (
        <Badge tone="warn">{`${formatCount(preflight_summary.warning)} with a warning`}</Badge>
      )}
      {preflight_summary.blocked > 0 && (
        <Badge tone="bad">{`${formatCount(preflight_summary.blocked)} cannot change`}</Badge>
      )}
      {preflight_summary.no_change > 0 && (
        <Badge tone="skip">{`${formatCount(preflight_summary.no_change)} no change`}</Badge>
      )}
    </span>
  );
}

/** Runs and preflights that the automation started, newest first. */
export function Invocations({ automation }: { automation: Automation }) {
  const page = usePage();
  const invocations = useQuery(invocationsQuery(automation.id, page, undefined));
  return (
    <ListCard
      label="Activity"
      query={invocations}
      columns={columns}
      idOf={(one) => one.id}
      empty={
        <Empty text="No events yet. A test shows what the automation would have changed on past days.">
          <Link href={paths.automation(automation.id, { tab: "test" })} className={buttonClass("primary")}>
            Test on past days
          </Link>
        </Empty>
      }
    />
  );
}
