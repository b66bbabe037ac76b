import type { RateComparisonItemRequest } from "@order-operations-hub/sdk/api-types";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { downloadText } from "../../ui/download-text.ts";
import { formatCount, formatMoney, plural, words } from "../../ui/format.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { FileReport } from "./rate-comparisons.queries.ts";

/** Errors of the file by kind, with a download of all affected rows. */
export function FileErrors({ report, name }: { report: FileReport; name: string }) {
  const { errors, warnings, rejectedCsv, summary } = report;
  const inRows = errors.filter(({ code }) => code !== "missing_column");
  if (inRows.length === 0 && warnings.length === 0) return null;
  const groups = Map.groupBy(inRows, ({ column, code }) => `${column ?? ""} ${code}`);
  return (
    <Card label="Rejected rows and warnings">
      <div className="px-3 pt-2.5">
        <Heading
          title="Rejected rows and warnings"
          note={summary.skipped > 0 && `${plural(summary.skipped, "row")} of ${formatCount(summary.rows)}`}
        >
          {rejectedCsv && (
            <Button onClick={() => downloadText(`rejected-${name.replace(/\.xlsx$/i, ".csv")}`, rejectedCsv)}>
              Download rejected rows
            </Button>
          )}
        </Heading>
      </div>
      <Table label="Rejected rows and warnings">
        <tbody>
          {[...groups.values()].map((group) => (
            <tr key={`${group[0]!.column ?? ""} ${group[0]!.code}`}>
              <Td className="whitespace-nowrap">
                <Badge tone="bad">{words(group[0]!.code)}</Badge>
              </Td>
              <Td className="whitespace-nowrap text-muted">{group[0]!.column ?? "whole row"}</Td>
              <Td isNumber className="whitespace-nowrap">
                {plural(group.length, "row")}
              </Td>
              <Td className="w-full max-w-0 min-w-56 truncate">
                row {formatCount(group[0]!.row)}: {group[0]!.message}
              </Td>
            </tr>
          ))}
          {warnings.map((warning) => (
            <tr key={`${warning.column} ${warning.code}`}>
              <Td className="whitespace-nowrap">
                <Badge tone="skip">{words(warning.code)}</Badge>
              </Td>
              <Td className="whitespace-nowrap text-muted">{warning.column}</Td>
              <Td />
              <Td className="w-full max-w-0 min-w-56 truncate text-muted">{warning.message}</Td>
            </tr>
          ))}
        </tbody>
      </Table>
      {inRows.length >= 200 && <p className="px-3 py-1.5 text-sm text-muted">Showing the first 200.</p>}
    </Card>
  );
}

/** First rows as they would be priced. */
export function FileSample({ report, isOld }: { report: FileReport; isOld: boolean }) {
  const { sample, errors } = report;
  return (
    <Card label="First rows as imported" className={cx(isOld && "stale")}>
      <div className="px-3 pt-2.5">
        <Heading title="First rows as imported" note={plural(sample.length, "row")} />
      </div>
      <Table label="First rows as imported">
        <thead>
          <tr>
            <Th isNumber>Row</Th>
            <Th>Tracking number</Th>
            <Th isNumber>Paid</Th>
            <Th>Service</Th>
            <Th>From</Th>
            <Th>To</Th>
            <Th isNumber>Weight</Th>
          </tr>
        </thead>
        <tbody>
          {sample.map(({ row, item }) =>
            item ? (
              <tr key={row}>
                <Td isNumber className="text-faint">
                  {formatCount(row)}
                </Td>
                <Td className="font-mono text-sm whitespace-nowrap">{item.trackingNumber}</Td>
                <Td isNumber>{formatMoney(item.netCost, item.currency ?? "USD")}</Td>
                <Td className="max-w-36 truncate">{item.serviceType ?? <Nothing />}</Td>
                <Td className="whitespace-nowrap">{placeOf(item, "origin") || <Nothing />}</Td>
                <Td className="whitespace-nowrap">{placeOf(item, "destination") || <Nothing />}</Td>
                <Td isNumber className="whitespace-nowrap">
                  {item.weight ? `${item.weight.value} ${item.weight.unit}` : <Nothing />}
                </Td>
              </tr>
            ) : (
              <tr key={row}>
                <Td isNumber className="text-faint">
                  {formatCount(row)}
                </Td>
                <Td colSpan={6} className="text-bad">
                  {errors.find((error) => error.row === row)?.message ?? "Not read: a required column is missing."}
                </Td>
              </tr>
            ),
          )}
        </tbody>
      </Table>
    </Card>
  );
}

const Nothing = () => <span className="text-muted">–</span>;

function placeOf(item: RateComparisonItemRequest, end: "origin" | "destination"): string {
  return [item[`${end}City`], item[`${end}State`], item[`${end}Zip`]].filter(Boolean).join(" ");
}
