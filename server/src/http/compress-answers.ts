import { Readable } from "node:stream";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply } from "fastify";

const minBytes = 1_024;
/** Quick rather than small: these answers are made for one reader. */
const quick = {
  gzip: { level: 4 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

type Encoding = keyof typeof quick;

const compressible = /^(?:application\/(?:problem\+)?json|text\/csv)\b/;

declare module "fastify" {
  interface FastifyContextConfig {
    /** An answer with a secret in it is not compressed: its length would tell something about it. */
    holdsSecret?: boolean;
  }
}

/**
 * Answers of some length to callers who are known and take them compressed. Strangers get none: what they may read is short or
 * a token, and they could make the hub work for nothing. Compressing is done by other threads than the one that answers.
 */
export function addCompression(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const accepted = request.headers["accept-encoding"];
    if (accepted === undefined || request.principal === undefined || request.method === "HEAD") {
      done(null, payload);
      return;
    }
    if (request.routeOptions.config.holdsSecret || !isCompressible(reply, payload)) {
      done(null, payload);
      return;
    }
    const varies = reply.getHeader("vary");
    reply.header("vary", varies === undefined ? "accept-encoding" : `${String(varies)}, accept-encoding`);
    const encoding = chooseEncoding(accepted);
    if (!encoding) {
      done(null, payload);
      return;
    }
    reply.header("content-encoding", encoding);
    if (typeof payload === "string") compressText(encoding, payload, done);
    else {
      const compressor = encoding === "br" ? createBrotliCompress(quick.br) : createGzip(quick.gzip);
      const source = payload as Readable;
      source.once("error", (error) => compressor.destroy(error));
      compressor.once("close", () => source.destroy());
      done(null, source.pipe(compressor));
    }
  });
}

function isCompressible(reply: FastifyReply, payload: unknown): boolean {
  if (!compressible.test(String(reply.getHeader("content-type") ?? ""))) return false;
  return typeof payload === "string" ? payload.length >= minBytes : payload instanceof Readable;
}

function compressText(
  encoding: Encoding,
  text: string,
  done: (error: Error | null, compressed?: Buffer) => void,
): void {
  if (encoding === "br") brotliCompress(text, quick.br, done);
  else gzip(text, quick.gzip, done);
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
