import { Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";

export const unarchive = defineAction({
  type: "unarchive",
  title: "Unarchive",
  group: "flow",
  description: "Brings an archived order back into the lists.",
  params: Strict({}),
  example: {},
  statuses: "any",
  effect: "local",
  reversible: true,
  idempotent: true,
  apply: () => ({ patch: { archivedAt: null } }),
});
