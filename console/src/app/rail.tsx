import { useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { openExceptionsQuery } from "../features/exceptions/exception-count.queries.ts";
import { orderCountsQuery } from "../features/orders/orders.queries.ts";
import { runningRunsQuery } from "../features/operations/operations.queries.ts";
import { useMe } from "../live/me.ts";
import { cx } from "../ui/class-names.ts";
import { formatCount } from "../ui/format.ts";
import { Link } from "../ui/link.tsx";
import { Brand } from "./brand.tsx";
import { paths } from "./paths.ts";

type Entry = { href: string; name: string; note?: string | undefined };

export function Rail({ onPick }: { onPick?: () => void }) {
  const here = useRouterState({ select: (state) => state.location.pathname });
  const me = useMe();
  const { data: counts } = useQuery({ ...orderCountsQuery(), refetchInterval: 30_000 });
  const { data: running } = useQuery(runningRunsQuery);
  const { data: wrong } = useQuery({ ...openExceptionsQuery(), enabled: me.scopes.includes("exceptions:read") });
  // Grouped by purpose: daily work, prices, connections, administration. Add an entry here with each new route.
  const groups: Array<{ name: string; entries: Entry[] }> = [
    {
      name: "Work",
      entries: [
        { href: paths.overview(), name: "Overview" },
        { href: paths.orders(), name: "Orders", note: counts && formatCount(counts.total) },
        { href: paths.operations(), name: "Operations", note: running ? `${formatCount(running)} running` : undefined },
        { href: paths.exceptions(), name: "Exceptions", note: wrong ? formatCount(wrong) : undefined },
      ],
    },
    {
      name: "Shipping",
      entries: [
        { href: paths.shipments(), name: "Shipments" },
        { href: paths.pickups(), name: "Pickups" },
        { href: paths.rates(), name: "Rates" },
        { href: paths.carriers(), name: "Carriers" },
      ],
    },
    {
      name: "Connect",
      entries: [
        { href: paths.bridges(), name: "Bridges" },
        { href: paths.tasks(), name: "Tasks" },
        { href: paths.transformations(), name: "Transformations" },
        { href: paths.schedules(), name: "Schedules" },
        { href: paths.automations(), name: "Automations" },
        { href: paths.webhooks(), name: "Webhooks" },
        { href: paths.conditionSets(), name: "Condition sets" },
        { href: paths.locations(), name: "Locations" },
      ],
    },
    {
      name: "Administration",
      entries: [
        { href: paths.keys(), name: "Keys" },
        { href: paths.users(), name: "Users" },
        { href: paths.audit(), name: "Audit" },
        { href: paths.requests(), name: "Requests" },
        ...(me.organization.isHubOperator ? [{ href: paths.organizations(), name: "Organizations" }] : []),
        { href: paths.settings(), name: "Settings" },
      ],
    },
  ];
  // Addresses nest, so the longest one that matches is the current page.
  const fits = (href: string): boolean => (href === "/" ? here === "/" : here === href || here.startsWith(`${href}/`));
  const hereIs = groups
    .flatMap(({ entries }) => entries.map(({ href }) => href))
    .filter(fits)
    .toSorted((a, b) => b.length - a.length)[0];
  const isHere = (href: string): boolean => href === hereIs;
  return (
    <nav aria-label="Main" className="flex h-full flex-col gap-0.5 overflow-y-auto px-2 py-3">
      <div className="px-2 pt-1 pb-3.5">
        <Brand />
      </div>
      {groups
        .filter(({ entries }) => entries.length > 0)
        .map(({ name: group, entries }) => (
          <div key={group} role="group" aria-label={group} className="flex flex-col gap-0.5 not-first-of-type:mt-3">
            {entries.map(({ href, name, note }) => (
              <Link
                key={href}
                href={href}
                onClick={() => onPick?.()}
                aria-current={isHere(href) ? "page" : undefined}
                className={cx(
                  "flex min-h-7 items-center justify-between rounded-md px-2",
                  isHere(href) ? "bg-accent-soft font-medium text-accent-text" : "text-muted hover:bg-skip-soft",
                )}
              >
                {name}
                {note && <span className="text-sm font-normal text-faint tabular-nums">{note}</span>}
              </Link>
            ))}
          </div>
        ))}
    </nav>
  );
}
