import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./api-keys.schemas.ts";
import * as keys from "./api-keys.ts";

const ids = { id: "api_key" } as const;

export const apiKeyRoutes = [
  defineRoute("GET /api-keys", {
    name: "apiKeys.list",
    scope: "api_keys:read",
    summary: "List API keys",
    query: shapes.ApiKeyQuery,
    answer: [200, PageOf(shapes.ApiKey)],
    handle: (ctx, { query }) => keys.listApiKeys(ctx, query),
  }),
  defineRoute("POST /api-keys", {
    name: "apiKeys.create",
    scope: "admin",
    summary: "Create an API key",
    description: "The response contains the value of the key. It cannot be read again later.",
    body: shapes.ApiKeyRequest,
    stepUp: "if required",
    answer: [201, shapes.ApiKeyWithValue],
    idempotency: "sealed",
    handle: (ctx, { body }) => keys.createApiKey(ctx, body),
  }),
  defineRoute("DELETE /api-keys/:id", {
    name: "apiKeys.delete",
    scope: "admin",
    summary: "Delete an API key",
    description: "Requests with the key are rejected at once, on every node.",
    ids,
    stepUp: "if required",
    answer: [200, Deleted],
    handle: (ctx, { params }) => keys.deleteApiKey(ctx, params.id),
  }),
  defineRoute("POST /api-keys/:id/rotate", {
    name: "apiKeys.rotate",
    scope: "admin",
    summary: "Rotate an API key",
    description: "Creates a new value with the same scopes. The previous value works until the grace period ends.",
    ids,
    body: shapes.RotateRequest,
    bodyIsOptional: true,
    stepUp: "if required",
    answer: [201, shapes.RotatedApiKey],
    idempotency: "sealed",
    handle: (ctx, { params, body }) => keys.rotateApiKey(ctx, params.id, body),
  }),
];
