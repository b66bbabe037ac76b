import type { Static } from "typebox";
import { DateTime, Id, Name, Nullable, optional, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { Actions, example, OnErrorName, StoredAction } from "./operations.schemas.ts";

const savedParts = {
  name: Name,
  description: Type.String({ maxLength: 500 }),
  actions: Actions,
  on_error: OnErrorName,
  atomic: Type.Boolean(),
  hotkey: Nullable(Type.Integer({ minimum: 1, maximum: 9, description: "Number key in the console" })),
  is_shared: Type.Boolean({ description: "false: only visible to its owner. Default true" }),
};

export const PipelineRequest = Strict(
  { ...optional(savedParts), name: Name, actions: Actions },
  { examples: [{ name: "Tag VIPs", actions: example.actions }] },
);
export type PipelineRequest = Static<typeof PipelineRequest>;

export const PipelinePatch = Strict(optional(savedParts), { examples: [{ description: "For the morning shift" }] });
export type PipelinePatch = Static<typeof PipelinePatch>;

export const SavedPipeline = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  actions: Type.Array(StoredAction),
  on_error: OnErrorName,
  atomic: Type.Boolean(),
  hotkey: savedParts.hotkey,
  is_shared: Type.Boolean(),
  is_own: Type.Boolean({ description: "The caller is the owner" }),
  created_at: DateTime,
  updated_at: DateTime,
  version: Version,
});
export type SavedPipeline = Static<typeof SavedPipeline>;

export const SavedPipelineQuery = pageQuery({});
