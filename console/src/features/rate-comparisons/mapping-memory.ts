import type { Mapping } from "./rate-comparisons.queries.ts";

const maxKept = 20;

/** Short, and the same for the same header: files of one program have one. */
export function headerKey(columns: ReadonlyArray<{ column: string }>): string {
  let hash = 0x811c9dc5;
  for (const character of columns.map(({ column }) => column).join("\u001F")) {
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  }
  return `${columns.length}-${hash.toString(36)}`;
}

/** The newest last; what was not used for longest goes. */
export function remember(kept: Record<string, Mapping> | undefined, key: string, mapping: Mapping) {
  const others = Object.entries(kept ?? {}).filter(([name]) => name !== key);
  const isSaid = Object.keys(mapping).length > 0;
  return Object.fromEntries([...others, ...(isSaid ? [[key, mapping] as const] : [])].slice(-maxKept));
}
