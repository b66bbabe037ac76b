import { orderLimits } from "../../../core/order-limits.ts";
import { Strict } from "../../../core/schema.ts";
import { SomeTags } from "../../orders/orders.schemas.ts";
import { defineAction, refuse } from "../action.ts";
import { filledInTags } from "../template-params.ts";

export const addTags = defineAction({
  type: "add_tags",
  title: "Add tags",
  group: "organize",
  description: "Adds tags the order does not have.",
  params: Strict({ tags: filledInTags(SomeTags) }),
  example: { tags: ["vip"] },
  apply(order, { tags }) {
    const added = tags.filter((tag) => !order.tags.includes(tag));
    if (added.length > 0 && order.tags.length + added.length > orderLimits.tags) {
      return refuse("too_many_tags", `An order has at most ${orderLimits.tags} tags.`, "Remove some tags first.");
    }
    return { patch: { tags: [...order.tags, ...added] } };
  },
});
