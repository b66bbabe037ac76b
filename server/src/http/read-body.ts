import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { HubError } from "../core/errors.ts";

/** A client may send single bytes, and each piece takes some hundred bytes of memory whatever its size. */
const pieceBytes = 16 * 1024;
const maxLoose = 256;

/** `receivedEncodedLength`: bytes received of a compressed body. */
type Payload = Readable & { receivedEncodedLength?: number };
type Incoming = { headers: IncomingHttpHeaders; routeOptions: { bodyLimit: number } };

/**
 * Reads a body: no more than the route allows, and exactly as much as Content-Length declares. In pieces, because joining tens of
 * megabytes holds the event loop, and a body of that size is only forwarded.
 */
export function readPieces(request: Incoming, payload: Payload): Promise<Buffer[]> {
  const { bodyLimit } = request.routeOptions;
  const declared = Number(request.headers["content-length"]);
  return new Promise((resolve, reject) => {
    if (declared > bodyLimit) {
      reject(new HubError("body_too_large"));
      return;
    }
    const pieces: Buffer[] = [];
    let loose: Buffer[] = [];
    let [looseBytes, size] = [0, 0];
    const joinLoose = (): void => {
      if (loose.length > 0) pieces.push(loose.length === 1 ? loose[0]! : Buffer.concat(loose, looseBytes));
      [loose, looseBytes] = [[], 0];
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (Math.max(size, payload.receivedEncodedLength ?? 0) > bodyLimit) {
        // The rest is read and discarded, so that the client receives the response.
        payload.off("data", take);
        reject(new HubError("body_too_large"));
        return;
      }
      looseBytes += chunk.length;
      if (loose.push(chunk) >= maxLoose || looseBytes >= pieceBytes) joinLoose();
    };
    payload.on("data", take);
    payload.once("error", (error) => {
      // Other errors are those of the client's connection; passed on, they would look like a lost database connection.
      reject(error instanceof HubError ? error : new HubError("request_timeout", "The client disconnected."));
    });
    payload.once("end", () => {
      joinLoose();
      const isWhole = Number.isNaN(declared) || (payload.receivedEncodedLength || size) === declared;
      if (isWhole) resolve(pieces);
      else reject(new HubError("malformed_request"));
    });
  });
}

export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
