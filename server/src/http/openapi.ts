import { setTimeout as delay } from "node:timers/promises";
import type { TSchema } from "typebox";
import { createYielder } from "../core/yield-to-event-loop.ts";
import { scopeTexts } from "../core/scopes.ts";
import { isPlain } from "../core/strict-json.ts";
import { eventTypes } from "../events/event-families.ts";
import type { Route } from "../route.ts";
import { liveType, xlsxType } from "../route.ts";
import type { Mount } from "./mount.ts";
import {
  answerHeaders,
  errorSchemas,
  failureName,
  failureResponse,
  headerParameters,
  reference,
} from "./openapi-components.ts";
import { createExamples } from "./openapi-examples.ts";
import { deliveryTag, describeWebhook } from "./openapi-webhooks.ts";
import { createReferences } from "./openapi-schemas.ts";
import { cookieText, deliveriesText, introduction, tagNames, tagTexts } from "./openapi-texts.ts";
import { homeOf } from "./record-homes.ts";

type Json = Record<string, unknown>;

/**
 * OpenAPI 3.1, generated from the schemas that validate requests and serialize responses. It yields to the event loop: the
 * document is large, and anonymous callers may request it.
 */
export async function createOpenApi(mounts: Mount[], version: string): Promise<Json> {
  const step = createYielder();
  const { refer, schemas } = createReferences();
  const paths: Record<string, Json> = {};
  for (const mount of mounts) {
    for (const route of mount.routes) {
      const path = `${mount.prefix}${route.path}`.replaceAll(/:(\w+)/g, "{$1}");
      (paths[path] ??= {})[route.method.toLowerCase()] = refer(operation(mount, route));
      await step();
    }
  }
  const webhooks: Json = {};
  for (const type of eventTypes) {
    webhooks[type] = refer(describeWebhook(type));
    await step();
  }
  const components = { ...errorSchemas, ...schemas() };
  const makeExample = createExamples(components);
  for (const methods of Object.values(paths)) {
    for (const described of Object.values(methods)) {
      addExamples((described as { responses: Record<string, Answer> }).responses, makeExample);
      await step();
    }
  }
  const used = new Set(mounts.flatMap((mount) => mount.routes.map((route) => groupOf(mount, route))));
  const groups = Object.entries(tagTexts).filter(([group]) => used.has(group));
  return {
    openapi: "3.1.0",
    info: {
      title: "Order Operations Hub",
      version,
      description: introduction,
      contact: { name: "Order Operations Hub" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { cookie: [] }],
    tags: [
      ...groups.map(([group, description]) => ({ name: tagNameOf(group), description })),
      { name: deliveryTag, description: deliveriesText },
    ],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key or an access token" },
        cookie: { type: "apiKey", in: "cookie", name: "ooh_live", description: cookieText },
      },
      schemas: components,
      parameters: headerParameters,
      headers: answerHeaders,
      responses: failureResponses(mounts),
    },
  };
}

/** The document as text; yields to the event loop as well. */
export async function writeOpenApi(mounts: Mount[], version: string): Promise<string> {
  // Loading this file has just taken as long as two batches. setImmediate would continue in the same iteration of the event loop.
  await delay(0);
  const step = createYielder();
  /** Like JSON.stringify, which it uses below this many levels. */
  async function write(node: unknown, levels: number): Promise<string> {
    if (levels === 0 || !isPlain(node)) {
      await step();
      return JSON.stringify(node);
    }
    const members: string[] = [];
    for (const [key, child] of Object.entries(node)) {
      members.push(`${JSON.stringify(key)}:${await write(child, levels - 1)}`);
    }
    return `{${members.join(",")}}`;
  }
  // Each operation, webhook and schema is written separately.
  return await write(await createOpenApi(mounts, version), 3);
}

function operation(mount: Mount, route: Route): Json {
  const isGateway = isGatewayMount(mount);
  return {
    operationId: route.name,
    summary: route.summary,
    description: [route.description, sizeText(route), scopeText(route)].filter(Boolean).join("\n\n"),
    tags: [tagNameOf(groupOf(mount, route))],
    ...(route.scope === "public" ? { security: [] } : {}),
    parameters: parameters(route),
    ...(route.takesAnyBody ? { requestBody: { required: true, content: { "*/*": { schema: anyBody } } } } : {}),
    ...(route.body
      ? { requestBody: { required: !route.bodyIsOptional, content: bodyContent(route, route.body) } }
      : {}),
    responses: {
      ...successes(mount, route),
      ...Object.fromEntries(
        failuresOf(route).map((status) => [status, reference(`responses/${failureName(isGateway, status)}`)]),
      ),
    },
    "x-scope": route.scope,
  };
}

function isGatewayMount({ prefix }: Mount): boolean {
  return prefix === "/v1";
}

function groupOf(mount: Mount, route: Route): string {
  return isGatewayMount(mount) ? "gateway" : route.path.split("/")[1]!;
}

/** `rate-comparisons` is shown as "Rate comparisons". */
function tagNameOf(group: string): string {
  const words = group.replaceAll("-", " ");
  return tagNames[group] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

type Answer = { content?: Record<string, { schema: unknown; example?: unknown }> };

/** Answers with the same schema share its example. */
function addExamples(responses: Record<string, Answer>, makeExample: (schema: unknown) => unknown): void {
  for (const { content = {} } of Object.values(responses)) {
    const answer = content["application/json"];
    if (answer) answer.example = makeExample(answer.schema);
  }
}

function successes(mount: Mount, route: Route): Json {
  const [status, schema] = route.answer;
  const content = answerContent(mount, route, schema);
  const { properties = {} } = schema as { properties?: Json };
  const headers = {
    ...("version" in properties ? { ETag: reference("headers/ETag") } : {}),
    ...("pagination" in properties ? { Link: reference("headers/Link") } : {}),
    ...(takesKey(route) ? { "Idempotency-Replayed": reference("headers/IdempotencyReplayed") } : {}),
  };
  const success = (description: string, more: Json = {}): Json => {
    const all = { ...headers, ...more };
    return { description, ...(Object.keys(all).length > 0 ? { headers: all } : {}), content };
  };
  const made = homeOf(route, mount.routes) === undefined ? {} : { Location: reference("headers/Location") };
  return {
    ...("dryRun" in properties && status !== 200 ? { 200: success("A dry run: nothing was done") } : {}),
    [status]: success("Success", status === 200 ? {} : made),
    ...(route.mayBeUnfinished ? { 202: success("Not finished yet", made) } : {}),
    ...(route.method === "GET" && "ETag" in headers
      ? { 304: { description: "Not changed since the version in If-None-Match" } }
      : {}),
  };
}

function bodyContent(route: Route, body: TSchema): Json {
  if (!route.takesCsv) return json(body);
  const description = "The file itself; what else the JSON body could say is said in the query.";
  const file = { schema: { type: "string", description } };
  return { ...json(body), "text/csv": file, [xlsxType]: { schema: { ...file.schema, format: "binary" } } };
}

const anyBody = { description: "In the format of the sender. The signature covers the bytes of the body." };

function takesKey(route: Route): boolean {
  return route.method === "POST" && route.idempotency !== "none";
}

/** Failures that every route can return, and those that follow from its shape. */
function failuresOf(route: Route): number[] {
  const failures = [400, 408, 413, 415, 417, 429, 431, 500, 503, ...(route.failures ?? [])];
  if (route.scope !== "public") failures.push(401);
  if (route.scope !== "public" && !route.beforeEnrollment) failures.push(403);
  // A change with a cookie, by a page of another origin.
  if (route.stepUp || route.setsCookie || (route.scope !== "public" && route.method !== "GET")) failures.push(403);
  if (route.ids) failures.push(404);
  if (takesKey(route)) failures.push(409, 422);
  return [...new Set(failures)].toSorted((a, b) => a - b);
}

function failureResponses(mounts: Mount[]): Json {
  const responses: Json = {};
  for (const mount of mounts) {
    const isGateway = isGatewayMount(mount);
    const statuses = new Set(mount.routes.flatMap(failuresOf));
    for (const status of [...statuses].toSorted((a, b) => a - b)) {
      responses[failureName(isGateway, status)] = failureResponse(isGateway, status);
    }
  }
  return responses;
}

function parameters(route: Route): Json[] {
  const list = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => pathParameter(route, name!));
  const { properties = {}, required = [] } = (route.query ?? {}) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  for (const [name, { description = describeId(name), ...schema }] of Object.entries(properties)) {
    // A parameter with a default is always set, but need not be sent.
    const isRequired = required.includes(name) && !("default" in schema);
    list.push({
      name,
      in: "query",
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      schema,
    });
  }
  if (takesKey(route)) list.push(reference("parameters/IdempotencyKey"));
  if (route.failures?.includes(412)) list.push(reference("parameters/IfMatch"));
  for (const name of route.headers ?? []) list.push(reference(`parameters/${name}`));
  return list;
}

/** `bridgeId` and `bridge_id` name their resource. */
function describeId(name: string): string | undefined {
  const [, thing] = /^(\w+)(?:Id|_id)$/.exec(name) ?? [];
  return (
    thing &&
    `Id of the ${thing
      .replaceAll(/([A-Z])/g, " $1")
      .replaceAll("_", " ")
      .toLowerCase()}`
  );
}

function pathParameter(route: Route, name: string): Json {
  const kind = route.ids?.[name]?.replaceAll("_", " ");
  const schema = { type: "string", ...(kind === undefined || route.takesNames ? {} : { format: "uuid" }) };
  const what = route.takesNames ? "Id or number" : "Id";
  return {
    name,
    in: "path",
    required: true,
    description: kind === undefined ? `Id of the ${partBefore(route, name)}: its ${name}` : `${what} of the ${kind}`,
    schema,
  };
}

/** The name of a part of a record without its own resource kind: "event" in /shipments/:id/events/:eventKey. */
function partBefore({ path }: Route, name: string): string {
  const parts = path.split("/");
  return parts[parts.indexOf(`:${name}`) - 1]!.replace(/s$/, "");
}

function sizeText({ bodyLimitBytes }: Route): string {
  return bodyLimitBytes === undefined ? "" : `The body may have up to ${bodyLimitBytes / 1024 ** 2} MiB.`;
}

function scopeText(route: Route): string {
  if (route.scope === "public") return "Needs no token.";
  if (route.scope === "any") return "Any valid token.";
  return `Needs the scope \`${route.scope}\`: ${scopeTexts[route.scope]}.`;
}

function answerContent(mount: Mount, route: Route, schema: TSchema): Json {
  if (route.answerType === undefined) return json(mount.format.wrapSchema(schema));
  // The schema of `data` is separate, since a stream as a whole is a text.
  if (route.answerType === liveType) return { [liveType]: { schema: { type: "string" }, "x-data": schema } };
  return Object.fromEntries([route.answerType].flat().map((type) => [type, { schema }]));
}

function json(schema: TSchema): Json {
  return { "application/json": { schema } };
}
