import { Id, Strict } from "../../../core/schema.ts";
import { beforeSending } from "../../orders/orders.states.ts";
import { defineAction } from "../action.ts";

export const assignLocation = defineAction({
  type: "assign_location",
  title: "Assign location",
  group: "routing",
  description: "Sets the location the order ships from.",
  params: Strict({ location_id: Id }),
  example: { location_id: "0199f0a0-0000-7000-8000-000000000002" },
  statuses: beforeSending,
  refers: ({ location_id: id }) => [{ kind: "location", id, param: "location_id" }],
  apply: (_order, { location_id: locationId }) => ({ patch: { locationId: locationId.toLowerCase() } }),
});
