import type { Call, Page, PulledRecord, PullTask } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { createFollowed, paginationLoop } from "../followed.ts";
import { SinceInput } from "../incremental.ts";
import { readPath } from "../json-path.ts";
import { shortHash } from "../short-hash.ts";
import type { Json } from "../shape.ts";
import { asText, earlierOf, laterOf, minutesBefore, objectOf } from "../shape.ts";
import { Type } from "../../core/type.ts";
import type { RefuseFailure } from "./rest-answer.ts";
import { failureOf } from "./rest-answer.ts";
import type { AddDetails } from "./rest-details.ts";
import { detailsOf } from "./rest-details.ts";
import { nextOf, pageBody, pageRequest, withPosition } from "./rest-paging.ts";
import { aboutOf, askRest, scopeOf } from "./rest-request.ts";
import { readInstant, startSince, writeSince } from "./rest-since.ts";
import type { WebhookPayload } from "./rest-webhooks.ts";
import type { Pagination } from "./rest-pull.schemas.ts";
import type { TaskDefinition } from "./rest-task.schemas.ts";
import { Anything } from "./rest-task.schemas.ts";

/**
 * `next` is the next page, offset, token or path, set within a pass. `last` is a hash of the previous page, `read` the number of
 * records read in the pass, `failed` the time of the oldest record of the pass whose details could not be read.
 */
type Cursor = { next?: string; from?: string; highest?: string; last?: string; read?: number; failed?: string };

/** A pull task, prepared once for all its executions. */
type PreparedPull = {
  task: TaskDefinition;
  pagination: Pagination;
  refuseFailure: RefuseFailure;
  addDetails: AddDetails;
};

const maxRepeats = 3;
/** One record whose details fail for good must not make every import read all changes since. */
const maxHeldMinutes = 24 * 60;

const SinceOrAnything = Type.Object(SinceInput.properties);

async function* pull(call: Call, { task, pagination, refuseFailure, addDetails }: PreparedPull, cursor: unknown) {
  let at = startAt(call, task, cursor);
  const template = withPosition(task.request, pagination, task.updatedSince?.param);
  const followed = createFollowed(at.next);
  let repeats = 0;
  for (;;) {
    const scope = { ...scopeOf(call), ...sinceOf(task, at) };
    const response = await askRest(call, pageRequest(call, template, pagination, at.next, scope));
    const body = pageBody(response);
    refuseFailure(response, body);
    const records = recordsOf(task, body);
    const total = totalOf(task, body);
    const print = shortHash(JSON.stringify(records.map(({ externalId, updatedAt }) => [externalId, updatedAt])));
    const named = nextOf(call, pagination, { response, body, count: records.length, next: at.next });
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
    const { failedSince, ...complete } = await addDetails(call, news);
    const held = earlierOf(at.failed, failedSince);
    const failed = held === undefined ? {} : { failed: held };
    const from = at.from ? { from: at.from } : {};
    at = isOver
      ? heldBack(call, newest, held)
      : { ...highest, ...from, ...failed, next, last: print, ...(Number.isNaN(read) ? {} : { read }) };
    const page: Page = { ...complete, cursor: at, ...(total === undefined ? {} : { total }) };
    yield page;
    if (isOver) return;
  }
}

function startAt(call: Call, task: TaskDefinition, cursor: unknown): Cursor {
  const given = objectOf(cursor) as Cursor;
  if (given.next !== undefined) return given;
  const from = task.updatedSince && startSince(call, task.updatedSince, cursor);
  return { ...(from === undefined ? {} : { from }), ...(given.highest ? { highest: given.highest } : {}) };
}

function sinceOf({ updatedSince }: TaskDefinition, { from }: Cursor): { since?: string | number } {
  return updatedSince === undefined || from === undefined ? {} : { since: writeSince(from, updatedSince) };
}

/** The cursor after a pass. Records whose details failed are read again by the next one, for a day. */
function heldBack(call: Call, newest: string | undefined, failed: string | undefined): Cursor {
  if (newest === undefined) return {};
  if (failed === undefined) return { highest: newest };
  const limit = minutesBefore(call.now().toISOString(), maxHeldMinutes);
  return { highest: earlierOf(newest, laterOf(failed, limit))! };
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

function totalOf(task: TaskDefinition, body: unknown): number | undefined {
  const found = task.totalPath === undefined ? "" : asText(readPath(body, task.totalPath));
  const total = found.trim() === "" ? Number.NaN : Number(found);
  return Number.isInteger(total) && total >= 0 ? total : undefined;
}

function laterUpdate(highest: string | undefined, { updatedAt }: PulledRecord): string | undefined {
  return laterOf(highest, updatedAt);
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
    const updatedAt = task.updatedAtPath === undefined ? undefined : readInstant(readPath(raw, task.updatedAtPath));
    const record = raw as Json;
    const canonical =
      task.recordType === undefined || task.recordType === "orders" ? { ...record, externalId } : record;
    return { externalId, ...(updatedAt === undefined ? {} : { updatedAt }), raw: record, canonical };
  });
}

export function pullOf(task: TaskDefinition): PullTask {
  const addDetails = detailsOf(task);
  const prepared: PreparedPull = {
    task,
    pagination: task.pagination ?? { kind: "none" },
    refuseFailure: failureOf(task.failsWhen),
    addDetails,
  };
  return {
    ...aboutOf(task, `Reads ${task.request.path}.`),
    mode: "pull",
    recordType: task.recordType ?? "orders",
    input: task.updatedSince ? SinceOrAnything : Anything,
    idempotent: true,
    timeoutMs: 3_600_000,
    isIncremental: task.updatedSince !== undefined && task.updatedAtPath !== undefined,
    pull: (call, cursor) => pull(call, prepared, cursor),
    canonicalOf: (record) => record,
    async receive(call, payloads) {
      const received = (payloads as WebhookPayload[]).flatMap(({ records }) => toRecords(task, records));
      const { records, failures = [] } = await addDetails(call, received);
      // The webhooks are kept and tried again.
      if (failures.length > 0) throw new RemoteError(failures[0]!.code, failures[0]!.message);
      return records;
    },
  };
}
