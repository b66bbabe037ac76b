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
    summary: "List the connectors a bridge can be made of, with the settings and credentials they need",
    answer: [200, shapes.ConnectorCatalog],
    handle: async () => bridges.listConnectors(),
  }),
  defineRoute("POST /bridges", {
    name: "bridges.create",
    scope: "bridges:write",
    summary: "Create a bridge; credentials are stored sealed and never answered",
    body: shapes.BridgeRequest,
    stepUp: "if required",
    answer: [201, shapes.Bridge],
    failures: [409],
    handle: (ctx, { body }) => bridges.createBridge(ctx, body),
  }),
  defineRoute("GET /bridges/:id", {
    name: "bridges.get",
    scope: "bridges:read",
    summary: "Read a bridge and how its last calls went",
    ids,
    answer: [200, shapes.Bridge],
    handle: (ctx, { params }) => bridges.getBridge(ctx, params.id),
  }),
  defineRoute("PATCH /bridges/:id", {
    name: "bridges.update",
    scope: "bridges:write",
    summary: "Change a bridge; members of credentials that are named replace the stored ones",
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
    summary: "Test the connection now; answers 200 also when it fails, with the reason",
    isReadOnly: true,
    ids,
    answer: [200, shapes.TestAnswer],
    failures: [409],
    handle: (ctx, { params }) => bridges.testBridge(ctx, params.id),
  }),
  defineRoute("GET /bridges/:id/tasks", {
    name: "bridges.tasks.list",
    scope: "bridges:read",
    summary: "List the tasks of a bridge with the JSON Schemas of their input and output",
    ids,
    answer: [200, shapes.TaskCatalog],
    failures: [409],
    handle: (ctx, { params }) => bridges.listTasks(ctx, params.id),
  }),
];
