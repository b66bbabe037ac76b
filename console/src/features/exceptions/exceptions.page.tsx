import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useRefetchOn } from "../../live/event-feed.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { ExceptionGroups } from "./exception-groups.tsx";
import { ExceptionPanel } from "./exception.panel.tsx";
import type { ExceptionSummary } from "./exceptions.queries.ts";
import { exceptionCountsQuery, exceptionsQuery, filterOf } from "./exceptions.queries.ts";
import { fixName, kindName, kindOptions, resolutionText, text } from "./exceptions.text.ts";

type Column = ListColumn<ExceptionSummary>;

function columnsWith(hrefOf: (id: string) => string, bridgeName: (id: string) => string, isOpen: boolean): Column[] {
  return [
    {
      name: "What",
      className: "max-w-56 truncate",
      cell: (one) => (
        <RecordLink href={hrefOf(one.id)} className="font-mono text-sm">
          {one.subject.name ?? one.subject.type}
        </RecordLink>
      ),
    },
    { name: "Kind", cell: (one) => <Badge tone={isOpen ? "bad" : "skip"}>{kindName(one.kind)}</Badge> },
    {
      name: "Why",
      className: "w-1/2 max-w-0 min-w-64 truncate",
      cell: (one) => (
        <span title={one.reason ?? one.message}>
          {one.message} {one.reason && <span className="text-muted">{one.reason}</span>}
        </span>
      ),
    },
    {
      name: "Bridge",
      className: "max-w-40 truncate text-muted",
      cell: (one) => (one.bridgeId ? bridgeName(one.bridgeId) : "–"),
    },
    { name: "Opened", className: "whitespace-nowrap", cell: (one) => <Time at={one.openedAt} /> },
    { name: "Seen", isNumber: true, className: "text-muted", cell: (one) => `${formatCount(one.timesSeen)} ×` },
    isOpen
      ? {
          name: "Tried",
          className: "whitespace-nowrap text-muted",
          cell: ({ lastAction }) => (lastAction ? fixName(lastAction.action).toLowerCase() : "not yet"),
        }
      : {
          name: "How it ended",
          className: "whitespace-nowrap",
          cell: (one) => (
            <>
              {resolutionText(one)} <Time at={one.resolvedAt} />
            </>
          ),
        },
  ];
}

/** Open exceptions by cause, then one by one, with the available actions. */
export function ExceptionsPage() {
  const { search, set } = useSearchParams();
  const me = useMe();
  const filter = filterOf(search);
  const status = filter.status ?? "open";
  const open = oneOf(search["open"]);
  const list = useQuery(exceptionsQuery(filter, usePage()));
  const { data: counts } = useQuery(exceptionCountsQuery({ ...filter, status: "open" }));
  const { data: bridges } = useEntityNames("bridge");
  useRefetchOn("exception.*", ["exceptions"], missingScope(me, "events:read") === undefined);
  const bridgeName = (id: string): string => bridges?.find((one) => one.id === id)?.name ?? "a bridge that is gone";
  const { status: _status, page: _page, open: _open, ...others } = search;
  const at = (change: Search): string => paths.exceptions({ ...search, ...change });
  const filters: ListFilter[] = [
    { kind: "choice", param: "kind", title: "Kind", options: kindOptions },
    { kind: "text", param: "code", title: "Code" },
    {
      kind: "choice",
      param: "bridgeId",
      title: "Bridge",
      options: (bridges ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    // These filters come with a link. Orders are shown by number, not by ID.
    ...given("orderId", "Order", filter.orderId, list.data?.data.find(({ orderId }) => orderId !== null)?.subject.name),
    ...given("executionId", "Execution", filter.executionId, list.data?.data[0]?.taskName),
  ];
  return (
    <>
      <PageHead title="Exceptions" note={counts && `${plural(counts.total, "is", "are")} open`} />
      <TabLinks
        label="Exceptions by state"
        tabs={[
          { href: paths.exceptions(others), label: "Open", isOn: status === "open", count: counts?.total },
          ...(["resolved", "dismissed"] as const).map((name) => ({
            href: paths.exceptions({ ...others, status: name }),
            label: name === "resolved" ? "Resolved" : "Dismissed",
            isOn: status === name,
          })),
        ]}
      />
      <Filters filters={filters} />
      <div className="flex flex-col gap-2.5">
        {status === "open" && counts && counts.groups.length > 0 && (
          <ExceptionGroups groups={counts.groups} filter={filter} bridgeName={bridgeName} />
        )}
        <ListCard
          label="Exceptions"
          query={list}
          columns={columnsWith((id) => at({ open: id }), bridgeName, status === "open")}
          idOf={(one) => one.id}
          empty={<Nothing status={status} isNarrow={Object.keys(filter).some((name) => name !== "status")} />}
        />
      </div>
      {open && (
        <ExceptionPanel
          key={open}
          id={open}
          bridgeName={bridgeName}
          onClose={() => set({ open: undefined }, "replace")}
        />
      )}
    </>
  );
}

function given(param: string, title: string, value: string | undefined, name: string | null | undefined): ListFilter[] {
  return value ? [{ kind: "choice", param, title, options: [{ value, label: name ?? value.slice(0, 8) }] }] : [];
}

function Nothing({ status, isNarrow }: { status: string; isNarrow: boolean }) {
  if (isNarrow) {
    return (
      <Empty text="Nothing that is wrong meets these filters.">
        <Link href={paths.exceptions()} className={buttonClass("plain")}>
          All that is open
        </Link>
      </Empty>
    );
  }
  if (status !== "open") return <Empty text={`Nothing was ${status} yet.`} />;
  return (
    <Empty text={text.allWell}>
      <Link href={paths.exceptions({ status: "resolved" })} className={buttonClass("plain")}>
        What was resolved
      </Link>
    </Empty>
  );
}
