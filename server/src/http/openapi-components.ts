import { errorTable } from "../core/errors.ts";
import { failureTexts } from "./openapi-texts.ts";

type Json = Record<string, unknown>;

export function reference(target: string): Json {
  return { $ref: `#/components/${target}` };
}

/** Headers of requests, by the name of the component. */
export const headerParameters = {
  IdempotencyKey: header("Idempotency-Key", "Makes a repeated request safe: the first answer is given again", 255),
  IfMatch: header("If-Match", "The ETag that was read; another version answers 412", 100),
  Prefer: header("Prefer", "`respond-async`: do not wait for the work, it goes on in the background", 100),
  LastEventId: header("Last-Event-ID", "The `id` that was read last; readers of streams send it by themselves", 100),
  OrganizationId: header("X-Organization-Id", "The organization to look at; the same as `organization_id`", 36),
};

function header(name: string, description: string, maxLength: number): Json {
  return { name, in: "header", required: false, description, schema: { type: "string", maxLength } };
}

export const answerHeaders = {
  ETag: answerHeader("The version of the record, for If-Match and If-None-Match"),
  Link: answerHeader("Addresses of the first, previous, next and last page, by `rel` (RFC 8288)"),
  Location: answerHeader("Where the record that was made, or is being made, can be read"),
  IdempotencyReplayed: answerHeader("`true`: an earlier request with this key was done; this is its answer"),
  RetryAfter: answerHeader("Seconds to wait before the next try"),
};

function answerHeader(description: string): Json {
  return { description, schema: { type: "string" } };
}

const fieldError = {
  type: "object",
  required: ["pointer", "code", "message"],
  properties: {
    pointer: { type: "string", description: "JSON Pointer into the body, or query/name, header/name" },
    code: { type: "string", description: "The rule that is broken, for programs" },
    message: { type: "string", description: "The rule that is broken, for people" },
    suggestion: { type: "string", description: "What was probably meant" },
    row: { type: "integer", minimum: 1, description: "In an imported file: the row, as in a spreadsheet" },
    column: { type: ["string", "null"], description: "In an imported file: the name of the column" },
    allowed: { type: "array", items: {}, description: "Everything that is allowed there" },
  },
  additionalProperties: false,
};

const code = {
  type: "string",
  enum: Object.keys(errorTable),
  description: "For programs; /docs/errors lists all codes, and /docs/errors/{code} explains one",
};
const requestId = { type: "string", description: "The X-Request-Id of the answer; the log has it too" };
const retryable = { type: "boolean", description: "The same request may succeed later" };
const errors = { type: "array", items: reference("schemas/FieldError") };

const problem = {
  type: "object",
  required: ["type", "title", "status", "detail", "instance", "code", "requestId", "retryable"],
  description: "RFC 9457. Some codes add members of their own, such as `usedBy` of `condition_set_in_use`.",
  properties: {
    type: { type: "string", description: "Address of a page about this code" },
    title: { type: "string", description: "What the code means, the same in every case" },
    status: { type: "integer" },
    detail: { type: "string", description: "What it means in this case, for people" },
    instance: { type: "string", description: "A URN with the request id" },
    code,
    requestId,
    retryable,
    errors,
  },
};

const gatewayError = {
  type: "object",
  required: ["ok", "error", "meta"],
  properties: {
    ok: { const: false },
    error: {
      type: "object",
      required: ["code", "message", "status"],
      properties: { code, message: { type: "string" }, status: { type: "integer" }, retryable, errors },
    },
    meta: {
      type: "object",
      required: ["requestId", "version"],
      properties: { requestId, version: { type: "string", description: "Of the gateway's interface" } },
    },
  },
};

export const errorSchemas = { FieldError: fieldError, Problem: problem, GatewayError: gatewayError };

/** The answer to a failure, by the name under which routes refer to it. */
export function failureName(isGateway: boolean, status: number): string {
  return isGateway ? `Gateway${status}` : `Problem${status}`;
}

export function failureResponse(isGateway: boolean, status: number): Json {
  const schema = reference(isGateway ? "schemas/GatewayError" : "schemas/Problem");
  const type = isGateway ? "application/json" : "application/problem+json";
  const mayWait = status === 429 || status === 503;
  return {
    description: failureTexts[status],
    ...(mayWait ? { headers: { "Retry-After": reference("headers/RetryAfter") } } : {}),
    content: { [type]: { schema } },
  };
}
