import type { Invoice, InvoiceLine } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { formatDate } from "../../ui/calendar.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { formatCount } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import type { LineFilter } from "./invoices.queries.ts";
import { invoiceLinesQuery } from "./invoices.queries.ts";
import { basisName, formatExact, kindName, kindOptions, weightText } from "./invoices.text.ts";

const filters: ListFilter[] = [
  { kind: "text", param: "trackingNumber", title: "Tracking number" },
  { kind: "choice", param: "kind", title: "Kind", options: kindOptions },
  { kind: "text", param: "code", title: "Code" },
];

function lineFilterOf(search: Search): LineFilter {
  const given = ["trackingNumber", "kind", "code"].flatMap((name) => {
    const value = oneOf(search[name]);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given);
}

const Nothing = () => <span className="text-muted">–</span>;

const columns: Array<ListColumn<InvoiceLine>> = [
  { name: "Row", isNumber: true, className: "text-faint", cell: (line) => formatCount(line.row) },
  {
    name: "Tracking number",
    className: "whitespace-nowrap",
    cell: (line) => <ParcelLink line={line} />,
  },
  { name: "Kind", className: "whitespace-nowrap", cell: (line) => kindName(line.kind) },
  { name: "Code", className: "whitespace-nowrap text-muted", cell: (line) => line.code ?? <Nothing /> },
  { name: "Charge", className: "max-w-64 min-w-40 truncate", cell: (line) => line.description },
  { name: "Service", className: "max-w-40 truncate", cell: (line) => line.service ?? <Nothing /> },
  { name: "Zone", cell: (line) => line.zone ?? <Nothing /> },
  {
    name: "Billed weight",
    isNumber: true,
    className: "whitespace-nowrap",
    cell: (line) => (
      <>
        {weightText(line.billedWeight) ?? <Nothing />}
        {line.weightBasis && line.weightBasis !== "actual" && (
          <span className="ms-1.5 text-sm text-muted">{basisName(line.weightBasis)}</span>
        )}
      </>
    ),
  },
  { name: "Shipped", className: "whitespace-nowrap", cell: (line) => formatDate(line.shipDate) },
  {
    name: "Before discount",
    isNumber: true,
    className: "text-muted",
    cell: (line) => (line.discount === 0 ? <Nothing /> : formatExact(line.gross, line.currency)),
  },
  { name: "Net", isNumber: true, cell: (line) => formatExact(line.net, line.currency) },
];

/** To all charges of the parcel. A correction belongs to the parcel that it names. */
function ParcelLink({ line }: { line: InvoiceLine }) {
  const parcel = line.originalTrackingNumber ?? line.trackingNumber;
  if (parcel === null) return <span className="text-muted">No parcel</span>;
  return (
    <RecordLink href={paths.invoiceParcel(parcel)} className="font-mono text-sm">
      {parcel}
    </RecordLink>
  );
}

/** Lines in the order of the file, with filters. */
export function InvoiceLines({ invoice }: { invoice: Invoice }) {
  const { search } = useSearchParams();
  const filter = lineFilterOf(search);
  const lines = useQuery(invoiceLinesQuery(invoice.id, filter, usePage()));
  return (
    <>
      <Filters filters={filters} />
      <ListCard
        label="Lines"
        query={lines}
        columns={columns}
        idOf={(line) => String(line.position)}
        empty={
          <Empty text={Object.keys(filter).length > 0 ? "No lines match these filters." : "The invoice has no lines."}>
            <Link href={paths.invoice(invoice.id, { tab: "lines" })} className={buttonClass("plain")}>
              All lines
            </Link>
          </Empty>
        }
      />
    </>
  );
}
