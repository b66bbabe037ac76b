import { Id, Nullable, Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";

export const assignUser = defineAction({
  type: "assign_user",
  title: "Assign user",
  group: "organize",
  description: "Assigns the order to a user; null unassigns it.",
  params: Strict({ user_id: Nullable(Id) }),
  example: { user_id: "0199f0a0-0000-7000-8000-000000000001" },
  refers: ({ user_id: id }) => (id === null ? [] : [{ kind: "user", id, param: "user_id" }]),
  apply: (_order, { user_id: userId }) => ({ patch: { assigneeId: userId?.toLowerCase() ?? null } }),
});
