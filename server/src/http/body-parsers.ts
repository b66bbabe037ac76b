import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { decodeText, encodingOf, encodings } from "../core/csv/decode-text.ts";
import { isZip, MalformedXlsx, xlsxToCsv } from "../core/csv/read-xlsx.ts";
import { badField, HubError } from "../core/errors.ts";
import { cleanText, parseStrictJson } from "../core/strict-json.ts";
import { xlsxType } from "../route.ts";
import { addBodyDecoding } from "./decode-body.ts";
import { reachesThreshold } from "./offload-threshold.ts";
import { readPieces } from "./read-body.ts";

const largeBytes = 64 * 1024;
const nothing = Buffer.alloc(0);
const jsonTypes = ["application/json", "application/merge-patch+json"];

type TakenBodies = { takesCsv?: boolean; takesAnyBody?: boolean };

/** JSON everywhere, CSV and XLSX where a route accepts them. Routes with `takesAnyBody` receive the bytes. */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  addBodyDecoding(app);
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: Readable) => {
    // Before any of it is read.
    if (!takenBy(request).takesAnyBody)
      throw new HubError("unsupported_media_type", "This route accepts application/json.");
    request.sentBody = await readPieces(request, payload);
  });
  addParser(app, jsonTypes, (_request, body) => (body.length === 0 ? undefined : parseStrictJson(body)));
  addParser(app, ["text/csv", xlsxType], (request, body) => {
    if (!takenBy(request).takesCsv) {
      throw new HubError("unsupported_media_type", "This route accepts application/json.");
    }
    return body.length === 0 ? undefined : { csv: isZip(body) ? readWorkbook(body) : decodeCsv(request, body) };
  });
}

/** Spreadsheets are often sent with a wrong content type, so the first bytes decide. */
function readWorkbook(body: Buffer): string {
  try {
    return cleanText(xlsxToCsv(body));
  } catch (error) {
    if (!(error instanceof MalformedXlsx)) throw error;
    throw badField("/csv", "malformed_xlsx", error.message);
  }
}

/** In the encoding that the Content-Type names, or in a guessed one. */
function decodeCsv(request: FastifyRequest, body: Buffer): string {
  const charset = charsetOf(request.headers["content-type"]);
  const encoding = charset === undefined ? undefined : encodingOf(charset);
  if (charset !== undefined && encoding === undefined) {
    throw new HubError(
      "unsupported_media_type",
      `Supported encodings are ${encodings.join(", ")}; ${charset} is not supported.`,
    );
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
    // The content of a zip file is not known before it is unpacked.
    const { offloadFrom } = request;
    if (offloadFrom && (isZip(pieces[0] ?? nothing) || reachesThreshold(pieces, offloadFrom, types === jsonTypes))) {
      request.isOffloaded = true;
      return undefined;
    }
    const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    // decodeCsv handles the charset of a file.
    if (!/^text\/csv/i.test(request.headers["content-type"] ?? "")) {
      rejectOtherCharsets(request.headers["content-type"]);
    }
    request.bodyDigest = request.headers["idempotency-key"] === undefined ? "" : digestBody(body);
    // Parsing a large body takes a slot.
    if (body.length < largeBytes || !request.admitted) return parse(request, body);
    return await request.admitted.run(() => Promise.resolve(parse(request, body)));
  });
}

function takenBy({ routeOptions }: FastifyRequest): TakenBodies {
  return routeOptions.config as TakenBodies;
}

/** An Idempotency-Key is bound to the bytes that were sent, not to what they were parsed to. */
function digestBody(body: Buffer): string {
  return createHash("sha256").update(body).digest("base64");
}

function charsetOf(contentType = ""): string | undefined {
  return /charset="?([^";\s]+)/i.exec(contentType)?.[1];
}

function rejectOtherCharsets(contentType?: string): void {
  const charset = charsetOf(contentType);
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new HubError("unsupported_media_type", `Bodies must be UTF-8; ${charset} is not supported.`);
  }
}
