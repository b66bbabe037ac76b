import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { RemoteError } from "../remote-error.ts";

export type RequestBody = { json: unknown } | { text: string; type?: string } | { form: Record<string, string> };

export function encodeBody(body: RequestBody): { text: string; type: string } {
  if ("json" in body) return { text: JSON.stringify(body.json), type: "application/json" };
  if ("form" in body) {
    return { text: new URLSearchParams(body.form).toString(), type: "application/x-www-form-urlencoded" };
  }
  return { text: body.text, type: body.type ?? "text/plain; charset=utf-8" };
}

const decoders: Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** A few kilobytes can unfold to gigabytes: what comes out is limited like what comes in, and there is one layer only. */
export async function decodeBytes(
  bytes: Buffer,
  encoding: string,
  maxBytes: number,
  fail: { mayHaveHappened: boolean },
): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity" || bytes.length === 0) return bytes;
  const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (!decode) throw new RemoteError("invalid_encoding", "The answer is encoded in a way the hub does not read.", fail);
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if ((cause as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxBytes, fail);
    throw new RemoteError("invalid_encoding", "The answer cannot be decompressed.", {
      ...fail,
      retryable: true,
      cause,
    });
  }
}

export function tooLarge(maxBytes: number, fail: { mayHaveHappened: boolean }): RemoteError {
  return new RemoteError("response_too_large", `The answer has more than ${maxBytes} bytes.`, fail);
}
