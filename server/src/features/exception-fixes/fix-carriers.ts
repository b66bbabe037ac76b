import { badField, HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { keepingAs } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { closeExceptions, findException } from "../exceptions/exceptions.ts";
import type { ExceptionKind } from "../exceptions/exceptions.schemas.ts";
import type { StoredException } from "../exceptions/exceptions.ts";
import { buyLabelAgain, markNotPurchased, markPurchased, retryLabel, voidLabel } from "../labels/labels.ts";
import { createManifestAgain } from "../manifests/manifests.ts";
import { cancelPickup, retryPickup } from "../pickups/pickups.ts";
import type { Resolution, Resolver } from "./fix.ts";
import { eachAlone, refused } from "./fix.ts";

/** Repeats carrier requests, one at a time: each can take long. */
export const askCarriers: Resolver = {
  batchesOf: eachAlone,
  async resolve(ctx, rows) {
    const row = rows[0]!;
    // The response is the outcome for the exception, not the carrier's response.
    const own = keepingAs(ctx, async (tx, given) => [
      given instanceof HubError ? refused(row.id, given) : await outcomeOf(tx, ctx, row),
    ]);
    await (requests[row.kind] ?? askForPickup)(own, row);
    return [await outcomeOf(ctx.db, ctx, row)];
  },
};

async function askForLabel(ctx: Ctx, { id, code, subjectId }: StoredException): Promise<void> {
  if (code === "void_rejected") await voidLabel(ctx, subjectId!);
  else if (code === "outcome_unknown") await retryLabel(ctx, subjectId!);
  else await buyLabelAgain(ctx, subjectId!, closingWith(ctx, id));
}

/** Closed with the new request: a rejection reopens it, and of two concurrent requests one fails. */
const closingWith =
  (ctx: Ctx, id: string) =>
  async (tx: Tx): Promise<void> => {
    const closed = await closeExceptions(tx, ctx, [id], "retry");
    if (closed.size === 0) throw new HubError("exception_closed");
  };

async function askForManifest(ctx: Ctx, { id, subjectId }: StoredException): Promise<void> {
  await createManifestAgain(ctx, subjectId!, closingWith(ctx, id));
}

async function askForPickup(ctx: Ctx, { code, subjectId }: StoredException): Promise<void> {
  if (code === "cancel_rejected") await cancelPickup(ctx, subjectId!, undefined);
  else await retryPickup(ctx, subjectId!);
}

const requests: Partial<Record<ExceptionKind, typeof askForLabel>> = { label: askForLabel, manifest: askForManifest };

/** What a user found out at the carrier about a label with an unknown outcome. */
export const markLabels: Resolver = {
  batchesOf: eachAlone,
  async resolve(ctx, rows, { action, purchase }) {
    const row = rows[0]!;
    const resolved: Resolution[] = [{ id: row.id, status: "resolved" }];
    const own = keepingAs(ctx, () => Promise.resolve(resolved));
    const close = async (tx: Tx): Promise<void> => {
      const closed = await closeExceptions(tx, ctx, [row.id], action);
      if (closed.size === 0) throw new HubError("exception_closed");
    };
    if (action === "mark_not_purchased") await markNotPurchased(own, row.subjectId!, close);
    else if (purchase) await markPurchased(own, row.subjectId!, purchase, close);
    else throw badField("/purchase", "required", "`purchase` with the tracking number is required.");
    return resolved;
  },
};

/** The carrier request and its response update the exception in their own transactions. */
async function outcomeOf(db: Queryable, { orgId }: Ctx, { id }: StoredException): Promise<Resolution> {
  const row = await findException(db, orgId, id);
  return { id, status: row?.status === "open" ? "in_progress" : "resolved" };
}
