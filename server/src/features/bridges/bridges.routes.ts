import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./bridges.schemas.ts";
import * as bridges from "./bridges.ts";

const ids = { id: "bridge" } as const;

export const bridgeRoutes = [
  defineRoute("GET /bridges", {
    name: "bridges.list",
    scope: "bridges:read",
    summary: "List bridges",
    query: shapes.BridgeQuery,
    answer: [200, PageOf(shapes.Bridge)],
    handle: (ctx, { query }) => bridges.listBridges(ctx, query),
  }),
  defineRoute("GET /bridges/connectors", {
    name: "bridges.connectors.list",
    scope: "bridges:read",
    summary: "List connectors",
    description: "With the JSON Schemas of their settings and credentials.",
    answer: [200, shapes.ConnectorCatalog],
    handle: async () => bridges.listConnectors(),
  }),
  defineRoute("POST /bridges", {
    name: "bridges.create",
    scope: "bridges:write",
    summary: "Create a bridge",
    description: "Credentials are stored encrypted and never returned.",
    body: shapes.BridgeRequest,
    stepUp: "if required",
    answer: [201, shapes.Bridge],
    failures: [409],
    handle: (ctx, { body }) => bridges.createBridge(ctx, body),
  }),
  defineRoute("GET /bridges/:id", {
    name: "bridges.get",
    scope: "bridges:read",
    summary: "Get a bridge with its health",
    ids,
    answer: [200, shapes.Bridge],
    handle: (ctx, { params }) => bridges.getBridge(ctx, params.id),
  }),
  defineRoute("PATCH /bridges/:id", {
    name: "bridges.update",
    scope: "bridges:write",
    summary: "Update a bridge",
    description: "Settings and credentials are merged: members in the request replace the stored ones.",
    ids,
    body: shapes.BridgePatch,
    stepUp: "if required",
    answer: [200, shapes.Bridge],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => bridges.updateBridge(ctx, params.id, body, ifMatch),
  }),
  defineRoute("POST /bridges/:id/test", {
    name: "bridges.test",
    scope: "tasks:execute",
    summary: "Test the connection of a bridge",
    description: "Answers 200 also when the test fails, with the reason.",
    isReadOnly: true,
    ids,
    answer: [200, shapes.TestAnswer],
    failures: [409],
    handle: (ctx, { params }) => bridges.testBridge(ctx, params.id),
  }),
  defineRoute("GET /bridges/:id/tasks", {
    name: "bridges.tasks.list",
    scope: "bridges:read",
    summary: "List the tasks of a bridge",
    description: "With the JSON Schemas of their input and output.",
    ids,
    answer: [200, shapes.TaskCatalog],
    failures: [409],
    handle: (ctx, { params }) => bridges.listTasks(ctx, params.id),
  }),
];
