import { setTimeout as sleep } from "node:timers/promises";
import type { HttpResponse } from "../../core/outbound/outbound-request.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Call, PageFailure, PulledRecord } from "../connector.ts";
import { readPath } from "../json-path.ts";
import type { Json } from "../shape.ts";
import { earlierOf } from "../shape.ts";
import type { RefuseFailure } from "./rest-answer.ts";
import { failureOf } from "./rest-answer.ts";
import { nextOf, pageBody, pageRequest, withPosition } from "./rest-paging.ts";
import type { Detail, Pagination } from "./rest-pull.schemas.ts";
import { askRest, scopeOf } from "./rest-request.ts";
import type { RequestTemplate } from "./rest-request.schemas.ts";
import type { TaskDefinition } from "./rest-task.schemas.ts";

/** The records with their details. `failedSince`: the time of the oldest record that has failed. */
type Detailed = { records: PulledRecord[]; failures?: PageFailure[]; failedSince?: string | undefined };
export type AddDetails = (call: Call, records: PulledRecord[]) => Promise<Detailed>;

const concurrency = 4;
const maxPages = 100;
/** Enough for a user to see the format; a sample must answer soon. */
const maxSampled = 10;
const firstPauseMs = 2_000;
const maxPauseMs = 30_000;
const maxPatienceMs = 10 * 60_000;

type PreparedDetail = {
  detail: Detail;
  template: RequestTemplate;
  pagination: Pagination;
  refuseFailure: RefuseFailure;
};

export function detailsOf(task: TaskDefinition): AddDetails {
  const details = (task.details ?? []).map((detail): PreparedDetail => {
    const pagination = detail.pagination ?? { kind: "none" };
    const template = withPosition(detail.request, pagination);
    return { detail, template, pagination, refuseFailure: failureOf(detail.failsWhen ?? task.failsWhen) };
  });
  if (details.length === 0) return (_call, records) => Promise.resolve({ records });
  return async (call, records) => await addDetails(call, details, records);
}

/**
 * A record whose details cannot be read fails alone. If no record gets its details, and the reason may pass, the page fails: it is
 * tried again instead of reporting an outage once for each record.
 */
async function addDetails(call: Call, details: PreparedDetail[], all: PulledRecord[]): Promise<Detailed> {
  const records = call.isSample ? all.slice(0, maxSampled) : all;
  const outcomes: (PulledRecord | RemoteError)[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < records.length; index = next++) {
      try {
        outcomes[index] = await complete(call, details, records[index]!);
      } catch (error) {
        if (isOfRecord(error)) outcomes[index] = error;
        else {
          // The other workers end after their current record.
          next = records.length;
          throw error;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const errors = outcomes.filter((outcome) => outcome instanceof RemoteError);
  const passing = errors.find(({ retryable }) => retryable);
  if (passing && errors.length === records.length) throw passing;
  let failedSince: string | undefined;
  const failures = outcomes.flatMap((outcome, index) => {
    if (!(outcome instanceof RemoteError)) return [];
    const { externalId, updatedAt } = records[index]!;
    failedSince = earlierOf(failedSince, updatedAt);
    const message = `The details of the record could not be read. ${outcome.message}`;
    return [{ externalId, code: outcome.code, message, errors: [{ message }] }];
  });
  const whole = outcomes.flatMap((outcome) => (outcome instanceof RemoteError ? [] : [outcome]));
  return { records: whole, ...(failures.length > 0 ? { failures, failedSince } : {}) };
}

/** Reasons that are not about one record: they end the execution. */
const general = new Set(["unauthorized", "authentication_failed", "cancelled", "address_not_allowed", "rate_limited"]);

function isOfRecord(error: unknown): error is RemoteError {
  return error instanceof RemoteError && !general.has(error.code);
}

async function complete(call: Call, details: PreparedDetail[], record: PulledRecord): Promise<PulledRecord> {
  let { raw, canonical } = record;
  for (const prepared of details) {
    const added = await readDetail(call, prepared, raw);
    [raw, canonical] = [
      { ...raw, ...added },
      { ...canonical, ...added },
    ];
  }
  return { ...record, raw, canonical };
}

/** The members that a detail adds to its record; none if the response is empty. */
async function readDetail(call: Call, prepared: PreparedDetail, record: Json): Promise<Json> {
  const { detail, template, pagination, refuseFailure } = prepared;
  const { recordPath = "$", mergeAs } = detail;
  const list: unknown[] = [];
  let next: string | undefined;
  for (let pages = 1; pages <= maxPages; pages++) {
    const request = pageRequest(call, template, pagination, next, scopeOf(call, record));
    const response = await patiently(call, () => askRest(call, request));
    const body = pageBody(response);
    if (body === undefined) return list.length > 0 && mergeAs !== undefined ? { [mergeAs]: list } : {};
    refuseFailure(response, body);
    const value = readPath(body, recordPath);
    if (pagination.kind === "none") return merged(value, detail);
    if (!Array.isArray(value)) throw unexpected(`no list at ${recordPath}`);
    list.push(...(value as unknown[]));
    next = nextOf(call, pagination, { response, body, count: value.length, next });
    if (next === undefined) return merged(list, detail);
  }
  throw new RemoteError("too_many_records", `The details of one record have more than ${maxPages} pages.`);
}

function merged(value: unknown, { mergeAs, recordPath = "$" }: Detail): Json {
  if (value === undefined) throw unexpected(`nothing at ${recordPath}`);
  if (mergeAs !== undefined) return { [mergeAs]: value };
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw unexpected(`no object at ${recordPath}, and mergeAs is not set`);
}

function unexpected(what: string): RemoteError {
  return new RemoteError("unexpected_response", `The response has ${what}.`);
}

/** One request for each record easily exceeds a rate limit: the execution waits for the time in `Retry-After`. */
async function patiently(call: Call, ask: () => Promise<HttpResponse>): Promise<HttpResponse> {
  let waitedMs = 0;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await ask();
    } catch (error) {
      const isLimited = error instanceof RemoteError && error.code === "rate_limited";
      if (!isLimited || waitedMs >= maxPatienceMs) throw error;
      const waitMs = error.retryAfterMs ?? pauseMs;
      await sleep(waitMs, undefined, { signal: call.signal });
      waitedMs += waitMs;
    }
  }
}
