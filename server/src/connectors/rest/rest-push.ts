import type { HttpResponse } from "../../core/outbound/outbound-request.ts";
import { ask, readJson } from "../../core/outbound/ask-remote.ts";
import type { Call, CallTask, PushTask, Sent } from "../connector.ts";
import { readPath } from "../json-path.ts";
import type { Json } from "../shape.ts";
import { asText, objectOf } from "../shape.ts";
import { buildRequest, scopeOf } from "./rest-request.ts";
import type { TaskDefinition } from "./rest.schemas.ts";
import { Anything } from "./rest.schemas.ts";

function bodyOf(response: HttpResponse): unknown {
  return response.text.trim() === "" ? {} : readJson(response);
}

async function send(call: Call, task: TaskDefinition, record: Json, effectKey: string): Promise<Sent> {
  const template = { method: "POST" as const, body: "{record}", ...task.request };
  const request = buildRequest(call, template, scopeOf(call, record, effectKey));
  if (task.idempotencyHeader !== undefined) request.headers![task.idempotencyHeader] = effectKey;
  const response = await ask(call, { ...request, retry: "never" });
  const externalId = task.externalId === undefined ? "" : asText(readPath(bodyOf(response), task.externalId));
  return { ...(externalId === "" ? {} : { externalId }), details: { status: response.status } };
}

async function find(call: Call, task: TaskDefinition, record: Json, effectKey: string): Promise<Sent | undefined> {
  const { request, externalId } = task.find!;
  const response = await ask(
    call,
    { ...buildRequest(call, request, scopeOf(call, record, effectKey)), retry: "safe" },
    [404],
  );
  const id = response.status === 404 ? "" : asText(readPath(bodyOf(response), externalId));
  return id === "" ? undefined : { externalId: id };
}

export function pushOf(task: TaskDefinition): PushTask {
  return {
    name: task.name,
    title: task.title ?? task.name,
    description: task.description ?? `Sends each order to ${task.request.path}.`,
    mode: "push",
    takes: "orders",
    input: Anything,
    output: Anything,
    idempotent: task.idempotencyHeader !== undefined,
    timeoutMs: 3_600_000,
    send: async (call, record, effectKey) => await send(call, task, record, effectKey),
    ...(task.find
      ? { find: async (call: Call, record: Json, key: string) => await find(call, task, record, key) }
      : {}),
  };
}

export function callOf(task: TaskDefinition): CallTask {
  const isRead = (task.request.method ?? "GET") === "GET";
  return {
    name: task.name,
    title: task.title ?? task.name,
    description: task.description ?? `Calls ${task.request.path}.`,
    mode: "call",
    input: Anything,
    output: Anything,
    idempotent: task.idempotent ?? isRead,
    timeoutMs: 120_000,
    async run(call) {
      const request = buildRequest(call, task.request, scopeOf(call, undefined, call.effectKey));
      const isSafe = task.idempotent ?? isRead;
      const response = await ask(call, { ...request, retry: isSafe ? "safe" : "never" });
      const result = readPath(bodyOf(response), task.result ?? "$");
      return Array.isArray(result) || typeof result !== "object" ? { result } : objectOf(result);
    },
  };
}
