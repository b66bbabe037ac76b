import { Strict } from "../../../core/schema.ts";
import { Tags } from "../../orders/orders.schemas.ts";
import { defineAction } from "../action.ts";
import { filledInTags } from "../template-params.ts";

export const setTags = defineAction({
  type: "set_tags",
  title: "Set tags",
  group: "organize",
  description: "Replaces all tags; an empty list removes all.",
  params: Strict({ tags: filledInTags(Tags) }),
  example: { tags: ["vip", "gift"] },
  apply(order, { tags }) {
    const isSame = tags.length === order.tags.length && tags.every((tag) => order.tags.includes(tag));
    return { patch: isSame ? {} : { tags } };
  },
});
