import type { Readable } from "node:stream";
import { promisify } from "node:util";
import type { BrotliOptions, ZlibOptions } from "node:zlib";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

const toBrotli = promisify<string, BrotliOptions, Buffer>(brotliCompress);
const toGzip = promisify<string, ZlibOptions, Buffer>(gzip);

const minBytes = 1_024;
/** Fast rather than small: each response is compressed for one client. */
const quick = {
  gzip: { level: 4 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

type Encoding = keyof typeof quick;

const compressible = /^(?:application\/(?:problem\+)?json|text\/csv)\b/;

type Body = string | Buffer | Readable;

/**
 * The body in the encoding that the client accepts. Not a hook, which would cost time for every short response. Not for anonymous
 * callers: their responses are short or contain a token, and they could waste CPU time. Compression runs in the thread pool.
 */
export async function encodeBody(request: FastifyRequest, reply: FastifyReply, body: string | Readable): Promise<Body> {
  if (request.principal === undefined || request.method === "HEAD") return body;
  if (!isCompressible(reply, body)) return body;
  const varies = reply.getHeader("vary");
  reply.header("vary", varies === undefined ? "accept-encoding" : `${String(varies)}, accept-encoding`);
  const encoding = chooseEncoding(request.headers["accept-encoding"] ?? "");
  if (!encoding) return body;
  reply.header("content-encoding", encoding);
  if (typeof body === "string")
    return encoding === "br" ? await toBrotli(body, quick.br) : await toGzip(body, quick.gzip);
  const compressor = encoding === "br" ? createBrotliCompress(quick.br) : createGzip(quick.gzip);
  body.once("error", (error) => compressor.destroy(error));
  compressor.once("close", () => body.destroy());
  return body.pipe(compressor);
}

/** Whether compression pays; most responses are shorter. */
export function isLong(text: string): boolean {
  return text.length >= minBytes;
}

function isCompressible(reply: FastifyReply, body: string | Readable): boolean {
  if (!compressible.test(String(reply.getHeader("content-type") ?? ""))) return false;
  return typeof body !== "string" || isLong(body);
}

/** The encoding with the higher weight; br if they are equal. */
export function chooseEncoding(header: string): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((piece) => piece.trim());
    const given = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const weight = given === undefined ? 1 : Number(given);
    weights.set(name!, Number.isFinite(weight) ? weight : 0);
  }
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get("*") ?? 0;
  const best: Encoding = weightOf("br") >= weightOf("gzip") ? "br" : "gzip";
  return weightOf(best) > 0 ? best : undefined;
}
