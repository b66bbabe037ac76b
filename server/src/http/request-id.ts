import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

const safe = /^[\w.-]{1,64}$/;

/** The caller's own id if it can go into logs and headers as it is, else a new one. */
export function newRequestId(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && safe.test(given) ? given : nextId();
}

/** Of this process, then which one: no two are alike, and making one costs nothing. */
const start = `req_${randomBytes(6).toString("hex")}`;
let made = 0;

function nextId(): string {
  return start + (made++).toString(16).padStart(12, "0");
}
