import { hash } from "node:crypto";
import type { ImportedOrder } from "../orders.schemas.ts";

/** The last state reported by a source, as a short hash per field. */
export type SourceSnapshot = Record<string, string>;

export function keptSnapshot(before: SourceSnapshot, request: ImportedOrder): SourceSnapshot {
  const isReplaced = (path: string): boolean => request.customFields !== undefined && path.startsWith("customFields/");
  return Object.fromEntries(Object.entries(before).filter(([path]) => !isReplaced(path)));
}

/** Includes the order ID, so that equal values of two orders have different hashes. */
export function digestOf(orderId: string, path: string, value: unknown): string {
  return hash("sha256", `${orderId} ${path} ${sortedJson(value)}`, "base64url").slice(0, 11);
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`).join(",")}}`;
}
