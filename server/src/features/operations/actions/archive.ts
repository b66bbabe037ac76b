import { Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";

export const archive = defineAction({
  type: "archive",
  title: "Archive",
  group: "workflow",
  description: "Hides a finished order from lists.",
  params: Strict({}),
  example: {},
  statuses: ["shipped", "delivered", "cancelled"],
  apply: (order, _params, { now }) => ({ patch: { archivedAt: order.archivedAt ?? now } }),
});
