import type { Ctx } from "../../context.ts";
import { closeExceptions, lockOpen } from "../exceptions/exceptions.ts";
import type { StoredException } from "../exceptions/exceptions.ts";
import { decideDispute } from "../orders/orders.ts";
import type { Fixed, Fixer } from "./fix.ts";
import { closedMeanwhile, failed, orFailed } from "./fix.ts";

type Decision = "accept_theirs" | "keep_ours";

/** What an order becomes that does not follow its source, or that a partner did not give back. */
export const decideOrders: Fixer = async (ctx, rows, { action }) => {
  const fixed: Fixed[] = [];
  for (const row of rows) fixed.push(...(await orFailed([row], () => decide(ctx, row, action as Decision))));
  return fixed;
};

async function decide(ctx: Ctx, { id, orderId, kind }: StoredException, how: Decision): Promise<Fixed[]> {
  return await ctx.db.transaction(async (tx) => {
    const [open] = await lockOpen(tx, ctx.orgId, [id]);
    if (!open) return [failed(id, closedMeanwhile)];
    // Closed first, by name: the order that goes on would close it as something that went by itself.
    await closeExceptions(tx, ctx, [id], how);
    const disputes = kind === "recall" ? [{ fact: "cancelled" }, { fact: "deleted" }] : [open.details];
    for (const dispute of disputes) await decideDispute(tx, ctx, orderId!, dispute, how);
    return [{ id, status: "resolved" }];
  });
}
