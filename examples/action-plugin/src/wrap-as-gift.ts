import { defineAction, OneOf, openStatuses, refuse, Strict, Type } from "@order-operations-hub/plugin";

const papers = ["kraft", "red", "stars"] as const;

/** A pure function from an order to a patch: the hub shows it in a preflight, applies, logs, retries and undoes it. */
export const wrapAsGift = defineAction({
  type: "gifts.wrap",
  title: "Wrap as a gift",
  group: "fulfillment",
  description: "Chooses a wrapping paper and tells the packer about it.",
  params: Strict({
    paper: OneOf(papers, { title: "Paper" }),
    message: Type.Optional(Type.String({ title: "Message", minLength: 1, maxLength: 200 })),
  }),
  example: { paper: "stars", message: "Happy birthday" },
  statuses: openStatuses,
  apply(order, { paper, message }) {
    const units = order.lines.reduce((sum, { quantity }) => sum + quantity, 0);
    if (units > 20) {
      return refuse(
        "too_large_to_wrap",
        `The order has ${units} units; at most 20 are wrapped.`,
        "Split the order first.",
      );
    }
    const tags = order.tags.includes("gift") ? order.tags : [...order.tags, "gift"];
    return {
      patch: {
        tags,
        customFields: { wrapping_paper: paper },
        ...(message === undefined ? {} : { giftMessage: message }),
      },
    };
  },
});
