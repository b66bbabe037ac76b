import path from "node:path";
import { Worker } from "node:worker_threads";
import type { FastifyReply, FastifyRequest } from "fastify";
import { makeOnce } from "../../core/make-once.ts";
import { chooseEncoding } from "../compress-answers.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A finished file of the documentation, transferred by the thread that made it. `br` and `gzip` are absent where they save nothing. */
export type MadeFile = { type: string; etag: string; plain: Bytes; br?: Bytes; gzip?: Bytes };

export type MadeFiles = Map<string, MadeFile>;

/** Page for browsers, sent with status 404. */
export const missingPage = "/docs/not-found";

/** The written documents as a site, and the API reference: both are made at the first request for one of their pages. */
export const findSiteFile = inThread("make-site.ts");
export const findReferenceFile = inThread("make-reference.ts");

/**
 * Runs a script that makes files by path, in a thread: rendering all pages, or parsing the 4 MB of the API reference, would block the
 * event loop. The files are kept, so that all clients share their bytes.
 */
function inThread(script: string): (address: string) => Promise<MadeFile | undefined> {
  const getFiles = makeOnce(async () => {
    // The thread needs neither our arguments nor our environment, and must not keep the process alive.
    const worker = new Worker(path.join(import.meta.dirname, script), { env: {}, execArgv: [] });
    worker.unref();
    return await new Promise<MadeFiles>((resolve, reject) => {
      worker.once("message", resolve);
      worker.on("error", reject);
      worker.once("exit", () => reject(new Error(`the thread of ${script} ended without its files`)));
    });
  });
  return async (address) => (await getFiles()).get(address);
}

/** Sends a file in the encoding that the client accepts, or 304 if the client has it. */
export function sendMadeFile(request: FastifyRequest, reply: FastifyReply, file: MadeFile): FastifyReply {
  reply.headers({
    "content-type": file.type,
    "cache-control": "no-cache",
    etag: file.etag,
    vary: "accept-encoding",
  });
  if (request.headers["if-none-match"] === file.etag) return reply.code(304).send();
  const wanted = chooseEncoding(request.headers["accept-encoding"] ?? "");
  const encoded = wanted === undefined ? undefined : file[wanted];
  if (encoded !== undefined) reply.header("content-encoding", wanted);
  return reply.send(Buffer.from((encoded ?? file.plain).buffer));
}
