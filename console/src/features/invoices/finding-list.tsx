import type { Finding, Invoice } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { formatDate } from "../../ui/calendar.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { formatCount, sentence } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, usePanel, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { DecideButton } from "./decide-findings.form.tsx";
import { FindingPanel } from "./finding.panel.tsx";
import type { FindingFilter } from "./findings.queries.ts";
import { findingsQuery } from "./findings.queries.ts";
import { confidenceOptions, findingKindOptions, findingName, findingStates, findingTone } from "./findings.text.ts";
import { formatExact } from "./invoices.text.ts";
import { MoneyAtStake } from "./money-at-stake.tsx";

const filters: ListFilter[] = [
  { kind: "choice", param: "kind", title: "Kind", options: findingKindOptions },
  { kind: "choice", param: "confidence", title: "Confidence", options: confidenceOptions },
  { kind: "text", param: "trackingNumber", title: "Tracking number" },
  { kind: "days", from: "shippedFrom", to: "shippedTo", title: "Ship date" },
];
const carrierFilter: ListFilter = { kind: "text", param: "carrier", title: "Carrier" };
const names = ["kind", "confidence", "trackingNumber", "shippedFrom", "shippedTo", "carrier"];

function filterOf(search: Search, invoice: Invoice | undefined): FindingFilter {
  const given = names.flatMap((name) => {
    const value = oneOf(search[name]);
    return value ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(given), ...(invoice ? { invoiceId: invoice.id, carrier: invoice.carrier } : {}) };
}

/** Open findings are shown unless the address names another state. */
function stateOf(search: Search): (typeof findingStates)[number] | undefined {
  const given = oneOf(search["state"]);
  return given === "all" ? undefined : (findingStates.find((state) => state === given) ?? "open");
}

function FindingLink({ finding }: { finding: Finding }) {
  const { show } = usePanel("finding");
  return (
    <button
      type="button"
      onClick={() => show(finding.id)}
      className="inline-flex min-h-6 items-center text-accent-text hover:underline"
    >
      {findingName(finding)}
    </button>
  );
}

const columnsWith = (
  isOfInvoice: boolean,
  selected: ReadonlySet<string>,
  toggle: (id: string, isOn: boolean) => void,
): Array<ListColumn<Finding>> => [
  {
    name: "Select",
    cell: (one) => (
      <Checkbox
        label={`Select ${findingName(one)} of ${one.trackingNumber}`}
        isLabelHidden
        isChecked={selected.has(one.id)}
        onChange={(isOn) => toggle(one.id, isOn)}
      />
    ),
  },
  { name: "Finding", className: "whitespace-nowrap", cell: (one) => <FindingLink finding={one} /> },
  {
    name: "Parcel",
    className: "whitespace-nowrap",
    cell: (one) => (
      <RecordLink href={paths.auditedParcel(one.invoiceId, one.trackingNumber)} className="font-mono text-sm">
        {one.trackingNumber}
      </RecordLink>
    ),
  },
  ...(isOfInvoice
    ? []
    : [
        {
          name: "Invoice",
          className: "max-w-56 truncate",
          cell: (one: Finding) => (
            <RecordLink href={paths.invoice(one.invoiceId)} className="font-mono text-sm">
              {one.invoiceNumber}
            </RecordLink>
          ),
        },
        { name: "Carrier", className: "max-w-40 truncate", cell: (one: Finding) => one.carrier },
      ]),
  { name: "Shipped", className: "whitespace-nowrap", cell: (one) => formatDate(one.shipDate) },
  { name: "Billed", isNumber: true, cell: (one) => formatExact(one.evidence.billed, one.currency) },
  { name: "Contract", isNumber: true, cell: (one) => formatExact(one.evidence.expected, one.currency) },
  {
    name: "Too much",
    isNumber: true,
    className: "font-medium",
    cell: (one) => formatExact(one.amount, one.currency),
  },
  { name: "Confidence", cell: (one) => sentence(one.confidence) },
  {
    name: "State",
    className: "whitespace-nowrap",
    cell: (one) => (
      <>
        <Badge tone={findingTone(one.state)}>{sentence(one.state)}</Badge>
        {one.creditedAmount > 0 && one.creditedAmount < one.amount && (
          <span className="ms-1.5 text-sm text-muted">{formatExact(one.creditedAmount, one.currency)} credited</span>
        )}
      </>
    ),
  },
];

type Props = {
  /** Undefined: the findings of all invoices. */
  invoice?: Invoice;
  /** Shown instead of the list when there is no finding in any state. */
  none: ReactNode;
};

/** Findings with what is at stake, filters, bulk changes and the claim file. */
export function FindingList({ invoice, none }: Props) {
  const { search, set } = useSearchParams();
  const { show } = usePanel("finding");
  const ofAll = filterOf(search, invoice);
  const state = stateOf(search);
  const filter: FindingFilter = { ...ofAll, state: state ?? findingStates.join(",") };
  const findings = useQuery(findingsQuery(filter, usePage()));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // While a list loads, the previous rows are still shown.
  const shown = findings.isPlaceholderData ? [] : (findings.data?.data ?? []);
  const chosen = shown.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  const isFiltered = names.some((name) => oneOf(search[name]));
  const total = findings.data?.pagination.total ?? 0;
  const toggle = (id: string, isOn: boolean): void =>
    setSelected((before) => (isOn ? new Set([...before, id]) : before.difference(new Set([id]))));
  const hrefOf = (query: Search): string => {
    const next = { ...search, ...query, page: undefined, finding: undefined };
    return invoice ? paths.invoice(invoice.id, next) : paths.findings(next);
  };
  return (
    <>
      <MoneyAtStake filter={ofAll} state={state} hrefOfKind={(kind) => hrefOf({ kind, state: undefined })} />
      <Filters filters={invoice ? filters : [...filters, carrierFilter]} />
      {total > 0 && (
        <BulkBar
          key={JSON.stringify(filter)}
          filter={filter}
          total={total}
          shown={shown.map(({ id }) => id)}
          chosen={chosen}
          onSelect={(ids) => setSelected(new Set(ids))}
        />
      )}
      <ListCard
        label="Findings"
        query={findings}
        columns={columnsWith(invoice !== undefined, selected, toggle)}
        idOf={({ id }) => id}
        onOpen={({ id }) => show(id)}
        empty={
          isFiltered ? (
            <Empty text="No findings match these filters.">
              <Button onClick={() => set(Object.fromEntries([...names, "page"].map((name) => [name, undefined])))}>
                Clear filters
              </Button>
            </Empty>
          ) : state === "open" || state === undefined ? (
            none
          ) : (
            <Empty text={`No findings are ${state}.`}>
              <Link href={hrefOf({ state: undefined })} className={buttonClass("plain")}>
                Open findings
              </Link>
            </Empty>
          )
        }
      />
      <FindingPanel />
    </>
  );
}

type BulkProps = {
  filter: FindingFilter;
  total: number;
  shown: readonly string[];
  chosen: string[];
  onSelect(ids: readonly string[]): void;
};

/** Selection, what can be done with it, and the claim file of all that match. */
function BulkBar({ filter, total, shown, chosen, onSelect }: BulkProps) {
  const [isAll, setAll] = useState(false);
  const areAllShown = shown.length > 0 && chosen.length === shown.length;
  const isEverything = isAll && areAllShown;
  const count = isEverything ? total : chosen.length;
  const target = {
    decided: isEverything ? { filter } : { ids: chosen },
    count,
    onDone: () => onSelect([]),
  };
  const states = findingStates.filter((state) => state !== "credited" && state !== filter.state);
  return (
    <div
      role="region"
      aria-label="Selection"
      className="mb-2.5 flex min-h-9 flex-wrap items-center gap-x-2.5 gap-y-1.5 text-muted"
    >
      <Checkbox
        label={count === 0 ? "Select all on this page" : `${formatCount(count)} selected`}
        isChecked={areAllShown}
        isMixed={count > 0 && !areAllShown}
        onChange={() => {
          setAll(false);
          onSelect(areAllShown ? [] : shown);
        }}
      />
      {areAllShown && !isEverything && total > shown.length && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Select all {formatCount(total)} that match
        </Button>
      )}
      {count > 0 && states.map((state) => <DecideButton key={state} state={state} {...target} />)}
      <span className="flex-1" />
      <ClaimFile filter={filter} />
    </div>
  );
}

/** Carriers have claim files of their own; without a carrier the file has all fields. */
function ClaimFile({ filter }: { filter: FindingFilter }) {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
  return (
    <a href={`/api/v1/findings/export?${query}`} download className={buttonClass("plain")}>
      <Icon name="download" /> {filter.carrier ? `Claim file for ${filter.carrier}` : "Export as CSV"}
    </a>
  );
}
