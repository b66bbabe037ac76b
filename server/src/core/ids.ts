import { randomUUIDv7 } from "node:crypto";

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Time-ordered, so that rows created together lie together in the index. */
export function newId(): string {
  return randomUUIDv7();
}

/** Ids are checked before they reach SQL: a malformed one is unknown (404), not a cast error. */
export function isUuid(text: string): boolean {
  return uuidShape.test(text);
}
