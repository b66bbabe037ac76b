import { readJson } from "../../core/outbound/ask-remote.ts";
import type { HttpRequest, HttpResponse } from "../../core/outbound/outbound-request.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Call } from "../connector.ts";
import { readPath } from "../json-path.ts";
import { asText } from "../shape.ts";
import type { Pagination } from "./rest-pull.schemas.ts";
import type { RequestTemplate } from "./rest-request.schemas.ts";
import { authorize, buildRequest, settingsOf } from "./rest-request.ts";
import type { Scope } from "./rest-template.ts";
import { placeholdersOf, rootOf } from "./rest-template.ts";

const positions = { page: "{{page.number}}", offset: "{{page.offset}}", cursor: "{{page.cursor}}" } as const;

/** The request of a pull with its page and start. A placeholder that the request names itself is not added as a parameter. */
export function withPosition(
  request: RequestTemplate,
  { kind, param = kind, pageSize, pageSizeParam = "limit" }: Pagination,
  sinceParam?: string,
): RequestTemplate {
  const named = new Set(placeholdersOf(request).map(rootOf));
  const position = kind === "none" || kind === "link" ? undefined : positions[kind];
  const added = {
    ...(sinceParam !== undefined && !named.has("since") ? { [sinceParam]: "{{since}}" } : {}),
    ...(pageSize !== undefined && !named.has("page") ? { [pageSizeParam]: "{{page.size}}" } : {}),
    ...(position !== undefined && !named.has("page") ? { [param]: position } : {}),
  };
  return { ...request, query: { ...request.query, ...added } };
}

/** The placeholder that is missing in a request which names the size of a page, but not which page. */
export function missingPosition(request: RequestTemplate, { kind, pageSize }: Pagination): string | undefined {
  if (kind === "none" || kind === "link" || pageSize === undefined) return undefined;
  const named = placeholdersOf(request).filter((path) => rootOf(path) === "page");
  return named.length > 0 && named.every((path) => path === "page.size") ? positions[kind] : undefined;
}

/** `next`: the page number, offset, token or path that the previous response led to; undefined for the first page. */
export function pageRequest(
  call: Call,
  template: RequestTemplate,
  pagination: Pagination,
  next: string | undefined,
  scope: Scope,
): HttpRequest {
  const request = buildRequest(call, template, { ...scope, page: pageOf(pagination, next) });
  if (pagination.kind !== "link" || next === undefined) return { ...request, retry: "safe" };
  // Concatenated: resolved against the origin, a path that starts with // would be another server.
  const url = new URL(`${new URL(request.url).origin}${next}`);
  return { ...authorize(call, { ...request, url }), retry: "safe" };
}

function pageOf({ kind, firstPage = 1, pageSize }: Pagination, next: string | undefined): NonNullable<Scope["page"]> {
  return {
    ...(pageSize === undefined ? {} : { size: pageSize }),
    ...(kind === "page" ? { number: Number(next ?? firstPage) } : {}),
    ...(kind === "offset" ? { offset: Number(next ?? 0) } : {}),
    ...(kind === "cursor" && next !== undefined ? { cursor: next } : {}),
  };
}

/** An empty body is an empty list, if the response is known to be complete. */
export function pageBody(response: HttpResponse): unknown {
  const { status, headers, text } = response;
  const isWhole =
    status === 204 || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return text.trim() === "" && isWhole ? undefined : readJson(response);
}

/** A response and the position that it was requested with. `count`: the number of its records. */
type Read = { response: HttpResponse; body: unknown; count: number; next: string | undefined };

/** The position of the next page; undefined after the last one. */
export function nextOf(call: Call, pagination: Pagination, read: Read): string | undefined {
  const { response, body, count, next } = read;
  const { kind, pageSize, firstPage = 1, nextCursorPath = "next" } = pagination;
  const hasNext = hasNextIn(pagination, body);
  if (hasNext === false) return undefined;
  const isLast = count === 0 || (hasNext === undefined && pageSize !== undefined && count < pageSize);
  switch (kind) {
    case "page":
      return isLast ? undefined : String(Number(next ?? firstPage) + 1);
    case "offset":
      return isLast ? undefined : String(Number(next ?? 0) + count);
    case "cursor": {
      const token = asText(readPath(body, nextCursorPath));
      if (token !== "") return token;
      if (hasNext !== true) return undefined;
      // Ending here would lose the records of the pages that follow.
      throw new RemoteError("unexpected_response", `There is a next page, but no cursor at ${nextCursorPath}.`);
    }
    case "link":
      return nextLink(call, response.headers.link);
    default:
      return undefined;
  }
}

function hasNextIn({ hasNextPath }: Pagination, body: unknown): boolean | undefined {
  if (hasNextPath === undefined) return undefined;
  const found = readPath(body, hasNextPath);
  if (found === true || found === "true") return true;
  return found === false || found === "false" ? false : undefined;
}

/** Keeps only the path: an API key must not be stored, and another origin must not receive the credentials. */
function nextLink(call: Call, header: string | undefined): string | undefined {
  const { baseUrl, auth } = settingsOf(call);
  const found = (header ?? "").split(/,\s*(?=<)/).find((part) => /;\s*rel="?next"?/i.test(part));
  const target = found && /<([^>]*)>/.exec(found)?.[1];
  if (target === undefined) return undefined;
  const base = new URL(baseUrl);
  const url = URL.canParse(target, base) ? new URL(target, base) : undefined;
  if (url?.origin !== base.origin) {
    throw new RemoteError("outside_base_url", "The link to the next page leads to another server.");
  }
  if (auth?.kind === "query") url.searchParams.delete(auth.paramName ?? "api_key");
  return url.pathname + url.search;
}
