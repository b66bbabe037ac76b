import { Nullable } from "./schema.ts";
import { Type } from "./type.ts";

/** The package that a plug-in comes from. */
export type PluginOrigin = { name: string; version: string };

/** `plugin` of the entries of a catalog. */
export const Origin = Nullable(
  Type.Object(
    { name: Type.String(), version: Type.String() },
    { description: "The plug-in that it comes from; null: part of the hub" },
  ),
);

/** A catalog that plug-ins add to: connectors, actions ... */
export type ExtensionPoint<Part> = {
  add(name: string, part: Part, origin: PluginOrigin): void;
  /** In the order in which they were added. After the first call nothing can be added. */
  parts(): readonly Part[];
  originOf(name: string): PluginOrigin | null;
};

export function createExtensionPoint<Part>(): ExtensionPoint<Part> {
  const added = new Map<string, { part: Part; origin: PluginOrigin }>();
  let isRead = false;
  return {
    add(name, part, origin) {
      // Schemas, names and documents are derived from a catalog when its module is loaded: a later part would be missing in them.
      if (isRead) throw new Error(`${name} was added after the catalog was read`);
      added.set(name, { part, origin });
    },
    parts() {
      isRead = true;
      return Array.from(added.values(), ({ part }) => part);
    },
    originOf: (name) => added.get(name)?.origin ?? null,
  };
}
