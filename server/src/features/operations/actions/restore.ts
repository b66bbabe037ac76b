import { Type } from "../../../core/type.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";

export const restore = defineAction({
  type: "restore",
  title: "Restore",
  group: "workflow",
  description:
    "Reverts a cancellation and makes the order ready. Not available after a merge or once items have shipped.",
  params: Strict({ status: Type.Optional(OneOf(["ready"], { default: "ready" })) }),
  example: {},
  statuses: ["cancelled", "ready"],
  apply(order) {
    if (order.status === "ready") return { patch: {} };
    if (order.archivedAt === null) return { patch: { status: "ready" } };
    const message = "The order is still archived; use unarchive to return it to lists.";
    return { patch: { status: "ready" }, warning: { code: "still_archived", message } };
  },
});
