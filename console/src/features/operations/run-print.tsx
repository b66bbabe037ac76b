import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { formatCount, plural } from "../../ui/format.ts";
import { PrintButton } from "../documents/print-button.pick.tsx";
import { hasEnded } from "./run.can.ts";

/** Labels that were bought and not voided. */
export const labelsOf = ({ labels }: OperationRun): number => labels.bought - (labels.voided ?? 0);

/** Prints the labels that the run bought, also while it goes on. */
export function RunPrint({ run }: { run: OperationRun }) {
  const labels = labelsOf(run);
  if (labels === 0) return null;
  return (
    <PrintButton
      source={{ runId: run.id }}
      kinds={["labels", "packing_slips", "pick_list", "manifest"]}
      kind={hasEnded(run) ? "primary" : "plain"}
      keys="p"
      label={hasEnded(run) ? `Print ${plural(labels, "label")}` : `Print ${formatCount(labels)} so far`}
    />
  );
}
