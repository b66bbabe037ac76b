import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { keepingAs } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { closeExceptions, findException } from "../exceptions/exceptions.ts";
import type { StoredException } from "../exceptions/exceptions.ts";
import { buyLabelAgain, retryLabel, voidLabel } from "../labels/labels.ts";
import { cancelPickup, retryPickup } from "../pickups/pickups.ts";
import type { Fixed, Fixer } from "./fix.ts";
import { eachAlone, refused } from "./fix.ts";

/** Asks carriers once more, one after the other: each is outside, and may take its time. */
export const askCarriers: Fixer = {
  portionsOf: eachAlone,
  async fix(ctx, rows) {
    const row = rows[0]!;
    // What the carrier says is not what is answered here, but what it means for the exception.
    const own = keepingAs(ctx, async (tx, given) => [
      given instanceof HubError ? refused(row.id, given) : await outcomeOf(tx, ctx, row),
    ]);
    await (row.kind === "label" ? askForLabel(own, row) : askForPickup(own, row));
    return [await outcomeOf(ctx.db, ctx, row)];
  },
};

async function askForLabel(ctx: Ctx, { id, code, subjectId }: StoredException): Promise<void> {
  if (code === "void_rejected") await voidLabel(ctx, subjectId!);
  else if (code === "outcome_unknown") await retryLabel(ctx, subjectId!);
  else {
    // Closed with the new wish: if that is refused too it is open again, and of two who ask at once one gets it.
    await buyLabelAgain(ctx, subjectId!, async (tx) => {
      const closed = await closeExceptions(tx, ctx, [id], "retry");
      if (closed.size === 0) throw new HubError("exception_closed");
    });
  }
}

async function askForPickup(ctx: Ctx, { code, subjectId }: StoredException): Promise<void> {
  if (code === "cancel_rejected") await cancelPickup(ctx, subjectId!, undefined);
  else await retryPickup(ctx, subjectId!);
}

/** What the carrier is asked, and what it said, is written down together with what it means for the exception. */
async function outcomeOf(db: Queryable, { orgId }: Ctx, { id }: StoredException): Promise<Fixed> {
  const row = await findException(db, orgId, id);
  return { id, status: row?.status === "open" ? "in_progress" : "resolved" };
}
