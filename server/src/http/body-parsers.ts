import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { decodeText, encodingOf, encodings } from "../core/csv/decode-text.ts";
import { isZip, MalformedXlsx, xlsxToCsv } from "../core/csv/read-xlsx.ts";
import { badField, HubError } from "../core/errors.ts";
import { cleanText, parseStrictJson } from "../core/strict-json.ts";
import { xlsxType } from "../route.ts";
import { addBodyDecoding } from "./decode-body.ts";
import { exceeds } from "./count-work.ts";
import { readPieces } from "./read-body.ts";

const largeBytes = 64 * 1024;
const nothing = Buffer.alloc(0);
const jsonTypes = ["application/json", "application/merge-patch+json"];

type TakenBodies = { takesCsv?: boolean; takesAnyBody?: boolean };

/** The only kinds of bodies that are read: JSON everywhere, and CSV where a route takes it. Some routes take any as it is. */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  addBodyDecoding(app);
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: Readable) => {
    // Before any of it is read.
    if (!takenBy(request).takesAnyBody)
      throw new HubError("unsupported_media_type", "This route takes application/json.");
    request.sentBody = await readPieces(request, payload);
  });
  addParser(app, jsonTypes, (_request, body) => (body.length === 0 ? undefined : parseStrictJson(body)));
  addParser(app, ["text/csv", xlsxType], (request, body) => {
    if (!takenBy(request).takesCsv) {
      throw new HubError("unsupported_media_type", "This route takes application/json.");
    }
    return body.length === 0 ? undefined : { csv: isZip(body) ? readWorkbook(body) : decodeCsv(request, body) };
  });
}

/** Spreadsheets are often sent as what they are not: what a file is, its first bytes say. */
function readWorkbook(body: Buffer): string {
  try {
    return cleanText(xlsxToCsv(body));
  } catch (error) {
    if (!(error instanceof MalformedXlsx)) throw error;
    throw badField("/csv", "malformed_xlsx", error.message);
  }
}

/** In the encoding that the Content-Type names, or that it looks like. */
function decodeCsv(request: FastifyRequest, body: Buffer): string {
  const charset = charsetOf(request.headers["content-type"]);
  const encoding = charset === undefined ? undefined : encodingOf(charset);
  if (charset !== undefined && encoding === undefined) {
    throw new HubError("unsupported_media_type", `A file may be ${encodings.join(", ")}; ${charset} is not read.`);
  }
  return cleanText(decodeText(body, encoding).text);
}

function addParser(
  app: FastifyInstance,
  types: string[],
  parse: (request: FastifyRequest, body: Buffer) => unknown,
): void {
  app.addContentTypeParser(types, async (request: FastifyRequest, payload: Readable) => {
    const pieces = await readPieces(request, payload);
    request.sentBody = pieces;
    if (takenBy(request).takesAnyBody) return undefined;
    // How much is in a packed file is not known before it is unpacked.
    const { heavyFrom } = request;
    if (heavyFrom && (isZip(pieces[0] ?? nothing) || exceeds(pieces, heavyFrom, types === jsonTypes))) {
      request.isHeavy = true;
      return undefined;
    }
    const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    // The charset of a file is read with it.
    if (!/^text\/csv/i.test(request.headers["content-type"] ?? "")) {
      refuseForeignCharset(request.headers["content-type"]);
    }
    request.bodyDigest = request.headers["idempotency-key"] === undefined ? "" : digestBody(body);
    // A large one is work like any other.
    if (body.length < largeBytes || !request.visit) return parse(request, body);
    return await request.visit.work(() => Promise.resolve(parse(request, body)));
  });
}

function takenBy({ routeOptions }: FastifyRequest): TakenBodies {
  return routeOptions.config as TakenBodies;
}

/** What an Idempotency-Key is bound to: the bytes that were sent, not what they were parsed to. */
function digestBody(body: Buffer): string {
  return createHash("sha256").update(body).digest("base64");
}

function charsetOf(contentType = ""): string | undefined {
  return /charset="?([^";\s]+)/i.exec(contentType)?.[1];
}

function refuseForeignCharset(contentType?: string): void {
  const charset = charsetOf(contentType);
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new HubError("unsupported_media_type", `Bodies are UTF-8; ${charset} is not read.`);
  }
}
