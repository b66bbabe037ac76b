import { Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";

export const unarchive = defineAction({
  type: "unarchive",
  title: "Unarchive",
  group: "flow",
  description: "Brings an archived order back into the lists.",
  params: Strict({}),
  example: {},
  apply: () => ({ patch: { archivedAt: null } }),
});
