import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening } from "../../events/event-catalogue.ts";
import type { NewException } from "../exceptions/exceptions.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../exceptions/exceptions.ts";
import type { Pickup } from "./pickup.ts";

type What = Happening<"pickup">;

/** Messages of the events that open an exception. */
const messages: Partial<Record<What, (pickup: Pickup) => string>> = {
  failed: ({ carrier, pickupDate }) => `The pickup by ${carrier} on ${pickupDate} failed.`,
  change_rejected: ({ carrier, pickupDate }) =>
    `${carrier} rejected the reschedule; the pickup stays on ${pickupDate}.`,
  cancel_rejected: ({ carrier, pickupDate }) =>
    `${carrier} rejected the cancellation of the pickup on ${pickupDate}; a driver may come.`,
  previous_not_cancelled: ({ carrier }) =>
    `${carrier} did not cancel a rescheduled pickup; a driver may still come for it.`,
  missed: ({ carrier, pickupDate }) => `${carrier} missed the pickup on ${pickupDate}.`,
};

const resolving: readonly What[] = ["scheduled", "confirmed", "dispatched", "completed", "cancelled"];

/** Opens or resolves the exceptions of a pickup, in the transaction of the change. */
export async function updatePickupExceptions(tx: Tx, ctx: Ctx, pickup: Pickup, what: What): Promise<void> {
  const { id, failure } = pickup;
  const message = messages[what]?.(pickup);
  if (message !== undefined) {
    const isCancel = what === "cancel_rejected" || what === "previous_not_cancelled";
    const told: NewException = {
      key: isCancel ? exceptionKeys.pickupCancel(id) : exceptionKeys.pickup(id),
      kind: "pickup",
      // The carrier's code says more than `failed`.
      code: what === "failed" ? (failure?.code ?? what) : what,
      message,
      reason: failure?.message ?? null,
      subject: { type: "pickup", id, name: pickup.confirmationNumber ?? pickup.pickupDate },
    };
    return await openExceptions(tx, ctx, [told]);
  }
  if (!resolving.includes(what)) return;
  // A booking does not resolve a failed cancellation.
  const keys = what === "cancelled" || what === "completed" ? [exceptionKeys.pickupCancel(id)] : [];
  await resolveExceptions(tx, ctx, [exceptionKeys.pickup(id), ...keys]);
}
