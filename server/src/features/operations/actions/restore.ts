import { Type } from "../../../core/type.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";

export const restore = defineAction({
  type: "restore",
  title: "Restore",
  group: "flow",
  description:
    "Takes a cancellation back: the order becomes ready. Not after a merge, and not if something was shipped.",
  params: Strict({ status: Type.Optional(OneOf(["ready"], { default: "ready" })) }),
  example: {},
  statuses: ["cancelled", "ready"],
  apply(order) {
    if (order.status === "ready") return { patch: {} };
    if (order.archivedAt === null) return { patch: { status: "ready" } };
    const message = "The order is still archived; unarchive brings it back into the lists.";
    return { patch: { status: "ready" }, warning: { code: "still_archived", message } };
  },
});
