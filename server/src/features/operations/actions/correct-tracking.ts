import { Type } from "../../../core/type.ts";
import { Strict } from "../../../core/schema.ts";
import { trackingKeyOf } from "../../shipments/shipments.ts";
import { defineAction, refuse } from "../action.ts";
import { filledIn } from "../template-params.ts";

const Text = Type.String({ minLength: 1, maxLength: 100 });

export const correctTracking = defineAction({
  type: "correct_tracking",
  title: "Correct the tracking number",
  group: "fulfil",
  description:
    "Gives a shipment of the order another tracking number, and carrier or service if they are said. Nothing is shipped or " +
    "taken back by it; what was heard of the former number stays with the shipment.",
  params: Strict({
    tracking_number: filledIn(Text),
    from: Type.Optional({
      ...filledIn(Text),
      description: "The number to correct. Default: that of the only shipment",
    }),
    carrier: Type.Optional(Text),
    service: Type.Optional(Text),
  }),
  example: { tracking_number: "1Z999AA10123456784", from: "1Z999AA10123456785" },
  statuses: ["partially_shipped", "shipped", "delivered"],
  apply({ shipments }, { tracking_number: trackingNumber, from, carrier, service }) {
    const isNumber = (known: string | null, number: string): boolean =>
      known !== null && trackingKeyOf(known) === trackingKeyOf(number);
    const isCorrect = shipments.find((known) => isNumber(known.trackingNumber, trackingNumber));
    const found =
      from === undefined
        ? (isCorrect ?? (shipments.length === 1 ? shipments[0] : undefined))
        : shipments.find((known) => isNumber(known.trackingNumber, from));
    // Corrected before, by whom ever.
    const target = found ?? isCorrect;
    if (!target) {
      if (from !== undefined) return refuse("shipment_not_found", `No shipment of the order has the number ${from}.`);
      const message = `The order has ${shipments.length} shipments.`;
      return refuse(
        "shipment_not_found",
        message,
        shipments.length > 1 ? "Say `from`, the number to correct." : undefined,
      );
    }
    if (isCorrect && isCorrect !== target) {
      return refuse("tracking_number_taken", `Another shipment of the order has the number ${trackingNumber}.`);
    }
    const corrected = { ...target, trackingNumber, ...(carrier && { carrier }), ...(service && { service }) };
    return { patch: { shipments: shipments.map((one) => (one === target ? corrected : one)) } };
  },
});
