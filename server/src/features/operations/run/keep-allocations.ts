import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../../exceptions/exceptions.ts";
import { saveReservations } from "../../stock/stock.ts";
import { allocate } from "../actions/allocate.ts";
import type { Evaluation, StepResult } from "../evaluate.ts";

/**
 * Stores what the batch has reserved, opens an exception for each order without enough stock, and resolves those of orders that were
 * allocated. Runs in the transaction of the batch, after its new orders were inserted.
 */
export async function keepAllocations(tx: Tx, ctx: Ctx, evaluations: Evaluation[]): Promise<void> {
  const reservations = evaluations.flatMap(({ reserves }) => reserves);
  saveReservations(tx, ctx.orgId, reservations, ctx.clock.now());
  const steps = evaluations.flatMap(({ before, steps: all }) =>
    all.filter(({ type }) => type === allocate.type).map((step) => ({ order: before, step })),
  );
  const short = steps.filter(({ step }) => isShort(step));
  const isAllocated = ({ status, carried_over }: StepResult): boolean =>
    !carried_over && (status === "applied" || status === "no_change");
  const allocated = steps.filter(({ step }) => isAllocated(step));
  await resolveExceptions(
    tx,
    ctx,
    allocated.map(({ order }) => exceptionKeys.shortage(order.id)),
  );
  await openExceptions(
    tx,
    ctx,
    short.map(({ order, step }) => ({
      key: exceptionKeys.shortage(order.id),
      kind: "stock",
      code: "out_of_stock",
      message: "There is not enough stock for the order.",
      subject: { type: "order", id: order.id, name: order.number },
      orderId: order.id,
      details: { errors: [{ message: step.error!.message }] },
    })),
  );
}

function isShort({ status, error }: StepResult): boolean {
  return status === "failed" && error?.code === "out_of_stock";
}
