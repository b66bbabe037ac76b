import { answerWithoutId } from "../../core/outbound/ask-remote.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Call, CallTask, PushTask, Sent } from "../connector.ts";
import { readPath } from "../json-path.ts";
import type { Json } from "../shape.ts";
import { asText, objectOf } from "../shape.ts";
import { pushRule } from "../standard-tasks.ts";
import type { RefuseFailure } from "./rest-answer.ts";
import { bodyOf, failureOf } from "./rest-answer.ts";
import { aboutOf, askRest, buildRequest, scopeOf } from "./rest-request.ts";
import { fillJson, fillPath, fillText } from "./rest-template.ts";
import type { TaskDefinition } from "./rest-task.schemas.ts";
import { Anything } from "./rest-task.schemas.ts";

const templateOf = (task: TaskDefinition) => ({ method: "POST" as const, body: "{{record}}", ...task.request });

/** With an ID path or `failsWhen`, a success status alone is not enough: the body is read. */
async function send(
  call: Call,
  task: TaskDefinition,
  refuseFailure: RefuseFailure,
  record: Json,
  effectKey: string,
): Promise<Sent> {
  const request = buildRequest(call, templateOf(task), scopeOf(call, record, effectKey));
  if (task.idempotencyHeader !== undefined) request.headers![task.idempotencyHeader] = effectKey;
  const response = await askRest(call, { ...request, retry: "never" });
  const details = { status: response.status };
  if (task.externalIdPath === undefined && task.failsWhen === undefined) return { details };
  const body = bodyOf(response);
  const externalId = task.externalIdPath === undefined ? "" : asText(readPath(body, task.externalIdPath));
  // A response with both a failure and an ID contradicts itself: the outcome is unknown, and it is not sent again.
  refuseFailure(response, body, externalId !== "");
  if (task.externalIdPath === undefined) return { details };
  if (externalId === "") throw answerWithoutId(task.externalIdPath === "" ? "$" : task.externalIdPath);
  return { externalId, details };
}

/** The content of the request without its effect key, and without the version and update time of the order. */
function contentOf(call: Call, task: TaskDefinition, record: Json): unknown {
  const { version: _version, updatedAt: _updatedAt, ...rest } = record;
  const { path, query, body } = templateOf(task);
  const scope = scopeOf(call, record, "key");
  return [fillPath(path, scope), fillJson(query ?? {}, scope), fillJson(body, { ...scope, record: rest })];
}

async function update(
  call: Call,
  task: TaskDefinition,
  refuseFailure: RefuseFailure,
  record: Json,
  sent: Sent,
  effectKey: string,
) {
  const { externalId } = sent;
  if (externalId === undefined) return undefined;
  const template = { method: "PUT" as const, body: "{{record}}", ...task.update!.request };
  const request = buildRequest(call, template, { ...scopeOf(call, record, effectKey), existing: { externalId } });
  if (task.idempotencyHeader !== undefined) request.headers![task.idempotencyHeader] = effectKey;
  const response = await askRest(call, { ...request, retry: "never" });
  if (task.update!.failsWhen ?? task.failsWhen) refuseFailure(response, bodyOf(response));
  return { externalId, details: { status: response.status } };
}

async function find(
  call: Call,
  task: TaskDefinition,
  refuseFailure: RefuseFailure,
  record: Json,
  effectKey: string,
): Promise<Sent | undefined> {
  const { request, recordsPath, match, externalIdPath } = task.lookup!;
  const scope = scopeOf(call, record, effectKey);
  const wanted = match && fillText(match.value, scope);
  const response = await askRest(call, { ...buildRequest(call, request, scope), retry: "safe" }, [404]);
  if (response.status === 404) return undefined;
  const body = bodyOf(response);
  // A failed lookup read as "not found" would send the record twice.
  refuseFailure(response, body);
  const found = match ? listIn(body, recordsPath).find((one) => asText(readPath(one, match.path)) === wanted) : body;
  const id = asText(readPath(found, externalIdPath));
  return id === "" ? undefined : { externalId: id };
}

/** An empty response is an empty list. Anything else that is no list may hide that the record was sent. */
function listIn(body: unknown, path = "$"): unknown[] {
  const list = body === undefined ? [] : readPath(body, path);
  if (Array.isArray(list)) return list as unknown[];
  throw new RemoteError("unexpected_response", `The response of the lookup has no list at ${path}.`);
}

export function pushOf(task: TaskDefinition): PushTask {
  const refuseSent = failureOf(task.failsWhen);
  const refuseFound = failureOf(task.lookup?.failsWhen ?? task.failsWhen);
  const refuseUpdated = failureOf(task.update?.failsWhen ?? task.failsWhen);
  return {
    ...aboutOf(task, `Sends each order to ${task.request.path}.`),
    mode: "push",
    ...pushRule(task.name),
    // PUT and PATCH replace the existing record.
    ...(task.request.method === "PUT" || task.request.method === "PATCH" ? { resendPolicy: "on_change" } : {}),
    ...(task.resendPolicy ? { resendPolicy: task.resendPolicy } : {}),
    input: Anything,
    idempotent: task.idempotencyHeader !== undefined,
    timeoutMs: 3_600_000,
    contentOf: (call, record) => contentOf(call, task, record),
    send: (call, record, key) => send(call, task, refuseSent, record, key),
    ...(task.lookup && { find: (call, record, key) => find(call, task, refuseFound, record, key) }),
    ...(task.update && { update: (call, record, sent, key) => update(call, task, refuseUpdated, record, sent, key) }),
  };
}

export function callOf(task: TaskDefinition): CallTask {
  const isSafe = task.idempotent ?? (task.request.method ?? "GET") === "GET";
  const refuseFailure = failureOf(task.failsWhen);
  return {
    ...aboutOf(task, `Calls ${task.request.path}.`),
    mode: "call",
    input: Anything,
    idempotent: isSafe,
    timeoutMs: 120_000,
    async run(call) {
      const request = buildRequest(call, task.request, scopeOf(call, undefined, call.effectKey));
      const response = await askRest(call, { ...request, retry: isSafe ? "safe" : "never" });
      const body = bodyOf(response) ?? {};
      refuseFailure(response, body);
      const result = readPath(body, task.resultPath ?? "$");
      return Array.isArray(result) || typeof result !== "object" ? { result } : objectOf(result);
    },
  };
}
