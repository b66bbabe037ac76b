import type { FieldError } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { Differing } from "./invoices.queries.ts";

const amounts = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const changes = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
  signDisplay: "exceptZero",
});
const amountText = (amount: number | null): string => (amount === null ? "–" : amounts.format(amount));

/** An invoice that is stored with other lines: the parcels with both amounts. */
export function DifferingInvoice({ differing, message }: { differing: Differing; message: string }) {
  const { invoiceId, numbers, differs } = differing;
  return (
    <Card label="Invoice differs">
      <div role="alert" className="px-3 py-2.5">
        <Heading
          title={<span className="text-bad">{`Invoice ${numbers[0] ?? ""} was imported with other lines`}</span>}
        >
          <Link href={paths.invoice(invoiceId)} className={buttonClass("plain")}>
            Open the stored invoice
          </Link>
        </Heading>
        <p>{message}</p>
        {numbers.length > 1 && (
          <p className="mt-1">Other lines as well: {numbers.slice(1).join(", ")}. Nothing of the file was imported.</p>
        )}
      </div>
      {differs.length > 0 && (
        <Table label="Parcels that differ">
          <thead>
            <tr>
              <Th>Parcel</Th>
              <Th isNumber>Stored</Th>
              <Th isNumber>In this file</Th>
              <Th isNumber>Change</Th>
            </tr>
          </thead>
          <tbody>
            {differs.map(({ trackingNumber, stored, sent }) => (
              <tr key={trackingNumber ?? ""}>
                <Td className="whitespace-nowrap">
                  {trackingNumber === null ? (
                    <span className="text-muted">Charges without a parcel</span>
                  ) : (
                    <RecordLink href={paths.invoiceParcel(trackingNumber)} className="font-mono text-sm">
                      {trackingNumber}
                    </RecordLink>
                  )}
                </Td>
                <Td isNumber>{amountText(stored)}</Td>
                <Td isNumber>{amountText(sent)}</Td>
                <Td isNumber>{changes.format(changeOf(stored, sent))}</Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {differs.length >= 20 && <p className="px-3 py-1.5 text-sm text-muted">The first 20 parcels are shown.</p>}
    </Card>
  );
}

/** In millionths, as the hub counts: 0.1 + 0.2 must not show as 0.30000000000000004. */
const changeOf = (stored: number | null, sent: number | null): number =>
  Math.round(((sent ?? 0) - (stored ?? 0)) * 1_000_000) / 1_000_000;

/** The row and column have cells of their own. */
const withoutPlace = (message: string): string => message.replace(/^Row \d+(, [^:]+)?: /, "");

/** Cells that cannot be read, by row and column of the file. */
export function RowErrors({ errors }: { errors: readonly FieldError[] }) {
  return (
    <Card label="Unreadable cells">
      <div role="alert" className="px-3 pt-2.5">
        <Heading
          title="Nothing was imported"
          note={`${plural(errors.length, "cell")} cannot be read. Correct the file, or change the formats.`}
        />
      </div>
      <Table label="Unreadable cells">
        <thead>
          <tr>
            <Th isNumber className="w-24">
              Row
            </Th>
            <Th>Column</Th>
            <Th>Error</Th>
          </tr>
        </thead>
        <tbody>
          {errors.map(({ row, column, code, message }) => (
            <tr key={`${row ?? ""} ${column ?? ""} ${code}`}>
              <Td isNumber>{row === undefined ? "–" : formatCount(row)}</Td>
              <Td className="max-w-56 truncate whitespace-nowrap">
                {column ?? <span className="text-muted">Whole row</span>}
              </Td>
              <Td className="min-w-56">{withoutPlace(message)}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
      {errors.length >= 200 && <p className="px-3 py-1.5 text-sm text-muted">The first 200 cells are shown.</p>}
    </Card>
  );
}
