import type { Invoice } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { Card, Skeleton } from "../../ui/card.tsx";
import { formatCount } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { InvoiceTotals } from "./invoices.queries.ts";
import { formatExact, kindName } from "./invoices.text.ts";

type Props = {
  invoice: Invoice;
  totals: { data: InvoiceTotals | undefined; error: Error | null; refetch(): unknown };
};

/** Charges by kind; each leads to its lines. */
export function InvoiceCharges({ invoice, totals: { data, error, refetch } }: Props) {
  if (error && !data) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton rows={6} />;
  const most = Math.max(0.01, ...data.kinds.map(({ net }) => Math.abs(net)));
  return (
    <Card label="Charges by kind">
      <Table label="Charges by kind">
        <thead>
          <tr>
            <Th>Charge</Th>
            <Th isNumber>Parcels</Th>
            <Th isNumber>Lines</Th>
            <Th isNumber>Before discount</Th>
            <Th isNumber>Discount</Th>
            <Th>
              <span className="sr-only">Net as a bar</span>
            </Th>
            <Th isNumber>Net</Th>
          </tr>
        </thead>
        <tbody>
          {data.kinds.map((row) => (
            <tr key={`${row.kind} ${row.currency}`} className="hover:bg-skip-soft">
              <Td className="whitespace-nowrap">
                <RecordLink href={paths.invoice(invoice.id, { tab: "lines", kind: row.kind })}>
                  {kindName(row.kind)}
                </RecordLink>
                {row.currency !== invoice.currency && (
                  <span className="ms-1.5 text-sm text-warn">in {row.currency}</span>
                )}
              </Td>
              <Td isNumber>
                {row.parcelCount === 0 ? <span className="text-muted">–</span> : formatCount(row.parcelCount)}
              </Td>
              <Td isNumber>{formatCount(row.lineCount)}</Td>
              <Td isNumber>{formatExact(row.gross, row.currency)}</Td>
              <Td isNumber>
                {row.discount === 0 ? <span className="text-muted">–</span> : formatExact(row.discount, row.currency)}
              </Td>
              <Td className="w-1/4 min-w-16">
                <span aria-hidden className="block h-2 rounded-xs bg-skip-soft">
                  <span
                    className="block h-2 rounded-xs bg-line-strong"
                    style={{ width: `${(Math.abs(row.net) / most) * 100}%` }}
                  />
                </span>
              </Td>
              <Td isNumber>{formatExact(row.net, row.currency)}</Td>
            </tr>
          ))}
          <tr className="font-semibold">
            <Td>Sum of the lines</Td>
            <Td isNumber>{formatCount(data.parcelCount)}</Td>
            <Td isNumber>{formatCount(invoice.lineCount)}</Td>
            <Td />
            <Td />
            <Td />
            <Td isNumber>{formatExact(invoice.chargedAmount, invoice.currency)}</Td>
          </tr>
        </tbody>
      </Table>
    </Card>
  );
}
