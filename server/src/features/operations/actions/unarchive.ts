import { Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";

export const unarchive = defineAction({
  type: "unarchive",
  title: "Unarchive",
  group: "workflow",
  description: "Returns an archived order to lists.",
  params: Strict({}),
  example: {},
  apply: () => ({ patch: { archivedAt: null } }),
});
