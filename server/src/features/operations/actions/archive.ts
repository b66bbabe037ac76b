import { Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";

export const archive = defineAction({
  type: "archive",
  title: "Archive",
  group: "flow",
  description: "Puts an order that is done out of sight.",
  params: Strict({}),
  example: {},
  statuses: ["shipped", "delivered", "cancelled"],
  apply: (order, _params, { now }) => ({ patch: { archivedAt: order.archivedAt ?? now } }),
});
