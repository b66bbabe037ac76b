import type { RateComparison, RateComparisonSummary } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { Card, Heading } from "../../ui/card.tsx";
import { formatMoney, sentence } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { lineNames } from "./rate-comparisons.text.ts";
import { Savings } from "./savings.tsx";

/** Components of the new price. */
export function CostParts({ summary }: { summary: RateComparisonSummary }) {
  const { costBreakdown, currency } = summary;
  const { base, discount, minimum, surcharges, fuel, total } = costBreakdown.target;
  const parts: Array<[code: string, amount: number]> = [
    ["base", base],
    ["discount", discount],
    ["minimum", minimum],
    ...Object.entries(surcharges).toSorted(([, a], [, b]) => b - a),
    ["fuel", fuel],
  ];
  return (
    <Card label="Price components">
      <div className="px-3 pt-2.5">
        <Heading title="Price components" />
      </div>
      <Table label="Price components">
        <tbody>
          {parts
            .filter(([, amount]) => amount !== 0)
            .map(([code, amount]) => (
              <tr key={code}>
                <Td className="whitespace-nowrap">{lineNames[code] ?? sentence(code)}</Td>
                <Td className="w-1/2">
                  <span aria-hidden className="block h-2.5 rounded-xs bg-skip-soft">
                    <span
                      className={`block h-full rounded-xs ${amount < 0 ? "bg-ok" : "bg-accent"}`}
                      style={{ width: `${Math.min(100, Math.abs(costBreakdown.targetShares[code] ?? 0))}%` }}
                    />
                  </span>
                </Td>
                <Td isNumber className="text-muted">
                  {(costBreakdown.targetShares[code] ?? 0).toFixed(1)} %
                </Td>
                <Td isNumber>{formatMoney(amount, currency)}</Td>
              </tr>
            ))}
          <tr className="font-medium">
            <Td>Total</Td>
            <Td />
            <Td />
            <Td isNumber>{formatMoney(total, currency)}</Td>
          </tr>
        </tbody>
      </Table>
    </Card>
  );
}

/** Items with the largest differences, linked to their price lines. */
export function TopItems({ comparison, summary }: { comparison: RateComparison; summary: RateComparisonSummary }) {
  const lists: Array<[title: string, items: RateComparisonSummary["top"]["savings"]]> = [
    ["Largest savings", summary.top.savings],
    ["Largest extra cost", summary.top.losses],
  ];
  return (
    <Card label="Largest differences">
      <div className="grid sm:grid-cols-2">
        {lists.map(([title, items]) => (
          <div key={title} className="min-w-0 border-line sm:not-first:border-s">
            <div className="px-3 pt-2.5">
              <Heading title={title} />
            </div>
            {items.length === 0 ? (
              <p className="px-3 pb-3 text-muted">No item.</p>
            ) : (
              <Table label={title}>
                <thead>
                  <tr>
                    <Th>Item</Th>
                    <Th isNumber>Saves</Th>
                  </tr>
                </thead>
                <tbody>
                  {items.slice(0, 8).map((item) => (
                    <tr key={item.index}>
                      <Td className="max-w-0 truncate font-mono text-sm">
                        <RecordLink href={paths.rate(comparison.id, { tab: "items", item: String(item.index) })}>
                          {item.trackingNumber}
                        </RecordLink>
                      </Td>
                      <Td isNumber>
                        <Savings amount={item.savings} currency={summary.currency} />
                      </Td>
                    </tr>
                  ))}
                </tbody>
              </Table>
            )}
          </div>
        ))}
      </div>
    </Card>
  );
}
