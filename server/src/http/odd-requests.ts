import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { HubError } from "../core/errors.ts";
import { problemHeaders, toProblem } from "./problem.ts";
import { newRequestId } from "./request-id.ts";
import { securityHeaders } from "./security-headers.ts";

/** Methods that routes have, or that browsers send on their own. Node parses more. */
export const methodsInUse: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Requests that a proxy and the hub could read differently, or whose body would be misread. */
export function findOddFraming({ headers, rawHeaders, httpVersion }: IncomingMessage): HubError | undefined {
  if (headers.host === undefined && httpVersion !== "1.0")
    return new HubError("malformed_request", "The Host header is missing.");
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === "host") hosts++;
  }
  if (hosts > 1) return new HubError("malformed_request", "There is more than one Host header.");
  const transfer = headers["transfer-encoding"];
  if (transfer !== undefined && transfer.trim().toLowerCase() !== "chunked")
    return new HubError("not_implemented", `Transfer-Encoding is chunked or not there; ${transfer} is not read.`);
  return undefined;
}

/** Without these listeners Node answers itself, or not at all: both get a problem like other errors. */
export function answerOddExpectations(server: Server): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const detail = "Only Expect: 100-continue is understood.";
    const { head, body } = writeProblem(new HubError("expectation_failed", detail), request);
    response.writeHead(417, head).end(body);
  });
  server.on("connect", (request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    socket.end(writeByHand(new HubError("not_implemented", "The hub is no proxy: it knows no CONNECT."), request));
  });
}

type Headed = Pick<IncomingMessage, "headers">;

/** A response for a connection without a reply object. */
export function writeByHand(error: HubError, request: Headed = { headers: {} }): string {
  const { head, body } = writeProblem(error, request);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} Refused\r\n${lines.join("")}\r\n${body}`;
}

function writeProblem(error: HubError, request: Headed): { head: Record<string, string | number>; body: string } {
  const requestId = newRequestId(request);
  const body = JSON.stringify(toProblem(error, requestId));
  const head = {
    ...securityHeaders,
    ...problemHeaders(error),
    "content-type": "application/problem+json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "x-request-id": requestId,
    connection: "close",
  };
  return { head, body };
}
