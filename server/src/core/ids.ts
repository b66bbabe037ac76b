import { createHash, randomInt, randomUUIDv7 } from "node:crypto";

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

let last = "";

/**
 * Time-ordered, so that rows created together are adjacent in the index. Within a process ids always increase, so that records created in
 * the same millisecond, such as the orders of a file, are listed in the order of their creation.
 */
export function newId(): string {
  const id = randomUUIDv7();
  return (last = id > last ? id : higherThan(last));
}

const tailDigits = 12;

/** The next id in the same millisecond, by a random increment as in RFC 9562, 6.2. */
function higherThan(id: string): string {
  const tail = Number.parseInt(id.slice(-tailDigits), 16) + 1 + randomInt(2 ** 10);
  // Overflows less than once a week at full speed, and only the order of a list depends on it.
  if (tail >= 16 ** tailDigits) return randomUUIDv7();
  return id.slice(0, -tailDigits) + tail.toString(16).padStart(tailDigits, "0");
}

/** The same id for the same name, in the form of a UUIDv7: for demo and test records. */
export function deterministicId(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `01900000-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
}

/** Ids are checked before they reach SQL: a malformed one is unknown (404), not a cast error. */
export function isUuid(text: string): boolean {
  return uuidShape.test(text);
}
