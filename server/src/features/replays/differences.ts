import { escapePointer } from "../../core/strict-json.ts";
import type { Difference } from "./replays.schemas.ts";

const maxDifferences = 20;
const maxDepth = 64;

/** The first twenty differences between two values, as deep as possible. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  compare(before, after, "", found, 0);
  return found;
}

function compare(before: unknown, after: unknown, path: string, found: Difference[], depth: number): void {
  if (before === after || found.length >= maxDifferences) return;
  if (depth < maxDepth && isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(memberOf(before, key), memberOf(after, key), `${path}/${escapePointer(key)}`, found, depth + 1);
    }
    return;
  }
  found.push({
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  });
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function memberOf(container: object, key: string): unknown {
  return Object.hasOwn(container, key) ? (container as Record<string, unknown>)[key] : undefined;
}
