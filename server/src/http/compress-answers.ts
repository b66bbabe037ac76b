import type { Readable } from "node:stream";
import { promisify } from "node:util";
import type { BrotliOptions, ZlibOptions } from "node:zlib";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

const toBrotli = promisify<string, BrotliOptions, Buffer>(brotliCompress);
const toGzip = promisify<string, ZlibOptions, Buffer>(gzip);

const minBytes = 1_024;
/** Quick rather than small: these answers are made for one reader. */
const quick = {
  gzip: { level: 4 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

type Encoding = keyof typeof quick;

const compressible = /^(?:application\/(?:problem\+)?json|text\/csv)\b/;

type Body = string | Buffer | Readable;

/**
 * The body as its reader takes it. Not a hook, which every short answer would pay for. Not for strangers: what they may read is
 * short or a token, and they could make the hub work for nothing. Compressing is done by other threads than the one that answers.
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

/** Whether there is anything to do for a text; most answers are shorter. */
export function isLong(text: string): boolean {
  return text.length >= minBytes;
}

function isCompressible(reply: FastifyReply, body: string | Readable): boolean {
  if (!compressible.test(String(reply.getHeader("content-type") ?? ""))) return false;
  return typeof body !== "string" || isLong(body);
}

/** The one with the higher weight; br if they are the same. */
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
