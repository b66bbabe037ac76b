import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Chip } from "../../ui/chip.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { formatCount } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Select } from "../../ui/select.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import type { LoggedRequest, RequestFilter } from "./requests.queries.ts";
import { requestsQuery } from "./requests.queries.ts";

/** Reads the filter from the address. */
function filterOf(search: Search): RequestFilter {
  const one = (name: string): string | undefined => oneOf(search[name]) || undefined;
  const outcome = one("outcome");
  const wanted = {
    requestId: one("requestId"),
    actorId: one("actorId"),
    route: one("route"),
    outcome: outcome === "failed" || outcome === "succeeded" ? outcome : undefined,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

const callerText = ({ actor }: LoggedRequest): string =>
  actor.email ?? (actor.name ? `key ${actor.name}` : actor.type === "user" ? "Deleted user" : "Deleted key");

const columnsWith = (filter: (change: Search) => void): Array<ListColumn<LoggedRequest>> => [
  { name: "Time", className: "whitespace-nowrap", cell: ({ at }) => <Time at={at} withSeconds /> },
  {
    name: "Response",
    className: "whitespace-nowrap",
    cell: ({ status, code }) => (
      <Badge tone={status >= 500 ? "bad" : status >= 400 ? "warn" : "ok"}>
        {status}
        {code && ` ${code}`}
      </Badge>
    ),
  },
  {
    name: "Request",
    className: "whitespace-nowrap font-mono text-sm",
    cell: ({ method, route }) => (
      <button
        type="button"
        onClick={() => filter({ route })}
        className="inline-flex min-h-6 items-center hover:underline"
      >
        {method} {route}
      </button>
    ),
  },
  {
    name: "Caller",
    className: "max-w-56 truncate",
    cell: (row) => (
      <button
        type="button"
        onClick={() => filter({ actorId: row.actor.id })}
        className="inline-flex min-h-6 items-center text-accent-text hover:underline"
      >
        {callerText(row)}
      </button>
    ),
  },
  { name: "Duration (ms)", isNumber: true, cell: ({ durationMs }) => formatCount(durationMs) },
  {
    name: "Request ID",
    className: "whitespace-nowrap",
    cell: ({ requestId }) => <CopyText text={requestId} label="Copy the request ID" />,
  },
  {
    name: "Not logged before",
    isNumber: true,
    className: "text-faint",
    cell: ({ droppedCount }) => (droppedCount === 0 ? "–" : formatCount(droppedCount)),
  },
];

/** Log of API requests, searchable by request ID and key. */
export function RequestsPage() {
  const { search, set } = useSearchParams();
  const filter = filterOf(search);
  const requests = useQuery(requestsQuery(filter, usePage()));
  const change = (changed: Search): void => set({ ...changed, page: undefined });
  const chips = [
    {
      name: "actorId",
      label: "Caller",
      text: requests.data?.data[0] && filter.actorId ? callerText(requests.data.data[0]) : "",
    },
    { name: "route", label: "Request", text: filter.route ?? "" },
  ].filter(({ name }) => search[name] !== undefined);
  return (
    <>
      <PageHead title="Requests" note="All requests of keys; changes and errors of users">
        <Link href={paths.audit()} className={buttonClass("quiet")}>
          Audit log
        </Link>
      </PageHead>
      <div className="flex flex-col gap-2.5">
        <div className="flex flex-wrap items-end gap-2">
          <div className="w-64 max-sm:w-full">
            <SearchBox label="Request ID" name="requestId" />
          </div>
          <div className="w-44 max-sm:w-full">
            <Select
              label="Outcome"
              isLabelHidden
              value={filter.outcome ?? ""}
              options={[
                { value: "", label: "All responses" },
                { value: "failed", label: "Failed" },
                { value: "succeeded", label: "Succeeded" },
              ]}
              onChange={(outcome) => change({ outcome: outcome || undefined })}
            />
          </div>
          {chips.map(({ name, label, text }) => (
            <Chip key={name} name={label} value={text} onDrop={() => change({ [name]: undefined })} />
          ))}
        </div>
        <ListCard
          label="Requests"
          query={requests}
          columns={columnsWith(change)}
          idOf={({ id }) => id}
          empty={
            <Empty text="No logged requests match these filters.">
              <Button onClick={() => set(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}>
                Clear filters
              </Button>
            </Empty>
          }
        />
      </div>
    </>
  );
}
