import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { closeExceptions, findException } from "../exceptions/exceptions.ts";
import type { StoredException } from "../exceptions/exceptions.ts";
import { buyLabelAgain, retryLabel, voidLabel } from "../labels/labels.ts";
import { cancelPickup, retryPickup } from "../pickups/pickups.ts";
import type { Fixed, Fixer } from "./fix.ts";
import { orFailed } from "./fix.ts";

/** Asks carriers once more, one after the other: each is outside, and may take its time. */
export const askCarriers: Fixer = async (ctx, rows) => {
  // What is answered to this request is not what the carrier says.
  const { keepAnswer: _, ...own } = ctx;
  const fixed: Fixed[] = [];
  for (const row of rows) {
    const askAgain = async (): Promise<Fixed[]> => {
      await (row.kind === "label" ? askForLabel(own, row) : askForPickup(own, row));
      return [await outcomeOf(ctx, row)];
    };
    fixed.push(...(await orFailed([row], askAgain)));
  }
  return fixed;
};

async function askForLabel(ctx: Ctx, { id, code, aboutId }: StoredException): Promise<void> {
  if (code === "void_refused") await voidLabel(ctx, aboutId!);
  else if (code === "outcome_unknown") await retryLabel(ctx, aboutId!);
  else {
    // Closed with the new wish: if that is refused too it is open again, and of two who ask at once one gets it.
    await buyLabelAgain(ctx, aboutId!, async (tx) => {
      const closed = await closeExceptions(tx, ctx, [id], "retry");
      if (closed.size === 0) throw new HubError("exception_closed");
    });
  }
}

async function askForPickup(ctx: Ctx, { code, aboutId }: StoredException): Promise<void> {
  if (code === "cancel_refused") await cancelPickup(ctx, aboutId!, undefined);
  else await retryPickup(ctx, aboutId!);
}

/** The carrier's answer was written down together with what it means for the exception. */
async function outcomeOf(ctx: Ctx, { id }: StoredException): Promise<Fixed> {
  const row = await findException(ctx.db, ctx.orgId, id);
  return { id, status: row?.status === "open" ? "started" : "resolved" };
}
