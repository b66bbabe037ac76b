import { createHash, randomInt, randomUUIDv7 } from "node:crypto";

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

let last = "";

/**
 * Time-ordered, so that rows created together lie together in the index. Within a process each is higher than the one before,
 * so that what is made at one moment, such as the orders of a file, is listed in the order in which it was made.
 */
export function newId(): string {
  const id = randomUUIDv7();
  return (last = id > last ? id : higherThan(last));
}

const tailDigits = 12;

/** The next in the same millisecond; by how much it is higher is left to chance, as in RFC 9562, 6.2. */
function higherThan(id: string): string {
  const tail = Number.parseInt(id.slice(-tailDigits), 16) + 1 + randomInt(2 ** 10);
  // Less than once in a week of making as many as possible; nothing but the look of a list depends on it.
  if (tail >= 16 ** tailDigits) return randomUUIDv7();
  return id.slice(0, -tailDigits) + tail.toString(16).padStart(tailDigits, "0");
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
