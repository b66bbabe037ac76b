import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening } from "../../events/event-catalogue.ts";
import type { NewException } from "../exceptions/exceptions.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../exceptions/exceptions.ts";
import type { ShipmentLabel } from "./label.ts";

/** Opens or resolves the exceptions of a label, in the transaction of the change. */
export async function updateLabelExceptions(
  tx: Tx,
  ctx: Ctx,
  label: ShipmentLabel,
  what: Happening<"label">,
): Promise<void> {
  const { id, failure } = label;
  const name = label.reference ?? label.trackingNumber;
  const forWhat = name === null ? "" : ` for ${name}`;
  const carrier = findCarrier(label.carrier)?.title ?? label.carrier;
  if (what === "failed") {
    const isUnknown = failure?.code === "outcome_unknown";
    const message = isUnknown
      ? `${carrier} did not confirm the label${forWhat}; it may or may not have been purchased.`
      : `${carrier} rejected the label${forWhat}.`;
    await openExceptions(tx, ctx, [{ ...aboutOf(label), key: exceptionKeys.label(label), message }]);
  } else if (what === "purchased" && failure !== null) {
    // Paid for, but not usable as it is.
    const message = `The label${forWhat} was purchased with a problem.`;
    const isOfOrder = failure.code !== "content_missing" && failure.code !== "content_too_large";
    const code = isOfOrder ? "order_not_followed" : failure.code;
    await openExceptions(tx, ctx, [{ ...aboutOf(label), key: exceptionKeys.labelVoid(id), code, message }]);
    await resolveExceptions(tx, ctx, [exceptionKeys.label(label)]);
  } else if (what === "purchased") await resolveExceptions(tx, ctx, [exceptionKeys.label(label)]);
  else if (what === "void_rejected") {
    const message = `${carrier} rejected the void of the label${forWhat}.`;
    await openExceptions(tx, ctx, [
      { ...aboutOf(label), key: exceptionKeys.labelVoid(id), code: "void_rejected", message },
    ]);
  } else if (what === "refund_rejected") {
    // The label stays void: the parcel cannot be used, and its price is lost unless the carrier is asked about it.
    const message = `${carrier} rejected the refund of the voided label${forWhat}.`;
    const reason = label.refund?.message ?? null;
    await openExceptions(tx, ctx, [
      { ...aboutOf(label), key: exceptionKeys.labelVoid(id), code: "refund_rejected", reason, message },
    ]);
  } else if (what === "refund_undecided") {
    const message = `${carrier} has not decided about the refund of the voided label${forWhat} within 60 days. Ask the carrier.`;
    await openExceptions(tx, ctx, [
      { ...aboutOf(label), key: exceptionKeys.labelVoid(id), code: "refund_undecided", reason: null, message },
    ]);
  } else if (what === "void_contradicted") {
    const message = `${carrier} reports the label${forWhat} as voided, but it may be in use.`;
    const reason = label.refund?.message ?? null;
    await openExceptions(tx, ctx, [
      { ...aboutOf(label), key: exceptionKeys.labelVoid(id), code: "void_contradicted", reason, message },
    ]);
  } else if (what === "not_purchased") await resolveExceptions(tx, ctx, [exceptionKeys.label(label)]);
  else if (what === "voided" || what === "refunded")
    await resolveExceptions(tx, ctx, [exceptionKeys.label(label), exceptionKeys.labelVoid(id)]);
}

function aboutOf({
  id,
  orderId,
  reference,
  trackingNumber,
  failure,
}: ShipmentLabel): Omit<NewException, "key" | "message"> {
  return {
    kind: "label",
    code: failure?.code ?? "failed",
    reason: failure?.message ?? null,
    subject: { type: "label", id, name: trackingNumber ?? reference },
    orderId,
    requestKey: id,
  };
}
