import { createHash } from "node:crypto";

/** What an Idempotency-Key is bound to: the bytes that were sent, not what they were parsed to. */
export function digestBody(body: Buffer): string {
  return createHash("sha256").update(body).digest("base64");
}
