import { change } from "../../context.ts";
import { closeExceptions, lockOpen } from "../exceptions/exceptions.ts";
import { decideDispute } from "../orders/orders.ts";
import type { Fixer } from "./fix.ts";
import { closedMeanwhile, eachAlone, failed } from "./fix.ts";

/** What an order becomes that does not follow its source, or that a partner did not give back. */
export const decideOrders: Fixer = {
  portionsOf: eachAlone,
  async fix(ctx, rows, { action }) {
    const { id, orderId, kind } = rows[0]!;
    const how = action as "accept_source" | "keep_local";
    return await change(ctx, async (tx) => {
      const [open] = await lockOpen(tx, ctx.orgId, [id]);
      if (!open) return [failed(id, closedMeanwhile)];
      // Closed first, by name: the order that goes on would close it as something that went by itself.
      await closeExceptions(tx, ctx, [id], how);
      const disputes = kind === "recall" ? [{ fact: "cancelled" }, { fact: "deleted" }] : [open.details];
      for (const dispute of disputes) await decideDispute(tx, ctx, orderId!, dispute, how);
      return [{ id, status: "resolved" }];
    });
  },
};
