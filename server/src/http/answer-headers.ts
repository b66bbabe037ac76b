import type { FastifyRequest } from "fastify";
import type { IfMatch } from "../core/versions.ts";
import { addressOf } from "./record-homes.ts";

type Paged = { pagination: { page: number; limit: number; pages: number; hasMore: boolean; totalIsCapped?: boolean } };

/**
 * Headers derived from the response body: its version as ETag, neighboring pages as Link, and the location of a created record.
 * `home`: the path of such records.
 */
export function headersOf(
  request: FastifyRequest,
  answer: unknown,
  { status, home }: { status: number; home: string | undefined },
): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json; charset=utf-8" };
  if (typeof answer !== "object" || answer === null) return headers;
  if ("version" in answer && typeof answer.version === "number") headers.etag = `W/"v${answer.version}"`;
  if ("pagination" in answer) headers.link = linksOf(request.url, answer as Paged);
  const isMade = status === 201 || status === 202;
  if (isMade && home !== undefined && "id" in answer && typeof answer.id === "string")
    headers.location = addressOf(home, answer.id, request.params as Record<string, string>);
  return headers;
}

function linksOf(url: string, { pagination: { page, limit, pages, hasMore, totalIsCapped } }: Paged): string {
  const [path, search] = url.split("?", 2);
  const target = (to: number): string => {
    const query = new URLSearchParams(search);
    query.set("page", String(to));
    query.set("limit", String(limit));
    return `<${path}?${query.toString()}>`;
  };
  const links = [`${target(1)}; rel="first"`];
  if (page > 1) links.push(`${target(page - 1)}; rel="prev"`);
  if (hasMore) links.push(`${target(page + 1)}; rel="next"`);
  // The total is not known then.
  if (pages > 0 && !totalIsCapped) links.push(`${target(pages)}; rel="last"`);
  return links.join(", ");
}

/** `W/"v3"`, `"v3"` or `3`, or a comma-separated list of them; anything else matches no version. */
export function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined || header.trim() === "*") return undefined;
  return header.split(",").flatMap((tag) => {
    const version = /^(?:W\/)?"?v?(\d{1,9})"?$/.exec(tag.trim())?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

export function satisfiesIfNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const bare = etag.replace(/^W\//, "");
  return header.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === bare);
}
