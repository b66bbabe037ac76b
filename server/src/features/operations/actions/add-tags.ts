import { Strict } from "../../../core/schema.ts";
import { defineAction, refuse } from "../action.ts";
import { maxTags, Tags } from "./order-tags.ts";

export const addTags = defineAction({
  type: "add_tags",
  title: "Add tags",
  group: "organise",
  description: "Adds tags that the order does not have yet.",
  params: Strict({ tags: Tags }),
  example: { tags: ["vip"] },
  statuses: "any",
  effect: "local",
  reversible: true,
  idempotent: true,
  apply(order, { tags }) {
    const added = tags.filter((tag) => !order.tags.includes(tag));
    if (added.length > 0 && order.tags.length + added.length > maxTags) {
      return refuse("too_many_tags", `An order has at most ${maxTags} tags.`, "Remove some tags first.");
    }
    return { patch: { tags: [...order.tags, ...added] } };
  },
});
