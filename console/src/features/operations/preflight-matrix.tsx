import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { changeText, valueText } from "../../ui/change-text.ts";
import { fieldName } from "../../ui/format.ts";
import { cx } from "../../ui/class-names.ts";
import { RecordLink } from "../../ui/link.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import type { Preflight } from "./operations.queries.ts";
import { useKnownTitles } from "./operations.queries.ts";
import { verdictTones, verdictWords } from "./operations.text.ts";
import type { NameOf } from "./named-values.ts";
import { namedChange } from "./named-values.ts";
import { useRecordNames } from "./record-names.ts";
import { plainMessage, reasonText, reasonTitle } from "./reasons.ts";
import { priceDetail, priceText } from "./step-prices.ts";

type Row = Preflight["orders"][number];
type Step = Row["steps"][number];

/** Preflight per order and step. Each cell shows the change. */
export function PreflightMatrix({
  rows,
  actions,
}: {
  rows: readonly Row[];
  actions: ReadonlyArray<OperationAction | undefined>;
}) {
  const nameOf = useRecordNames();
  const titleOf = useKnownTitles();
  return (
    <Table label="Preview of each order">
      <thead>
        <tr>
          <Th className="sticky start-0 z-10 bg-panel">Order</Th>
          {actions.map((action, at) => (
            <Th key={at}>
              {at + 1} {action?.title ?? ""}
            </Th>
          ))}
          <Th className="sticky end-0 z-10 bg-panel">Result</Th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.ref}>
            <Td className="sticky start-0 z-10 bg-panel whitespace-nowrap">
              <RecordLink href={paths.order(row.order_number ?? row.ref)} className="font-mono text-sm">
                {row.order_number ?? row.ref}
              </RecordLink>
            </Td>
            {actions.map((_, at) => (
              <Td key={at} className="max-w-56 truncate">
                <Cell step={row.steps.find((step) => step.index === at)} nameOf={nameOf} titleOf={titleOf} />
              </Td>
            ))}
            <Td className="sticky end-0 z-10 bg-panel whitespace-nowrap">
              <Badge tone={verdictTones[row.verdict] ?? "skip"}>{resultText(row)}</Badge>
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function resultText(row: Row): string {
  const at = row.steps.find((step) => step.verdict === "blocked");
  return row.verdict === "blocked" && at
    ? `Cannot change: step ${at.index + 1}`
    : (verdictWords[row.verdict] ?? row.verdict);
}

type CellProps = { step: Step | undefined; nameOf: NameOf; titleOf(type: string): string | undefined };

function Cell({ step, nameOf, titleOf }: CellProps) {
  if (!step || step.verdict === "skipped") return <span className="text-muted">–</span>;
  if (step.error) {
    return (
      <Tooltip text={reasonText(step.error, titleOf)}>
        <button type="button" className="min-h-6 truncate text-bad">
          ✕ {reasonTitle(step.error.code)}
        </button>
      </Tooltip>
    );
  }
  if (step.verdict === "no_change") return <span className="text-muted">No change</span>;
  const { price } = step;
  const changes = (step.changes ?? []).map((change) => namedChange(change, nameOf));
  const first = changes[0];
  if (!first && !price)
    return (
      <span className="text-muted">
        {step.warning ? plainMessage(step.warning.message, titleOf) : "No field changes"}
      </span>
    );
  const { sign, text } = first ? changeText(first) : { sign: "", text: "" };
  return (
    <Tooltip
      text={
        <ul>
          {price && <li>{priceDetail(price)}</li>}
          {changes.map((change) => (
            <li key={change.path}>
              {fieldName(change.path)}: {valueText(change.from)} → {valueText(change.to)}
            </li>
          ))}
          {step.warning && <li>{plainMessage(step.warning.message, titleOf)}</li>}
        </ul>
      }
    >
      <button
        type="button"
        className={cx("min-h-6 max-w-full truncate", sign === "+" && "text-ok", sign === "−" && "text-bad")}
      >
        {sign} {price ? priceText(price) : text}
        {changes.length > 1 && <span className="text-muted"> +{changes.length - 1}</span>}
      </button>
    </Tooltip>
  );
}
