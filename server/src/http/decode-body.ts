import { Transform } from "node:stream";
import type { IncomingMessage } from "node:http";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { FastifyInstance, preParsingHookHandler } from "fastify";
import { HubError } from "../core/errors.ts";

/** Each chunk takes an iteration of the event loop. */
const chunkSize = 64 * 1024;

const decoders: Record<string, () => Transform> = {
  gzip: () => createGunzip({ chunkSize }),
  "x-gzip": () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
};

/** Bodies may be compressed. The size limit applies to the decompressed body. */
export function addBodyDecoding(app: FastifyInstance): void {
  const decodeGiven: preParsingHookHandler = (request, _reply, payload, done) => {
    const given = request.headers["content-encoding"]?.trim().toLowerCase();
    if (given === undefined || given === "" || given === "identity") {
      done(null, payload);
      return;
    }
    const decoder = Object.hasOwn(decoders, given) ? decoders[given] : undefined;
    if (!decoder) {
      const detail = `A body may be compressed once, with gzip, deflate or br; ${given} is not read.`;
      done(new HubError("unsupported_media_type", detail, { headers: { "accept-encoding": "gzip, deflate, br" } }));
      return;
    }
    done(null, decode(request.raw, decoder(), request.routeOptions.bodyLimit));
  };
  // Reads have no body.
  app.addHook("onRoute", (route) => {
    if (![route.method].flat().every((method) => method === "GET" || method === "HEAD")) route.preParsing = decodeGiven;
  });
}

/**
 * A few bytes can expand to gigabytes: decoding ends at the limit. The rest of the request is read and discarded, so that the
 * client receives the response.
 */
function decode(
  raw: IncomingMessage,
  decoder: Transform,
  limit: number,
): Transform & { receivedEncodedLength: number } {
  let size = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      size += chunk.length;
      if (size > limit) next(new HubError("body_too_large"));
      else next(null, chunk);
    },
  });
  // There is no other listener when the body is rejected before it is read, for its type or because the route takes none.
  bounded.on("error", () => undefined);
  // Fastify compares this with Content-Length.
  const body = Object.assign(bounded, { receivedEncodedLength: 0 });
  raw.on("data", (chunk: Buffer) => (body.receivedEncodedLength += chunk.length));
  raw.once("error", (error) => body.destroy(error));
  decoder.once("error", () =>
    body.destroy(new HubError("malformed_request", "The body is not what its Content-Encoding says.")),
  );
  body.once("close", () => {
    raw.unpipe(decoder);
    decoder.destroy();
    raw.resume();
  });
  raw.pipe(decoder).pipe(body);
  return body;
}
