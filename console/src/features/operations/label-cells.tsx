import type { OperationRunResult } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { formatMoney } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { Td } from "../../ui/table.tsx";

export const labelColumns = [
  { name: "Recipient", isNumber: false },
  { name: "To", isNumber: false },
  { name: "Service", isNumber: false },
  { name: "Weight", isNumber: true },
  { name: "Tracking", isNumber: false },
  { name: "Cost", isNumber: true },
];

/** The purchase of an order: where it goes, with what, and what it cost. */
export function LabelCells({ result }: { result: OperationRunResult }) {
  const { labels = [], recipient, destination, steps } = result;
  const price = steps.findLast((step) => step.price)?.price;
  const [first] = labels;
  const costs = labels.filter(({ cost }) => cost !== null);
  const total = costs.reduce((sum, { cost }) => sum + cost!, 0);
  return (
    <>
      <Td className="max-w-48 truncate">{recipient ?? "–"}</Td>
      <Td className="max-w-48 truncate text-muted">{destination ?? "–"}</Td>
      <Td className="max-w-56 truncate">{price?.service_name ?? first?.service ?? "–"}</Td>
      <Td isNumber className="whitespace-nowrap text-muted">
        {first ? `${first.weight.value} ${first.weight.unit}` : "–"}
      </Td>
      <Td className="whitespace-nowrap">
        {labels.length === 0 && <span className="text-muted">–</span>}
        {labels.map((label) => (
          <Tracking key={label.id} label={label} />
        ))}
      </Td>
      <Td isNumber>{costs.length > 0 ? formatMoney(total, costs[0]!.currency ?? "") : "–"}</Td>
    </>
  );
}

function Tracking({ label }: { label: NonNullable<OperationRunResult["labels"]>[number] }) {
  const { tracking_number: number, shipment_id: shipmentId } = label;
  if (number === null) return <span className="text-muted">–</span>;
  return shipmentId === null ? (
    <span className="font-mono text-sm">{number}</span>
  ) : (
    <RecordLink href={paths.shipment(shipmentId)} className="font-mono text-sm">
      {number}
    </RecordLink>
  );
}
