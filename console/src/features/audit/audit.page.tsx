import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { valueText } from "../../ui/change-text.ts";
import { SidePanel } from "../../ui/dialog.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { FactList } from "../../ui/facts.tsx";
import { Fold } from "../../ui/fold.tsx";
import { fieldName, formatCount, sentence, words } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, usePanel, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { AuditFilters } from "./audit-filters.tsx";
import type { AuditEntry, AuditFilter } from "./audit.queries.ts";
import { auditQuery } from "./audit.queries.ts";
import { objectName } from "./audit.text.ts";

/** Reads the filter from the address. */
function filterOf(search: Search): AuditFilter {
  const one = (name: string): string | undefined => oneOf(search[name]) || undefined;
  const day = (name: string, addDays = 0): string | undefined => {
    const given = Date.parse(`${one(name) ?? ""}T00:00:00`);
    return Number.isNaN(given) ? undefined : new Date(given + addDays * 86_400_000).toISOString();
  };
  const wanted = {
    type: one("type"),
    objectType: one("objectType"),
    objectId: one("objectId"),
    actorId: one("actorId"),
    search: one("search"),
    from: day("from"),
    to: day("to", 1),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

type NameOf = (id: string) => string | undefined;

/** Names of records that entries mention by ID. Records that were deleted have none. */
function useIdNames(): NameOf {
  const lists = [
    useEntityNames("user").data,
    useEntityNames("location").data,
    useEntityNames("bridge").data,
    useEntityNames("carrier_account").data,
  ];
  return (id) => lists.flatMap((list) => list ?? []).find((one) => one.id === id)?.name;
}

function actorText({ actor }: AuditEntry): string {
  const name =
    actor.type === "system"
      ? (actor.name ?? "The hub")
      : `${actor.type === "api_key" ? "Key " : ""}${actor.email ?? actor.name ?? ""}`;
  return actor.kind === "agent" ? `${name} (AI assistant)` : name;
}

const isId = (value: unknown): value is string =>
  typeof value === "string" && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value);

/** Summary of an entry's data: names instead of IDs. An ID without a name is left to the details. */
function dataText({ data }: AuditEntry, nameOf: NameOf): string {
  return Object.entries(data)
    .map(([name, value]) => [name.replace(/_?[iI]d$/, ""), isId(value) ? nameOf(value) : value] as const)
    .filter(([name, value]) => value !== undefined && value !== null && value !== "" && name !== "items")
    .slice(0, 4)
    .map(([name, value]) => `${fieldName(name)} ${valueText(value)}`)
    .join(", ");
}

const columnsWith = (nameOf: NameOf, onOpen: (entry: AuditEntry) => void): Array<ListColumn<AuditEntry>> => [
  { name: "No.", isNumber: true, className: "text-faint", cell: (entry) => formatCount(entry.sequence) },
  { name: "Time", className: "whitespace-nowrap", cell: (entry) => <Time at={entry.occurredAt} withSeconds /> },
  {
    name: "Event",
    className: "whitespace-nowrap",
    cell: (entry) => (
      <button
        type="button"
        onClick={() => onOpen(entry)}
        className="inline-flex min-h-6 items-center text-accent-text hover:underline"
      >
        {whatText(entry)}
      </button>
    ),
  },
  { name: "Actor", className: "max-w-56 truncate", cell: actorText },
  {
    name: "Details",
    className: "w-1/2 max-w-0 min-w-48 truncate text-muted",
    cell: (entry) => dataText(entry, nameOf) || "–",
  },
];

function whatText({ type }: AuditEntry): string {
  const [about = "", what = ""] = type.split(".", 2);
  return `${sentence(objectName(about))} ${words(what)}`;
}

/** The audit log. Its entries form a hash chain that can be verified here. */
export function AuditPage() {
  const { search, set } = useSearchParams();
  const filter = filterOf(search);
  const entries = useQuery(auditQuery(filter, usePage()));
  const [isChecking, setChecking] = useState(false);
  const refused = missingScope(useMe(), "audit:read");
  const nameOf = useIdNames();
  const { open: openId, show } = usePanel();
  const open = entries.data?.data.find(({ id }) => id === openId);
  return (
    <>
      <PageHead title="Audit" note="All changes, with the user or key that made them">
        <Button disabledReason={refused} onClick={() => setChecking(true)}>
          Verify the log
        </Button>
        <a href={csvHref(filter)} download className={buttonClass("quiet")}>
          Export CSV
        </a>
      </PageHead>
      <div className="flex flex-col gap-2.5">
        {isChecking && <Check />}
        <AuditFilters search={search} />
        <ListCard
          label="Entries"
          query={entries}
          columns={columnsWith(nameOf, (entry) => show(entry.id))}
          idOf={(entry) => entry.id}
          empty={
            <Empty text="No entries match these filters.">
              <Button onClick={() => set(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}>
                Clear filters
              </Button>
            </Empty>
          }
        />
      </div>
      <SidePanel title={open ? whatText(open) : ""} isOpen={open !== undefined} onClose={() => show(undefined)}>
        {open && <Entry entry={open} onFilter={(change) => set({ ...change, open: undefined, page: undefined })} />}
      </SidePanel>
    </>
  );
}

function csvHref(filter: AuditFilter): string {
  const params = new URLSearchParams(Object.entries(filter));
  return `/api/v1/audit/export.csv${params.size > 0 ? `?${params}` : ""}`;
}

function Entry({ entry, onFilter }: { entry: AuditEntry; onFilter(change: Search): void }) {
  const { actor } = entry;
  const name = useIdNames()(entry.objectId);
  return (
    <div className="flex flex-col gap-3">
      <FactList
        facts={[
          ["Time", <Time key="when" at={entry.occurredAt} withSeconds />],
          ["Actor", actorText(entry)],
          ...(name ? [[sentence(objectName(entry.objectType)), name] as [string, string]] : []),
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => onFilter({ objectId: entry.objectId, search: undefined, objectType: undefined })}>
          Show this {objectName(entry.objectType)}’s entries
        </Button>
        {actor.id && (
          <Button onClick={() => onFilter({ actorId: actor.id, search: undefined })}>Show this actor’s entries</Button>
        )}
        {entry.objectType === "operation_run" && (
          <a href={paths.run(entry.objectId)} className={buttonClass("quiet")}>
            Open the run
          </a>
        )}
      </div>
      <div>
        <p className="mb-1 text-sm font-medium text-muted">Data</p>
        <JsonView label="Data" value={entry.data} />
      </div>
      <Fold title="Details">
        <FactList
          facts={[
            [
              "Type",
              <code key="type" className="font-mono text-sm">
                {entry.type}
              </code>,
            ],
            ["ID", <CopyText key="object" text={entry.objectId} label="Copy the ID" />],
            [
              "Request",
              entry.requestId ? <CopyText key="request" text={entry.requestId} label="Copy the request ID" /> : "–",
            ],
            ["Number", formatCount(entry.sequence)],
            ["Hash", <CopyText key="hash" text={entry.hash} label="Copy the hash" />],
          ]}
        />
      </Fold>
    </div>
  );
}

/** Verifies the hash chain. A long log takes some seconds. */
function Check() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["audit", "chain"],
    queryFn: ({ signal }) => hub.call("GET /api/v1/audit/verification", { signal }),
    gcTime: 0,
    retry: false,
  });
  if (error) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (isFetching || !data) return <p role="status">Verifying all entries…</p>;
  const { ok, entries, head, firstInvalidEntry } = data;
  return (
    <section
      role="status"
      aria-label="Verification"
      className={`rounded-lg border px-3 py-2.5 ${ok ? "border-ok bg-ok-soft" : "border-bad bg-bad-soft"}`}
    >
      <p className={`flex items-center gap-2 font-medium ${ok ? "text-ok" : "text-bad"}`}>
        <Icon name={ok ? "check" : "alert"} />
        {ok
          ? `Verified: ${formatCount(entries)} entries, none changed, none missing.`
          : `Verification failed at entry ${formatCount(firstInvalidEntry?.sequence ?? 0)}: ${firstInvalidEntry?.reason ?? ""}.`}
      </p>
      <p className="ms-5.5 mt-1 text-sm text-muted">
        {ok
          ? "Hash of the last entry, to keep elsewhere: "
          : `The ${formatCount(entries)} entries before it are intact. Later entries cannot be trusted. `}
        {ok && <CopyText text={head.hash} label="Copy the hash" />}
      </p>
    </section>
  );
}
