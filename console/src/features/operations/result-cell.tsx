import type { OperationRunResult } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { changeText } from "../../ui/change-text.ts";
import { sentence } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import type { NameOf } from "./named-values.ts";
import { namedChange } from "./named-values.ts";
import { reasonTitle } from "./reasons.ts";
import { priceText } from "./step-prices.ts";

type Step = OperationRunResult["steps"][number];

/** The label was requested; the carrier answers after the run. */
export const awaitsCarrier = ({ warning, label_ids }: Step): boolean =>
  warning?.code === "pending" && label_ids !== undefined;

/** What a step did to an order. */
export function ResultCell({ step, nameOf }: { step: Step | undefined; nameOf: NameOf }) {
  if (!step || step.status === "skipped") return <span className="text-muted">–</span>;
  if (step.error) {
    const tone = step.status === "undo_failed" ? "text-warn" : "text-bad";
    return <span className={tone}>✕ {reasonTitle(step.error.code)}</span>;
  }
  if (step.status === "no_change") return <span className="text-muted">No change</span>;
  if (step.status === "rolled_back" || step.status === "undo_failed")
    return <span className="text-warn">{sentence(step.status)}</span>;
  if (awaitsCarrier(step)) return <span className="text-muted">Waiting for the carrier</span>;
  if (step.execution_id) {
    return (
      <Link href={paths.task(step.execution_id)} className="inline-flex min-h-6 items-center hover:underline">
        {sentence(step.execution_status ?? "queued")}
      </Link>
    );
  }
  if (step.price) return <span className="text-ok">{priceText(step.price)}</span>;
  const first = step.changes?.[0];
  if (!first) return <span className="text-ok">Done</span>;
  const { sign, text } = changeText(namedChange(first, nameOf));
  return (
    <span className={sign === "+" ? "text-ok" : sign === "−" ? "text-bad" : ""}>
      {sign} {text}
    </span>
  );
}
