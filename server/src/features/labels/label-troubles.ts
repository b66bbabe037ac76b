import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening } from "../../events/event-catalogue.ts";
import type { NewException } from "../exceptions/exceptions.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../exceptions/exceptions.ts";
import type { ShipmentLabel } from "./label.ts";

/** What happened to a label, for those who have to see to it: in the transaction of the change. */
export async function noteLabel(tx: Tx, ctx: Ctx, label: ShipmentLabel, what: Happening<"label">): Promise<void> {
  const { id, failure } = label;
  const name = label.reference ?? label.trackingNumber;
  const forWhat = name === null ? "" : ` for ${name}`;
  if (what === "failed") {
    const isUnknown = failure?.code === "outcome_unknown";
    const message = isUnknown
      ? `${label.carrier} never said whether it sold the label${forWhat}.`
      : `${label.carrier} did not sell a label${forWhat}.`;
    await openExceptions(tx, ctx, [{ ...aboutOf(label), key: exceptionKeys.label(label), message }]);
  } else if (what === "purchased" && failure !== null) {
    // Paid for, and of no use as it is.
    const message = `The label${forWhat} was bought, and something is wrong with it.`;
    const isOfOrder = failure.code !== "content_missing" && failure.code !== "content_too_large";
    const code = isOfOrder ? "order_not_followed" : failure.code;
    await openExceptions(tx, ctx, [{ ...aboutOf(label), key: exceptionKeys.labelVoid(id), code, message }]);
    await resolveExceptions(tx, ctx, [exceptionKeys.label(label)]);
  } else if (what === "purchased") await resolveExceptions(tx, ctx, [exceptionKeys.label(label)]);
  else if (what === "void_rejected") {
    const message = `${label.carrier} did not take the label${forWhat} back.`;
    await openExceptions(tx, ctx, [
      { ...aboutOf(label), key: exceptionKeys.labelVoid(id), code: "void_rejected", message },
    ]);
  } else if (what === "voided")
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
