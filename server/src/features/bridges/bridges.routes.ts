import { crudRoutes } from "../../crud-routes.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./bridges.schemas.ts";
import * as bridges from "./bridges.ts";

const ids = { id: "bridge" } as const;

export const bridgeRoutes = [
  ...crudRoutes("/bridges", {
    name: "bridges",
    kind: "bridge",
    nouns: ["a bridge", "bridges"],
    read: "bridges:read",
    write: "bridges:write",
    record: shapes.Bridge,
    list: { query: shapes.BridgeQuery, handle: bridges.listBridges },
    create: {
      description: "Credentials are stored encrypted and never returned.",
      body: shapes.BridgeRequest,
      stepUp: "if required",
      failures: [409],
      handle: bridges.createBridge,
    },
    more: [
      defineRoute("GET /bridges/connectors", {
        name: "bridges.connectors.list",
        scope: "bridges:read",
        summary: "List connectors",
        description: "With the JSON Schemas of their settings and credentials.",
        answer: [200, shapes.ConnectorCatalog],
        handle: async () => bridges.listConnectors(),
      }),
    ],
    get: { summary: "Get a bridge with its health", handle: bridges.getBridge },
    update: {
      description: "Settings and credentials are merged: members in the request replace the stored ones.",
      body: shapes.BridgePatch,
      stepUp: "if required",
      handle: bridges.updateBridge,
    },
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
