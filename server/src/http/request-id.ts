import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const safe = /^[\w.-]{1,64}$/;

/** The caller's own id if it can go into logs and headers as it is, else a new one. */
export function newRequestId(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && safe.test(given) ? given : `req_${randomHex()}`;
}

/** Node draws the bytes of many UUIDs at once; drawing some for each request would cost more than routing it. */
function randomHex(): string {
  return randomUUID().replaceAll("-", "").slice(8);
}
