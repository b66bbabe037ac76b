import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening } from "../../events/event-catalogue.ts";
import type { NewException } from "../exceptions/exceptions.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../exceptions/exceptions.ts";
import type { Pickup } from "./pickup.ts";

type What = Happening<"pickup">;

/** What somebody has to see to, in words. */
const messages: Partial<Record<What, (pickup: Pickup) => string>> = {
  failed: ({ carrier, pickupDate }) => `${carrier} will not come on ${pickupDate}.`,
  change_rejected: ({ carrier, pickupDate }) => `${carrier} keeps to the former time, on ${pickupDate}.`,
  cancel_rejected: ({ carrier, pickupDate }) =>
    `${carrier} did not cancel the pickup on ${pickupDate}: a driver may come.`,
  previous_not_cancelled: ({ carrier }) => `${carrier} may still come for a pickup that another one has replaced.`,
  missed: ({ carrier, pickupDate }) => `${carrier} did not come on ${pickupDate}.`,
};

const over: readonly What[] = ["scheduled", "confirmed", "dispatched", "completed", "cancelled"];

/** What happened to a pickup, for those who have to see to it: in the transaction of the change. */
export async function notePickup(tx: Tx, ctx: Ctx, pickup: Pickup, what: What): Promise<void> {
  const { id, failure } = pickup;
  const message = messages[what]?.(pickup);
  if (message !== undefined) {
    const isCancel = what === "cancel_rejected" || what === "previous_not_cancelled";
    const told: NewException = {
      key: isCancel ? exceptionKeys.pickupCancel(id) : exceptionKeys.pickup(id),
      kind: "pickup",
      // That it failed says less than what the carrier said.
      code: what === "failed" ? (failure?.code ?? what) : what,
      message,
      reason: failure?.message ?? null,
      subject: { type: "pickup", id, name: pickup.confirmationNumber ?? pickup.pickupDate },
    };
    return await openExceptions(tx, ctx, [told]);
  }
  if (!over.includes(what)) return;
  // That it is booked says nothing about one that was to be cancelled.
  const keys = what === "cancelled" || what === "completed" ? [exceptionKeys.pickupCancel(id)] : [];
  await resolveExceptions(tx, ctx, [exceptionKeys.pickup(id), ...keys]);
}
