import { createHash, randomUUIDv7 } from "node:crypto";

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Time-ordered, so that rows created together lie together in the index. */
export function newId(): string {
  return randomUUIDv7();
}

/** The same for the same name, in the form of a UUIDv7: for records that are made up. */
export function madeUpId(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `01900000-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
}

/** Ids are checked before they reach SQL: a malformed one is unknown (404), not a cast error. */
export function isUuid(text: string): boolean {
  return uuidShape.test(text);
}
