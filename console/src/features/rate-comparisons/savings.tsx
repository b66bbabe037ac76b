import type { ReactNode } from "react";
import { cx } from "../../ui/class-names.ts";
import { formatCount, formatMoney } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { RecordLink } from "../../ui/link.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";

/** Savings or losses, shown by sign and arrow as well as by color. */
export function Savings({ amount, currency }: { amount: number | null | undefined; currency: string }) {
  if (amount === null || amount === undefined) return <span className="text-muted">–</span>;
  const isLoss = amount < 0;
  return (
    <span className={cx("inline-flex items-center gap-0.5", isLoss ? "text-bad" : amount > 0 && "text-ok")}>
      {amount !== 0 && <Icon name={isLoss ? "arrow-down" : "arrow-up"} size={11} />}
      {signedMoney(amount, currency)}
    </span>
  );
}

export const signedMoney = (amount: number, currency: string): string =>
  `${amount < 0 ? "−" : amount > 0 ? "+" : ""}${formatMoney(Math.abs(amount), currency)}`;

export const signedPercent = (value: number | null): string =>
  value === null ? "" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)} %`;

export type SavingsRow = {
  name: string;
  note?: ReactNode;
  href?: string | undefined;
  items: number;
  sourceAvg: number;
  targetAvg: number;
  savings: number;
  savingsPct: number | null;
};

/** Breakdown table: paid and compared cost per item, and the savings of each part. */
export function SavingsTable({
  label,
  head,
  rows,
  currency,
}: {
  label: string;
  head: string;
  rows: readonly SavingsRow[];
  currency: string;
}) {
  const most = Math.max(0.01, ...rows.map(({ savings }) => Math.abs(savings)));
  return (
    <Table label={label}>
      <thead>
        <tr>
          <Th>{head}</Th>
          <Th isNumber>Items</Th>
          <Th isNumber>Paid each</Th>
          <Th isNumber>Would pay</Th>
          <Th>
            <span className="sr-only">As a bar</span>
          </Th>
          <Th isNumber>Saves</Th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={`${row.name} ${index}`} className="hover:bg-skip-soft">
            <Td className="w-2/5 max-w-0 min-w-36">
              <span className="flex min-w-0 items-baseline gap-1.5">
                {row.href ? (
                  <RecordLink href={row.href} className="shrink-0">
                    {row.name}
                  </RecordLink>
                ) : (
                  <span>{row.name}</span>
                )}
                {row.note && <span className="truncate text-sm text-faint">{row.note}</span>}
              </span>
            </Td>
            <Td isNumber>{formatCount(row.items)}</Td>
            <Td isNumber>{formatMoney(row.sourceAvg, currency)}</Td>
            <Td isNumber>{formatMoney(row.targetAvg, currency)}</Td>
            <Td className="w-24 min-w-16">
              <SignedBar share={row.savings / most} />
            </Td>
            <Td isNumber className="whitespace-nowrap">
              <Savings amount={row.savings} currency={currency} />
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Bar from the middle: savings to the right, losses to the left. */
function SignedBar({ share }: { share: number }) {
  const width = `${Math.min(1, Math.abs(share)) * 50}%`;
  return (
    <span aria-hidden className="relative block h-2.5">
      <span className="absolute inset-y-[-3px] start-1/2 w-px bg-line-strong" />
      <span
        className={cx("absolute inset-y-0 rounded-xs", share < 0 ? "end-1/2 bg-bad" : "start-1/2 bg-ok")}
        style={{ width }}
      />
    </span>
  );
}
