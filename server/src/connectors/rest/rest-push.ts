import type { HttpResponse } from "../../core/outbound/outbound-request.ts";
import { readJson } from "../../core/outbound/ask-remote.ts";
import type { Call, CallTask, PushTask, Sent } from "../connector.ts";
import { readPath } from "../json-path.ts";
import type { Json } from "../shape.ts";
import { asText, objectOf } from "../shape.ts";
import { pushRule } from "../standard-tasks.ts";
import { aboutOf, askRest, buildRequest, scopeOf } from "./rest-request.ts";
import { fillJson, fillPath } from "./rest-template.ts";
import type { TaskDefinition } from "./rest.schemas.ts";
import { Anything } from "./rest.schemas.ts";

function bodyOf(response: HttpResponse): unknown {
  return response.text.trim() === "" ? {} : readJson(response);
}

const templateOf = (task: TaskDefinition) => ({ method: "POST" as const, body: "{record}", ...task.request });

async function send(call: Call, task: TaskDefinition, record: Json, effectKey: string): Promise<Sent> {
  const request = buildRequest(call, templateOf(task), scopeOf(call, record, effectKey));
  if (task.idempotencyHeader !== undefined) request.headers![task.idempotencyHeader] = effectKey;
  const response = await askRest(call, { ...request, retry: "never" });
  const externalId = task.externalId === undefined ? "" : asText(readPath(bodyOf(response), task.externalId));
  return { ...(externalId === "" ? {} : { externalId }), details: { status: response.status } };
}

/** What the request says, without what differs each time. An order that is sent as it is changes with more than its version. */
function contentOf(call: Call, task: TaskDefinition, record: Json): unknown {
  const { version: _version, updatedAt: _updatedAt, ...rest } = record;
  const { path, query, body } = templateOf(task);
  const scope = scopeOf(call, record, "key");
  return [fillPath(path, scope), fillJson(query ?? {}, scope), fillJson(body, { ...scope, record: rest })];
}

async function update(call: Call, task: TaskDefinition, record: Json, sent: Sent, effectKey: string) {
  const { externalId } = sent;
  if (externalId === undefined) return undefined;
  const template = { method: "PUT" as const, body: "{record}", ...task.update!.request };
  const request = buildRequest(call, template, { ...scopeOf(call, record, effectKey), sent: { externalId } });
  if (task.idempotencyHeader !== undefined) request.headers![task.idempotencyHeader] = effectKey;
  const response = await askRest(call, { ...request, retry: "never" });
  return { externalId, details: { status: response.status } };
}

async function find(call: Call, task: TaskDefinition, record: Json, effectKey: string): Promise<Sent | undefined> {
  const { request, externalId } = task.find!;
  const response = await askRest(
    call,
    { ...buildRequest(call, request, scopeOf(call, record, effectKey)), retry: "safe" },
    [404],
  );
  const id = response.status === 404 ? "" : asText(readPath(bodyOf(response), externalId));
  return id === "" ? undefined : { externalId: id };
}

export function pushOf(task: TaskDefinition): PushTask {
  return {
    ...aboutOf(task, `Sends each order to ${task.request.path}.`),
    mode: "push",
    ...pushRule(task.name),
    // What is put is put in the place of what was there.
    ...(task.request.method === "PUT" || task.request.method === "PATCH" ? { sendsAgainWhen: "changed" } : {}),
    ...(task.sendsAgainWhen ? { sendsAgainWhen: task.sendsAgainWhen } : {}),
    input: Anything,
    idempotent: task.idempotencyHeader !== undefined,
    timeoutMs: 3_600_000,
    contentOf: (call, record) => contentOf(call, task, record),
    send: (call, record, key) => send(call, task, record, key),
    ...(task.find && { find: (call, record, key) => find(call, task, record, key) }),
    ...(task.update && { update: (call, record, sent, key) => update(call, task, record, sent, key) }),
  };
}

export function callOf(task: TaskDefinition): CallTask {
  const isSafe = task.idempotent ?? (task.request.method ?? "GET") === "GET";
  return {
    ...aboutOf(task, `Calls ${task.request.path}.`),
    mode: "call",
    input: Anything,
    idempotent: isSafe,
    timeoutMs: 120_000,
    async run(call) {
      const request = buildRequest(call, task.request, scopeOf(call, undefined, call.effectKey));
      const response = await askRest(call, { ...request, retry: isSafe ? "safe" : "never" });
      const result = readPath(bodyOf(response), task.result ?? "$");
      return Array.isArray(result) || typeof result !== "object" ? { result } : objectOf(result);
    },
  };
}
