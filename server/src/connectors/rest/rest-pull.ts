import type { HttpResponse } from "../../core/outbound/outbound-request.ts";
import { readJson } from "../../core/outbound/ask-remote.ts";
import type { Call, Page, PulledRecord, PullTask } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { createFollowed, paginationLoop } from "../followed.ts";
import { SinceInput, startOf } from "../incremental.ts";
import { readPath } from "../json-path.ts";
import { shortHash } from "../short-hash.ts";
import type { Json } from "../shape.ts";
import { asText, instantOf, laterOf, objectOf } from "../shape.ts";
import { Type } from "../../core/type.ts";
import type { RefuseFailure } from "./rest-answer.ts";
import { failureOf } from "./rest-answer.ts";
import { aboutOf, askRest, authorize, buildRequest, scopeOf, settingsOf } from "./rest-request.ts";
import type { WebhookPayload } from "./rest-webhooks.ts";
import type { Pagination, TaskDefinition } from "./rest-task.schemas.ts";
import { Anything } from "./rest-task.schemas.ts";

/**
 * `next` is the next page, offset, token or path, set within a pass. `last` is a hash of the previous page, `read` the number of
 * records read in the pass.
 */
type Cursor = { next?: string; from?: string; highest?: string; last?: string; read?: number };

const maxRepeats = 3;

const SinceOrAnything = Type.Object(SinceInput.properties);

async function* pull(call: Call, task: TaskDefinition, refuseFailure: RefuseFailure, cursor: unknown) {
  let at = startAt(call, task, cursor);
  const pagination = task.pagination ?? { kind: "none" };
  const followed = createFollowed(at.next);
  let repeats = 0;
  for (;;) {
    const response = await askRest(call, pageRequest(call, task, at));
    const body = pageBody(response);
    refuseFailure(response, body);
    const records = recordsOf(task, body);
    const total = totalOf(task, body);
    const print = shortHash(JSON.stringify(records.map(({ externalId, updatedAt }) => [externalId, updatedAt])));
    const named = nextOf(call, pagination, at, response, body, records.length);
    const isCounted = pagination.kind === "page" || pagination.kind === "offset";
    // Some APIs return the position after the last record, for a later request.
    const next = records.length === 0 && named === at.next ? undefined : named;
    const isRepeated = records.length > 0 && print === at.last;
    repeats = next !== undefined && (isRepeated || followed.has(next)) ? repeats + 1 : 0;
    const isLasting = repeats > maxRepeats;
    const isBehindLast = repeats > 0 && isRepeated && isCounted && isAllRead(at, records.length, total, isLasting);
    // A repeated page hides another one: continuing would lose records or never end.
    if (repeats > 0 && !isBehindLast) {
      if (isLasting) throw paginationLoop(isCounted ? hintFor(pagination, at, total) : "");
      continue;
    }
    const news = isBehindLast ? [] : records;
    const read = (at.next === undefined ? 0 : (at.read ?? Number.NaN)) + news.length;
    const isOver = isBehindLast || next === undefined || (isCounted && read === total);
    if (!isOver) followed.add(next);
    repeats = 0;
    const newest = news.reduce(laterUpdate, at.highest);
    const highest = newest === undefined ? {} : { highest: newest };
    const from = at.from ? { from: at.from } : {};
    at = isOver ? highest : { ...highest, ...from, next, last: print, ...(Number.isNaN(read) ? {} : { read }) };
    const page: Page = { records: news, cursor: at, ...(total === undefined ? {} : { total }) };
    yield page;
    if (isOver) return;
  }
}

function startAt(call: Call, task: TaskDefinition, cursor: unknown): Cursor {
  const given = objectOf(cursor) as Cursor;
  if (given.next !== undefined) return given;
  const from = task.updatedSince && startOf(call, cursor);
  return { ...(from === undefined ? {} : { from }), ...(given.highest ? { highest: given.highest } : {}) };
}

/**
 * Some APIs repeat the last page when asked for the next one. With a total, that is the end once all records were read. Without
 * one, an earlier different page is required: a server that ignores the page number returns its first page forever.
 */
function isAllRead({ read = 0 }: Cursor, count: number, total: number | undefined, isLasting: boolean): boolean {
  return total === undefined ? isLasting && read > count : read >= total;
}

function hintFor({ kind, param = kind }: Pagination, { read = 0 }: Cursor, total: number | undefined): string {
  if (total !== undefined) return `It reports ${total} records and returned ${read}.`;
  return `Either the parameter ${param} is wrong, or this was the last page: set totalPath.`;
}

/** An empty body is an empty list, if the response is known to be complete. */
function pageBody(response: HttpResponse): unknown {
  const { status, headers, text } = response;
  const isWhole =
    status === 204 || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return text.trim() === "" && isWhole ? undefined : readJson(response);
}

function totalOf(task: TaskDefinition, body: unknown): number | undefined {
  const found = task.totalPath === undefined ? "" : asText(readPath(body, task.totalPath));
  const total = found.trim() === "" ? Number.NaN : Number(found);
  return Number.isInteger(total) && total >= 0 ? total : undefined;
}

function laterUpdate(highest: string | undefined, { updatedAt }: PulledRecord): string | undefined {
  return laterOf(highest, updatedAt);
}

function pageRequest(call: Call, task: TaskDefinition, at: Cursor) {
  const pagination = task.pagination ?? { kind: "none" };
  const request = buildRequest(call, task.request, scopeOf(call));
  const url = new URL(request.url);
  if (pagination.kind === "link" && at.next !== undefined) {
    // Concatenated: resolved against the origin, a path that starts with // would be another server.
    const next = new URL(`${url.origin}${at.next}`);
    return authorize(call, { ...request, url: next, retry: "safe" });
  }
  if (pagination.pageSize !== undefined)
    url.searchParams.set(pagination.pageSizeParam ?? "limit", String(pagination.pageSize));
  if (task.updatedSince && at.from !== undefined) {
    const seconds = String(Math.floor(Date.parse(at.from) / 1000));
    url.searchParams.set(task.updatedSince.param, task.updatedSince.format === "unix" ? seconds : at.from);
  }
  if (pagination.kind === "page")
    url.searchParams.set(pagination.param ?? "page", at.next ?? String(pagination.firstPage ?? 1));
  if (pagination.kind === "offset") url.searchParams.set(pagination.param ?? "offset", at.next ?? "0");
  if (pagination.kind === "cursor" && at.next !== undefined)
    url.searchParams.set(pagination.param ?? "cursor", at.next);
  return { ...request, url, retry: "safe" as const };
}

function nextOf(
  call: Call,
  pagination: Pagination,
  at: Cursor,
  response: HttpResponse,
  body: unknown,
  count: number,
): string | undefined {
  const isLast = count === 0 || (pagination.pageSize !== undefined && count < pagination.pageSize);
  switch (pagination.kind) {
    case "page":
      return isLast ? undefined : String(Number(at.next ?? pagination.firstPage ?? 1) + 1);
    case "offset":
      return isLast ? undefined : String(Number(at.next ?? 0) + count);
    case "cursor": {
      const token = asText(readPath(body, pagination.nextCursorPath ?? "next"));
      return token === "" ? undefined : token;
    }
    case "link":
      return nextLink(call, response.headers.link);
    default:
      return undefined;
  }
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

function recordsOf(task: TaskDefinition, body: unknown): PulledRecord[] {
  if (body === undefined) return [];
  const list = readPath(body, task.recordsPath ?? "$");
  if (!Array.isArray(list)) {
    throw new RemoteError("unexpected_response", `The response has no list at ${task.recordsPath ?? "its root"}.`);
  }
  return toRecords(task, list);
}

function toRecords(task: TaskDefinition, list: unknown[]): PulledRecord[] {
  return list.map((raw: unknown, index) => {
    const externalId = asText(readPath(raw, task.externalIdPath ?? "id"));
    if (externalId === "") {
      throw new RemoteError("unexpected_response", `Record ${index} has no ID at ${task.externalIdPath ?? "id"}.`);
    }
    const updatedAt = task.updatedAtPath === undefined ? undefined : instantOf(readPath(raw, task.updatedAtPath));
    const record = raw as Json;
    const canonical =
      task.recordType === undefined || task.recordType === "orders" ? { ...record, externalId } : record;
    return { externalId, ...(updatedAt === undefined ? {} : { updatedAt }), raw: record, canonical };
  });
}

export function pullOf(task: TaskDefinition): PullTask {
  const refuseFailure = failureOf(task.failsWhen);
  return {
    ...aboutOf(task, `Reads ${task.request.path}.`),
    mode: "pull",
    recordType: task.recordType ?? "orders",
    input: task.updatedSince ? SinceOrAnything : Anything,
    idempotent: true,
    timeoutMs: 3_600_000,
    isIncremental: task.updatedSince !== undefined && task.updatedAtPath !== undefined,
    pull: (call, cursor) => pull(call, task, refuseFailure, cursor),
    canonicalOf: (record) => record,
    receive: (_call, payloads) =>
      Promise.resolve((payloads as WebhookPayload[]).flatMap(({ records }) => toRecords(task, records))),
  };
}
