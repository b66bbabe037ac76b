import type { Socket } from "node:net";
import { HubError } from "../core/errors.ts";
import { writeByHand } from "./odd-requests.ts";

/** Node passes the packet as a Buffer, unlike the types of Fastify. */
type ClientError = Error & { code?: string; rawPacket?: unknown };

/** For input that is not HTTP, or arrives too slowly, there is no request object: the response is written by hand. */
export function answerClientError(error: ClientError, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else socket.end(writeByHand(problemOf(error)));
}

/** A well-formed request line with an unknown method. */
const requestLine = /^[A-Z][A-Z-]* \S+ HTTP\/1\.[01]\r?\n/;

function problemOf({ code, rawPacket }: ClientError): HubError {
  if (code === "HPE_HEADER_OVERFLOW") return new HubError("headers_too_large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new HubError("request_timeout");
  if (
    code === "HPE_INVALID_METHOD" &&
    Buffer.isBuffer(rawPacket) &&
    requestLine.test(rawPacket.toString("latin1", 0, 1_000))
  )
    return new HubError("not_implemented", "There is no such method.");
  return new HubError("malformed_request", "The request is not valid HTTP.");
}
