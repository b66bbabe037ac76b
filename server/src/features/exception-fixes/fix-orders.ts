import { change } from "../../context.ts";
import { closeExceptions, lockOpen } from "../exceptions/exceptions.ts";
import { decideDispute } from "../orders/orders.ts";
import type { Resolver } from "./fix.ts";
import { closedMeanwhile, eachAlone, failed } from "./fix.ts";

/** Resolves a conflict between an order and its source, or a rejected recall. */
export const decideOrders: Resolver = {
  batchesOf: eachAlone,
  async resolve(ctx, rows, { action }) {
    const { id, orderId, kind } = rows[0]!;
    const how = action as "accept_source" | "keep_local";
    return await change(ctx, async (tx) => {
      const [open] = await lockOpen(tx, ctx.orgId, [id]);
      if (!open) return [failed(id, closedMeanwhile)];
      // Closed first with the user's action: the change of the order would close it as auto_resolved.
      await closeExceptions(tx, ctx, [id], how);
      const disputes = kind === "recall" ? [{ fact: "cancelled" }, { fact: "deleted" }] : [open.details];
      for (const dispute of disputes) await decideDispute(tx, ctx, orderId!, dispute, how);
      return [{ id, status: "resolved" }];
    });
  },
};
