import type { TSchema } from "typebox";
import { errorTable } from "../core/errors.ts";
import { scopeTexts } from "../core/scopes.ts";
import type { Route } from "../route.ts";
import type { Mount } from "./mount.ts";

type Json = Record<string, unknown>;

/** OpenAPI 3.1, made from the very schemas that check requests and serialise answers. */
export function createOpenApi(mounts: Mount[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const mount of mounts) {
    for (const route of mount.routes) {
      const path = `${mount.prefix}${route.path}`.replaceAll(/:(\w+)/g, "{$1}");
      (paths[path] ??= {})[route.method.toLowerCase()] = operation(mount, route, path);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Order Operations Hub",
      version,
      description:
        "Orders, pickups, locations, rates, transformations, tasks, condition sets, schedules, and a gateway.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "An API key or an access token" } },
      schemas: { Problem: problemSchema, GatewayError: gatewayErrorSchema },
      parameters: {
        IdempotencyKey: header(
          "Idempotency-Key",
          "Makes a repeated request safe: the first answer is given again",
          255,
        ),
        IfMatch: header("If-Match", "The ETag that was read; another version answers 412", 100),
      },
    },
  };
}

function operation(mount: Mount, route: Route, path: string): Json {
  const [status, schema] = route.answer;
  const isGateway = mount.prefix === "/v1";
  return {
    operationId: operationId(route.method, path),
    summary: route.summary,
    description: [route.description, scopeText(route)].filter(Boolean).join("\n\n"),
    tags: [isGateway ? "gateway" : (path.split("/")[3] ?? "other")],
    ...(route.scope === "public" ? { security: [] } : {}),
    parameters: parameters(route),
    ...(route.body
      ? { requestBody: { required: !route.bodyIsOptional, content: bodyContent(route, route.body) } }
      : {}),
    responses: {
      [status]: { description: "Success", content: answerContent(mount, route, schema) },
      ...(route.mayBeUnfinished
        ? { 202: { description: "Not finished yet", content: answerContent(mount, route, schema) } }
        : {}),
      ...Object.fromEntries(failuresOf(route).map((failure) => [failure, failureResponse(isGateway, failure)])),
    },
    "x-scope": route.scope,
  };
}

function bodyContent(route: Route, body: TSchema): Json {
  if (!route.takesCsv) return json(body);
  const description = "The file itself; what else the JSON body could say is said in the query.";
  return { ...json(body), "text/csv": { schema: { type: "string", description } } };
}

/** What every route can answer, and what follows from its shape. */
export function failuresOf(route: Route): number[] {
  const failures = [400, 408, 413, 415, 429, 431, 500, 503, ...(route.failures ?? [])];
  if (route.scope !== "public") failures.push(401);
  if (route.scope !== "public" && route.scope !== "any") failures.push(403);
  if (route.ids) failures.push(404);
  if (route.method === "POST" && route.idempotency !== "none") failures.push(409, 422);
  return [...new Set(failures)].toSorted((a, b) => a - b);
}

function parameters(route: Route): Json[] {
  const list: Json[] = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  for (const [name, schema] of Object.entries((route.query?.properties ?? {}) as Record<string, Json>)) {
    list.push({ name, in: "query", required: false, schema });
  }
  if (route.method === "POST" && route.idempotency !== "none") list.push(reference("parameters/IdempotencyKey"));
  if (route.failures?.includes(412)) list.push(reference("parameters/IfMatch"));
  return list;
}

const failureTexts: Record<number, string> = {
  400: "The request is not valid; `errors` says where and why",
  401: "No token, or not a valid one",
  403: "The token may not do this",
  404: "There is no such thing, or not for this organization",
  408: "The request took too long to arrive",
  409: "In conflict with the present state",
  412: "Changed by somebody else since it was read",
  413: "The body is too large",
  415: "The body must be application/json",
  422: "The Idempotency-Key was used with another request",
  429: "Too many requests; see Retry-After",
  431: "The headers are too large",
  500: "A fault of the hub; the log has it under the request id",
  503: "Not possible right now; see Retry-After",
};

function failureResponse(isGateway: boolean, status: number): Json {
  const schema = reference(isGateway ? "schemas/GatewayError" : "schemas/Problem");
  const type = isGateway ? "application/json" : "application/problem+json";
  return { description: failureTexts[status] ?? "Failure", content: { [type]: { schema } } };
}

function operationId(method: string, path: string): string {
  const words = path.split("/").filter((part) => part !== "" && part !== "api" && !/^v\d+$/.test(part));
  const prefix = path.startsWith("/v1/") ? ["gateway"] : [];
  const parts = [...prefix, ...words].map((part) => (part.startsWith("{") ? `by-${part.slice(1, -1)}` : part));
  return [method.toLowerCase(), ...parts.join("-").split("-").map(capital)].join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function scopeText(route: Route): string {
  if (route.scope === "public") return "Needs no token.";
  if (route.scope === "any") return "Any valid token.";
  return `Needs the scope \`${route.scope}\`: ${scopeTexts[route.scope]}.`;
}

function answerContent(mount: Mount, route: Route, schema: TSchema): Json {
  return route.answerType === undefined ? json(mount.format.wrapSchema(schema)) : { [route.answerType]: { schema } };
}

function json(schema: TSchema): Json {
  return { "application/json": { schema } };
}

function reference(target: string): Json {
  return { $ref: `#/components/${target}` };
}

function header(name: string, description: string, maxLength: number): Json {
  return { name, in: "header", required: false, description, schema: { type: "string", maxLength } };
}

const fieldErrorSchema = {
  type: "object",
  required: ["pointer", "code", "message"],
  properties: {
    pointer: { type: "string", description: "JSON Pointer into the body, or query/name, header/name" },
    code: { type: "string" },
    message: { type: "string" },
    suggestion: { type: "string" },
    allowed: { type: "array" },
  },
  additionalProperties: false,
};

const problemSchema = {
  type: "object",
  required: ["type", "title", "status", "detail", "instance", "code", "requestId", "retryable"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    instance: { type: "string" },
    code: { type: "string", enum: Object.keys(errorTable) },
    requestId: { type: "string" },
    retryable: { type: "boolean" },
    errors: { type: "array", items: fieldErrorSchema },
  },
};

const gatewayErrorSchema = {
  type: "object",
  required: ["ok", "error", "meta"],
  properties: {
    ok: { const: false },
    error: {
      type: "object",
      required: ["code", "message", "status"],
      properties: {
        code: { type: "string", enum: Object.keys(errorTable) },
        message: { type: "string" },
        status: { type: "integer" },
        retryable: { type: "boolean" },
        errors: { type: "array", items: fieldErrorSchema },
      },
    },
    meta: {
      type: "object",
      required: ["requestId", "version"],
      properties: { requestId: { type: "string" }, version: { type: "string" } },
    },
  },
};
