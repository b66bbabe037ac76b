import { OneOf, Strict } from "../../../core/schema.ts";
import { openStatuses, priorities } from "../../orders/orders.states.ts";
import { defineAction } from "../action.ts";

export const setPriority = defineAction({
  type: "set_priority",
  title: "Set priority",
  group: "workflow",
  description: "Sets the order's priority.",
  params: Strict({ priority: OneOf(priorities) }),
  example: { priority: "high" },
  statuses: openStatuses,
  apply: (_order, { priority }) => ({ patch: { priority } }),
});
