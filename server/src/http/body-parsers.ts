import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { badField, HubError } from "../core/errors.ts";
import { parseStrictJson } from "../core/strict-json.ts";
import { addBodyDecoding } from "./decode-body.ts";

const largeBytes = 64 * 1024;

/** The only kinds of bodies that are read: JSON everywhere, and CSV where a route takes it. */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  addBodyDecoding(app);
  addParser(app, ["application/json", "application/merge-patch+json"], (_request, body) =>
    body.length === 0 ? undefined : parseStrictJson(body),
  );
  addParser(app, ["text/csv"], (request, body) => {
    if (!(request.routeOptions.config as { takesCsv?: boolean }).takesCsv) {
      throw new HubError("unsupported_media_type", "This route takes application/json.");
    }
    return body.length === 0 ? undefined : { csv: decodeText(body) };
  });
}

function addParser(
  app: FastifyInstance,
  types: string[],
  parse: (request: FastifyRequest, body: Buffer) => unknown,
): void {
  app.addContentTypeParser(types, { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    request.sentBody = body;
    if (body.length >= request.heavyFromBytes) {
      request.isHeavy = true;
      return body;
    }
    refuseForeignCharset(request.headers["content-type"]);
    request.bodyDigest = request.headers["idempotency-key"] === undefined ? "" : digestBody(body);
    // A large one is work like any other.
    if (body.length < largeBytes || !request.visit) return parse(request, body);
    return await request.visit.work(() => Promise.resolve(parse(request, body)));
  });
}

/** What an Idempotency-Key is bound to: the bytes that were sent, not what they were parsed to. */
function digestBody(body: Buffer): string {
  return createHash("sha256").update(body).digest("base64");
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badField("/csv", "not_utf8", "The file is not valid UTF-8.");
  }
}

function refuseForeignCharset(contentType = ""): void {
  const charset = /charset="?([^";\s]+)/i.exec(contentType)?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new HubError("unsupported_media_type", `Bodies are UTF-8; ${charset} is not read.`);
  }
}
