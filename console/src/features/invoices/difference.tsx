import type { Invoice } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { differenceQuery } from "./invoices.queries.ts";
import { formatExact } from "./invoices.text.ts";

/** Stated total less the sum of the lines. */
export function Difference({ amount, currency }: { amount: number; currency: string }) {
  if (amount === 0) return <span className="text-muted">–</span>;
  return (
    <span className="inline-flex items-center gap-1 font-medium text-bad">
      <Icon name="alert" size={12} />
      {formatExact(amount, currency)}
    </span>
  );
}

/** Why the lines do not add up to the amount, with the rows that may explain it. */
export function DifferenceCard({ invoice }: { invoice: Invoice }) {
  const canRead = missingScope(useMe(), "exceptions:read") === undefined;
  const { data: exception } = useQuery({ ...differenceQuery(invoice), enabled: canRead });
  const money = (amount: number): string => formatExact(amount, invoice.currency);
  const rows = exception?.rows ?? [];
  return (
    <Card label="Difference">
      <div className="px-3 py-2.5">
        <Heading title={<span className="text-bad">{money(invoice.difference)} is not explained by the lines</span>}>
          {exception && (
            <Link
              href={paths.exceptions({ kind: "invoice", status: exception.status, open: exception.id })}
              className={buttonClass("plain")}
            >
              Open the exception
            </Link>
          )}
        </Heading>
        <p>
          The invoice states {money(invoice.amount)}. Its lines add up to {money(invoice.chargedAmount)}.
          {exception && rows.length === 0 && " No single row explains the difference."}
        </p>
      </div>
      {rows.length > 0 && (
        <Table label="Rows that may explain the difference">
          <thead>
            <tr>
              <Th isNumber className="w-24">
                Row of the file
              </Th>
              <Th>Possible cause</Th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, message }) => (
              <tr key={`${row} ${message}`}>
                <Td isNumber>{formatCount(row)}</Td>
                <Td className="min-w-56">{message}</Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  );
}
