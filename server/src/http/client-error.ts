import type { Socket } from "node:net";
import { HubError } from "../core/errors.ts";
import { newRequestId } from "./request-id.ts";
import { toProblem } from "./problem.ts";

/** What is not even HTTP, or arrives too slowly, has no request object: the answer is written by hand. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const known =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new HubError("headers_too_large")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? new HubError("request_timeout")
        : new HubError("malformed_json", "The request is not valid HTTP.");
  const body = JSON.stringify(toProblem(known, newRequestId({ headers: {} })));
  socket.end(
    `HTTP/1.1 ${known.status} Refused\r\ncontent-type: application/problem+json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
