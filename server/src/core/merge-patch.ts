import type { Static, TObject, TSchema, TUnsafe } from "typebox";
import { Type } from "./type.ts";
import { Nullable, Strict } from "./schema.ts";
import { isPlain } from "./strict-json.ts";

/** RFC 7396: members of objects are merged, null removes one, everything else is replaced. Neither input is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isPlain(patch)) return patch;
  const merged: Record<string, unknown> = isPlain(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

type PatchOf<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: PatchOf<T[K]> | null } : T;

/** The shape of a merge patch for this object: no member is needed, and null removes any of them. */
export function PatchFor<Schema extends TObject>(schema: Schema): TUnsafe<PatchOf<Static<Schema>>> {
  const members = Object.entries(schema.properties as Record<string, TSchema>).map(([name, member]) => {
    const inner: TSchema = isClosedObject(member) ? PatchFor(member) : member;
    return [name, Type.Optional(Nullable(inner))];
  });
  return Type.Unsafe(Strict(Object.fromEntries(members)));
}

function isClosedObject(schema: TSchema): schema is TObject {
  return (schema as { type?: string }).type === "object" && "properties" in schema;
}
