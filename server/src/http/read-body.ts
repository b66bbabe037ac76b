import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { HubError } from "../core/errors.ts";

/** Somebody may send a byte at a time, and a piece takes some hundred bytes whatever is in it. */
const pieceBytes = 16 * 1024;
const maxLoose = 256;

/** `receivedEncodedLength`: of a body that comes compressed, how much has come. */
type Payload = Readable & { receivedEncodedLength?: number };
type Asked = { headers: IncomingHttpHeaders; routeOptions: { bodyLimit: number } };

/**
 * What was sent: no more than the route takes, and as much as the request says. In pieces, since to join tens of megabytes takes
 * longer than others should have to wait for it, and so much is only passed on.
 */
export function readPieces(request: Asked, payload: Payload): Promise<Buffer[]> {
  const { bodyLimit } = request.routeOptions;
  const said = Number(request.headers["content-length"]);
  return new Promise((resolve, reject) => {
    if (said > bodyLimit) {
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
        // The rest is read and dropped, so that its sender gets to see why.
        payload.off("data", take);
        reject(new HubError("body_too_large"));
        return;
      }
      looseBytes += chunk.length;
      if (loose.push(chunk) >= maxLoose || looseBytes >= pieceBytes) joinLoose();
    };
    payload.on("data", take);
    payload.once("error", (error) => {
      // The others are of the connection, and would look as if the one to the database was lost.
      reject(error instanceof HubError ? error : new HubError("request_timeout", "The caller has hung up."));
    });
    payload.once("end", () => {
      joinLoose();
      const isWhole = Number.isNaN(said) || (payload.receivedEncodedLength || size) === said;
      if (isWhole) resolve(pieces);
      else reject(new HubError("malformed_request"));
    });
  });
}

export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
