import { Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import type { OrderLabel } from "../../labels/labels.ts";
import { isReturnLabel, voidProblem } from "../../labels/labels.ts";
import { defineAction, refuse } from "../action.ts";

export const voidLabel = defineAction({
  type: "void_label",
  title: "Void labels",
  group: "fulfillment",
  description:
    "Voids the order's labels before the first scan. Items become unshipped once the carrier confirms, and the " +
    "run's result is updated. A voided label cannot be reused.",
  params: Strict({
    tracking_number: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "Only the label with this tracking number. Default: all that are no return labels",
      }),
    ),
  }),
  example: {},
  scope: "shipments:write",
  irreversible: "A voided label cannot be reused. Use buy_label to buy another one.",
  asksCarriers: true,
  isLastWord: true,
  apply(order, { tracking_number: number }, { carriers }) {
    const isMeant = ({ label, parcel }: OrderLabel): boolean =>
      label.status !== "failed" &&
      !parcel?.voidedAt &&
      (number === undefined ? !isReturnLabel(label) : label.trackingNumber === number);
    const meant = carriers.labelsOf(order.id).filter(isMeant);
    if (number !== undefined && meant.length === 0) {
      const message = `The order has no label ${number} that can be voided.`;
      return { patch: {}, warning: { code: "no_label", message } };
    }
    for (const one of meant) {
      const problem = problemOf(one);
      if (problem !== undefined) return refuse("label_not_voidable", problem);
    }
    const voids = meant.filter(({ label }) => label.voidRequestedAt === null).map(({ label }) => label.id);
    return voids.length === 0 ? { patch: {} } : { patch: {}, voids };

    function problemOf(one: OrderLabel): string | undefined {
      const { status, carrierAccountId } = one.label;
      if (status === "requested") return "The label purchase is still pending at the carrier.";
      const account = carriers.offers.find(({ id }) => id === carrierAccountId);
      if (account && !account.takesLabelsBack) return `${account.name} does not void labels.`;
      return voidProblem(one);
    }
  },
});
