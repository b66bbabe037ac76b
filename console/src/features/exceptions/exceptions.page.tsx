import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useRefetchOn } from "../../live/event-feed.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { fieldName, formatCount, sentence } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { taskTitle } from "../tasks/task-title.pick.ts";
import { ExceptionGroups } from "./exception-groups.tsx";
import { ExceptionPanel } from "./exception.panel.tsx";
import type { ExceptionSummary } from "./exceptions.queries.ts";
import { exceptionCountsQuery, exceptionsQuery, filterOf } from "./exceptions.queries.ts";
import { fixName, kindName, kindOptions, reasonText, resolutionText, text } from "./exceptions.text.ts";

type Column = ListColumn<ExceptionSummary>;

function columnsWith(hrefOf: (id: string) => string, bridgeName: (id: string) => string, isOpen: boolean): Column[] {
  return [
    {
      name: "Record",
      className: "max-w-56 truncate",
      cell: (one) => (
        <RecordLink href={hrefOf(one.id)} className="font-mono text-sm">
          {one.subject.name ?? sentence(one.subject.type)}
        </RecordLink>
      ),
    },
    { name: "Kind", cell: (one) => <Badge tone={isOpen ? "bad" : "skip"}>{kindName(one.kind)}</Badge> },
    {
      name: "Why",
      className: "w-1/2 max-w-0 min-w-64 truncate",
      cell: (one) => (
        <span title={one.reason ?? one.message}>
          {one.message} {one.reason && <span className="text-muted">{reasonText(one.reason)}</span>}
        </span>
      ),
    },
    {
      name: "Connection",
      className: "max-w-40 truncate text-muted",
      cell: (one) => (one.bridgeId ? bridgeName(one.bridgeId) : "–"),
    },
    { name: "Opened", className: "whitespace-nowrap", cell: (one) => <Time at={one.openedAt} /> },
    { name: "Times seen", isNumber: true, className: "text-muted", cell: (one) => formatCount(one.timesSeen) },
    isOpen
      ? {
          name: "Last action",
          className: "whitespace-nowrap text-muted",
          cell: ({ lastAction }) => (lastAction ? fixName(lastAction.action) : "–"),
        }
      : {
          name: "Resolution",
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
  const bridgeName = (id: string): string => bridges?.find((one) => one.id === id)?.name ?? "Deleted connection";
  const { status: _status, page: _page, open: _open, assigneeId: _assigneeId, ...others } = search;
  const at = (change: Search): string => paths.exceptions({ ...search, ...change });
  const filters: ListFilter[] = [
    { kind: "choice", param: "kind", title: "Kind", options: kindOptions },
    {
      kind: "choice",
      param: "bridgeId",
      title: "Connection",
      options: (bridges ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    { kind: "days", from: "from", to: "to", title: "Opened" },
    // These filters come with a link. Orders are shown by number, not by ID.
    ...given("code", "Code", filter.code, filter.code && sentence(filter.code)),
    ...given("taskName", "Task", filter.taskName, filter.taskName && taskTitle(filter.taskName)),
    ...given("errorCode", "Error", filter.errorCode, filter.errorCode && sentence(filter.errorCode)),
    ...given("field", "Field", filter.field, filter.field && sentence(fieldName(filter.field.replaceAll("/*", "")))),
    ...given("orderId", "Order", filter.orderId, list.data?.data.find(({ orderId }) => orderId !== null)?.subject.name),
    ...given("executionId", "Execution", filter.executionId, taskTitle(list.data?.data[0]?.taskName ?? "Execution")),
  ];
  return (
    <>
      <PageHead title="Exceptions" note={counts && `${formatCount(counts.total)} open`} />
      <TabLinks
        label="Exceptions by state"
        tabs={[
          {
            href: paths.exceptions(others),
            label: "Open",
            isOn: status === "open" && !filter.assigneeId,
            count: counts?.total,
          },
          ...(["resolved", "dismissed"] as const).map((name) => ({
            href: paths.exceptions({ ...others, status: name }),
            label: name === "resolved" ? "Resolved" : "Dismissed",
            isOn: status === name,
          })),
          {
            href: paths.exceptions({ assigneeId: me.actor.id }),
            label: "Assigned to me",
            isOn: filter.assigneeId === me.actor.id,
          },
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
      <Empty text="No exceptions match these filters.">
        <Link href={paths.exceptions()} className={buttonClass("plain")}>
          Show all open exceptions
        </Link>
      </Empty>
    );
  }
  if (status !== "open") return <Empty text={`No exceptions were ${status} yet.`} />;
  return (
    <Empty text={text.allWell}>
      <Link href={paths.exceptions({ status: "resolved" })} className={buttonClass("plain")}>
        Show resolved exceptions
      </Link>
    </Empty>
  );
}
