import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { MadeFile, MadeFiles } from "./docs-files.ts";

const minBytes = 1_024;
/** Each file is compressed once, in a thread, and sent many times. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** A copy: a buffer from the pool of Node cannot be transferred to another thread. */
const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

export function finishFile(type: string, content: string | Uint8Array): MadeFile {
  const plain = ownBytes(typeof content === "string" ? new TextEncoder().encode(content) : content);
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  if (plain.length < minBytes || type === "image/png") return { type, etag, plain };
  return {
    type,
    etag,
    plain,
    br: ownBytes(brotliCompressSync(plain, quality)),
    gzip: ownBytes(gzipSync(plain)),
  };
}

/** Hands the files to the process that started this thread, without copying them. */
export function handOver(files: MadeFiles): void {
  const buffers = Array.from(files.values(), ({ plain, br, gzip }) => [plain, br, gzip]).flat();
  parentPort!.postMessage(
    files,
    buffers.flatMap((bytes) => (bytes === undefined ? [] : [bytes.buffer])),
  );
}
