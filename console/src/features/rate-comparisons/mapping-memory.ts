import type { Mapping } from "./rate-comparisons.queries.ts";

const maxKept = 20;

/** Hash of the header: files of the same program share it. */
export function headerKey(columns: ReadonlyArray<{ column: string }>): string {
  let hash = 0x811c9dc5;
  for (const character of columns.map(({ column }) => column).join("\u001F")) {
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  }
  return `${columns.length}-${hash.toString(36)}`;
}

/** Least recently used mappings are dropped first. */
export function remember(kept: Record<string, Mapping> | undefined, key: string, mapping: Mapping) {
  const others = Object.entries(kept ?? {}).filter(([name]) => name !== key);
  const isSaid = Object.keys(mapping).length > 0;
  return Object.fromEntries([...others, ...(isSaid ? [[key, mapping] as const] : [])].slice(-maxKept));
}
