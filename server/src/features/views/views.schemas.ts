import type { Static } from "typebox";
import { DateTime, Id, Name, optional, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

/** Of the settings as JSON text. */
export const maxViewBytes = 16 * 1024;

const ListName = Type.String({
  pattern: "^[a-z][a-z-]{0,39}$",
  description: "List that the view belongs to, by its path: orders, shipments, rate-comparisons",
});
const Settings = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  description: "Filter, sort order, columns and so on, up to 16 KiB. The hub does not interpret them",
});
const Shared = Type.Boolean({ description: "Visible to the whole organization; otherwise only to its creator" });

export const ViewRequest = Strict(
  { list: ListName, name: Name, settings: Settings, isShared: Type.Optional(Shared) },
  { examples: [{ list: "orders", name: "Late", settings: { filter: { status: ["ready"] }, sort: "shipBy" } }] },
);
export type ViewRequest = Static<typeof ViewRequest>;

export const ViewPatch = Strict(optional({ name: Name, settings: Settings, isShared: Shared }), {
  examples: [{ name: "Late today" }],
});
export type ViewPatch = Static<typeof ViewPatch>;

export const View = Type.Object({
  id: Id,
  list: Type.String(),
  name: Type.String(),
  settings: Settings,
  isShared: Type.Boolean(),
  isOwn: Type.Boolean({ description: "Created by the caller" }),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type View = Static<typeof View>;

export const ViewQuery = pageQuery({ list: Type.Optional(ListName) });
export type ViewQuery = Static<typeof ViewQuery>;
