import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { requestLabels, requestVoids } from "../../labels/labels.ts";
import type { Evaluation } from "../evaluate.ts";

/**
 * Commits label and void requests with the changes of the orders, so that a carrier is asked if and only if they are committed.
 * `applyLabelResults` adds the responses to the steps.
 */
export async function requestLabelsOf(tx: Tx, ctx: Ctx, runId: string, evaluations: Evaluation[]): Promise<void> {
  const wanted = evaluations.flatMap(({ labels }) => labels);
  const bought = wanted.flatMap(({ step, buys }) => (buys ? [{ step, buys }] : []));
  const requested = await requestLabels(
    tx,
    ctx,
    bought.map(({ step, buys }) => ({ ...buys, runId, runStep: step.index })),
  );
  for (const [i, { step }] of bought.entries()) step.label_ids = [requested[i]!.id];
  const unwanted = wanted.flatMap(({ step, voids = [] }) =>
    voids.map((labelId) => ({ labelId, runId, runStep: step.index })),
  );
  await requestVoids(tx, ctx, unwanted);
  for (const { step, voids } of wanted) {
    if (voids) step.label_ids = voids;
    step.warning = pending;
  }
}

const pending = {
  code: "pending",
  message: "The request is pending at the carrier; the step is updated with its response.",
};
