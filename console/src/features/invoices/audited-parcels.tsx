import type { Invoice } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { formatDate } from "../../ui/calendar.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import type { AuditedParcel, ParcelFilter } from "./findings.queries.ts";
import { auditedParcelsQuery } from "./findings.queries.ts";
import { notAuditedFix, notAuditedOptions, notAuditedText } from "./findings.text.ts";
import { formatExact } from "./invoices.text.ts";

const filters: ListFilter[] = [
  {
    kind: "choice",
    param: "status",
    title: "Audit",
    options: [
      { value: "audited", label: "Compared" },
      { value: "not_audited", label: "Not compared" },
    ],
  },
  { kind: "choice", param: "reason", title: "Reason", options: notAuditedOptions },
];

function filterOf(search: Search): ParcelFilter {
  const given = ["status", "reason"].flatMap((name) => {
    const value = oneOf(search[name]);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const Nothing = () => <span className="text-muted">–</span>;

const columnsOf = (invoice: Invoice): Array<ListColumn<AuditedParcel>> => [
  {
    name: "Parcel",
    className: "whitespace-nowrap",
    cell: (one) => (
      <RecordLink href={paths.auditedParcel(invoice.id, one.trackingNumber)} className="font-mono text-sm">
        {one.trackingNumber}
      </RecordLink>
    ),
  },
  { name: "Service", className: "max-w-48 truncate", cell: (one) => one.service ?? <Nothing /> },
  { name: "Shipped", className: "whitespace-nowrap", cell: (one) => formatDate(one.shipDate) },
  { name: "Billed", isNumber: true, cell: (one) => formatExact(one.billed, one.currency) },
  {
    name: "Contract",
    isNumber: true,
    cell: (one) => (one.expected === null ? <Nothing /> : formatExact(one.expected, one.currency)),
  },
  {
    name: "Too much",
    isNumber: true,
    cell: (one) =>
      one.findingAmount === 0 ? (
        <Nothing />
      ) : (
        <span className="font-medium">{formatExact(one.findingAmount, one.currency)}</span>
      ),
  },
  {
    name: "Not compared",
    className: "min-w-48 text-muted",
    cell: (one) => one.reason && `${capital(notAuditedText(one.reason))}. ${notAuditedFix(one.reason)}`,
  },
];

/** Parcels of the invoice with the price of the contract, or why there is none. */
export function AuditedParcels({ invoice }: { invoice: Invoice }) {
  const { search } = useSearchParams();
  const filter = filterOf(search);
  const parcels = useQuery(auditedParcelsQuery(invoice.id, filter, usePage()));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Filters filters={filters} />
      <ListCard
        label="Parcels"
        query={parcels}
        columns={columnsOf(invoice)}
        idOf={({ trackingNumber }) => trackingNumber}
        empty={
          <Empty
            text={
              isFiltered
                ? "No parcels match these filters."
                : "No parcel is audited yet. Audit the invoice against a contract to see billed and expected amounts."
            }
          >
            {isFiltered && (
              <Link href={paths.invoice(invoice.id, { tab: "parcels" })} className={buttonClass("plain")}>
                All parcels
              </Link>
            )}
          </Empty>
        }
      />
    </>
  );
}
