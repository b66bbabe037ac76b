import { Type } from "../../../core/type.ts";
import { Strict } from "../../../core/schema.ts";
import { trackingKeyOf } from "../../shipments/shipments.ts";
import { defineAction, refuse } from "../action.ts";
import { filledIn } from "../template-params.ts";

const Text = Type.String({ minLength: 1, maxLength: 100 });

export const correctTracking = defineAction({
  type: "correct_tracking",
  title: "Correct tracking number",
  group: "fulfillment",
  description:
    "Replaces a shipment's tracking number, and carrier or service if given. Existing tracking events are kept.",
  params: Strict({
    tracking_number: filledIn(Text),
    current_tracking_number: Type.Optional({
      ...filledIn(Text),
      description: "The number to replace. Default: that of the only shipment",
    }),
    carrier: Type.Optional(Text),
    service: Type.Optional(Text),
  }),
  example: { tracking_number: "1Z999AA10123456784", current_tracking_number: "1Z999AA10123456785" },
  statuses: ["partially_shipped", "shipped", "delivered"],
  apply({ shipments }, { tracking_number: trackingNumber, current_tracking_number: current, carrier, service }) {
    const isNumber = (known: string | null, number: string): boolean =>
      known !== null && trackingKeyOf(known) === trackingKeyOf(number);
    const isCorrect = shipments.find((known) => isNumber(known.trackingNumber, trackingNumber));
    const found =
      current === undefined
        ? (isCorrect ?? (shipments.length === 1 ? shipments[0] : undefined))
        : shipments.find((known) => isNumber(known.trackingNumber, current));
    // Already corrected.
    const target = found ?? isCorrect;
    if (!target) {
      if (current !== undefined)
        return refuse("shipment_not_found", `No shipment of the order has the tracking number ${current}.`);
      const message = `The order has ${shipments.length} shipments.`;
      return refuse(
        "shipment_not_found",
        message,
        shipments.length > 1 ? "Set `current_tracking_number` to the one to replace." : undefined,
      );
    }
    if (isCorrect && isCorrect !== target) {
      return refuse(
        "tracking_number_taken",
        `Another shipment of the order has the tracking number ${trackingNumber}.`,
      );
    }
    const corrected = { ...target, trackingNumber, ...(carrier && { carrier }), ...(service && { service }) };
    return { patch: { shipments: shipments.map((one) => (one === target ? corrected : one)) } };
  },
});
