import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { formatDate } from "../../ui/calendar.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Heading } from "../../ui/card.tsx";
import type { NamedFact } from "../../ui/facts.tsx";
import { FactList } from "../../ui/facts.tsx";
import { plural } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { ParcelCharges } from "./invoices.queries.ts";
import { parcelQuery } from "./invoices.queries.ts";
import { basisName, formatExact, kindName, weightText } from "./invoices.text.ts";

const above = { href: paths.invoices(), name: "Invoices" };
type Line = ParcelCharges["lines"][number];

/** All charges of a parcel: transport, corrections and credits, on whichever invoice they came. */
export function InvoiceParcelPage() {
  const { trackingNumber } = useParams({ strict: false }) as { trackingNumber: string };
  return (
    <RecordPage above={above} query={useQuery(parcelQuery(trackingNumber))}>
      {(parcel) => <Shown parcel={parcel} />}
    </RecordPage>
  );
}

function Shown({ parcel }: { parcel: ParcelCharges }) {
  const { trackingNumber, lines, totals } = parcel;
  const canSeeShipments = missingScope(useMe(), "shipments:read") === undefined;
  // The invoice with the transport has the price to compare.
  const audited = lines.find(({ kind }) => kind === "base");
  const invoiceCount = new Set(lines.map(({ invoice }) => invoice.id)).size;
  return (
    <>
      <PageHead
        above={above}
        title={<span className="font-mono">{trackingNumber}</span>}
        name={trackingNumber}
        note={lines.length > 0 && `${plural(lines.length, "charge")} on ${plural(invoiceCount, "invoice")}`}
      >
        {audited && (
          <Link href={paths.auditedParcel(audited.invoice.id, trackingNumber)} className={buttonClass("plain")}>
            Billed and expected
          </Link>
        )}
        {canSeeShipments && (
          <Link href={paths.shipments({ trackingNumber })} className={buttonClass("plain")}>
            Open shipments
          </Link>
        )}
      </PageHead>
      {lines.length === 0 ? (
        <Card label="Charges">
          <Empty text="No invoice has a charge for this tracking number.">
            <Link href={paths.invoices()} className={buttonClass("plain")}>
              All invoices
            </Link>
          </Empty>
        </Card>
      ) : (
        <div className="grid items-start gap-3.5 lg:grid-cols-[minmax(0,1fr)_320px]">
          <Charges lines={lines} totals={totals} />
          <Card label="Parcel" className="px-3 py-2.5">
            <Heading title="Parcel" note="as billed" />
            <FactList facts={factsOf(lines)} />
          </Card>
        </div>
      )}
    </>
  );
}

function Charges({ lines, totals }: Pick<ParcelCharges, "lines" | "totals">) {
  return (
    <Card label="Charges">
      <Table label="Charges">
        <thead>
          <tr>
            <Th>Invoice</Th>
            <Th>Date</Th>
            <Th>Kind</Th>
            <Th>Charge</Th>
            <Th isNumber>Before discount</Th>
            <Th isNumber>Discount</Th>
            <Th isNumber>Net</Th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={`${line.invoice.id} ${line.position}`} className="hover:bg-skip-soft">
              <Td className="max-w-56 whitespace-nowrap">
                <RecordLink href={paths.invoice(line.invoice.id)} className="font-mono text-sm">
                  {line.invoice.number}
                </RecordLink>
                <span className="ms-1.5 text-sm text-muted">{line.invoice.carrier}</span>
              </Td>
              <Td className="whitespace-nowrap">{formatDate(line.invoice.date)}</Td>
              <Td className="whitespace-nowrap">{kindName(line.kind)}</Td>
              <Td className="min-w-40">
                {line.description}
                {line.code && <span className="ms-1.5 text-sm text-muted">{line.code}</span>}
                {line.originalTrackingNumber && line.trackingNumber !== line.originalTrackingNumber && (
                  <span className="ms-1.5 text-sm text-muted">billed as {line.trackingNumber ?? "no parcel"}</span>
                )}
              </Td>
              <Td isNumber className="text-muted">
                {formatExact(line.gross, line.currency)}
              </Td>
              <Td isNumber className="text-muted">
                {line.discount === 0 ? "–" : formatExact(line.discount, line.currency)}
              </Td>
              <Td isNumber>{formatExact(line.net, line.currency)}</Td>
            </tr>
          ))}
          {totals.map((total) => (
            <tr key={total.currency} className="font-semibold">
              <Td colSpan={4}>
                {totals.length > 1 ? `Total in ${total.currency}` : "Total"}, {plural(total.lineCount, "charge")}
              </Td>
              <Td isNumber>{formatExact(total.gross, total.currency)}</Td>
              <Td isNumber>{formatExact(total.discount, total.currency)}</Td>
              <Td isNumber>{formatExact(total.net, total.currency)}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

/** The first line that states a fact; the transport comes first. */
function factsOf(lines: readonly Line[]): NamedFact[] {
  const ordered = lines.toSorted((one, other) => Number(other.kind === "base") - Number(one.kind === "base"));
  const first = <Name extends keyof Line>(name: Name): Line[Name] | null =>
    ordered.find((line) => line[name] !== null)?.[name] ?? null;
  const size = first("dimensions");
  const basis = first("weightBasis");
  const billed = weightText(first("billedWeight"));
  const shipped = first("shipDate");
  const delivered = first("deliveryDate");
  return [
    ["Service", first("service")],
    ["Zone", first("zone")],
    ["Shipped", shipped && formatDate(shipped)],
    ["Delivered", delivered && formatDate(delivered)],
    ["Entered weight", weightText(first("enteredWeight"))],
    ["Billed weight", billed && [billed, basis && basisName(basis)].filter(Boolean).join(", ")],
    ["Size", size && `${size.length} × ${size.width} × ${size.height} ${size.unit}`],
    ["From", [first("senderZip"), first("senderCountry")].filter(Boolean).join(" ")],
    ["To", [first("receiverZip"), first("receiverCountry")].filter(Boolean).join(" ")],
    ["References", [...new Set(lines.flatMap(({ references }) => references))].join(", ")],
  ];
}
