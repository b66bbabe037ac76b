import { Strict } from "../../../core/schema.ts";
import { SomeTags } from "../../orders/orders.schemas.ts";
import { defineAction } from "../action.ts";
import { filledInTags } from "../template-params.ts";

export const removeTags = defineAction({
  type: "remove_tags",
  title: "Remove tags",
  group: "organize",
  description: "Removes tags; missing tags are ignored.",
  params: Strict({ tags: filledInTags(SomeTags) }),
  example: { tags: ["vip"] },
  apply: (order, { tags }) => ({ patch: { tags: order.tags.filter((tag) => !tags.includes(tag)) } }),
});
