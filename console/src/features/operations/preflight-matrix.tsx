import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { changeText, fieldName, valueText } from "../../ui/change-text.ts";
import { cx } from "../../ui/class-names.ts";
import { RecordLink } from "../../ui/link.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import type { Preflight } from "./operations.queries.ts";
import { verdictTones, verdictWords } from "./operations.text.ts";
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
  return (
    <Table label="What would happen to each order">
      <thead>
        <tr>
          <Th>Order</Th>
          {actions.map((action, at) => (
            <Th key={at}>
              {at + 1} {action?.title.toLowerCase() ?? ""}
            </Th>
          ))}
          <Th>Result</Th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.ref}>
            <Td className="whitespace-nowrap">
              <RecordLink href={paths.order(row.order_number ?? row.ref)} className="font-mono text-sm">
                {row.order_number ?? row.ref}
              </RecordLink>
            </Td>
            {actions.map((_, at) => (
              <Td key={at} className="max-w-56 truncate font-mono text-sm">
                <Cell step={row.steps.find((step) => step.index === at)} />
              </Td>
            ))}
            <Td>
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
  return row.verdict === "blocked" && at ? `blocked at ${at.index + 1}` : (verdictWords[row.verdict] ?? row.verdict);
}

function Cell({ step }: { step: Step | undefined }) {
  if (!step || step.verdict === "skipped") return <span className="text-muted">–</span>;
  if (step.error) {
    return (
      <Tooltip text={step.error.fix ? `${step.error.message} ${step.error.fix}` : step.error.message}>
        <button type="button" className="min-h-6 truncate text-bad">
          ✕ {step.error.code.replaceAll("_", " ")}
        </button>
      </Tooltip>
    );
  }
  if (step.verdict === "no_change") return <span className="text-muted">has it</span>;
  const { price, changes = [] } = step;
  const first = changes[0];
  if (!first && !price)
    return <span className="text-muted">{step.warning ? step.warning.message : "no field changes"}</span>;
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
          {step.warning && <li>{step.warning.message}</li>}
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
