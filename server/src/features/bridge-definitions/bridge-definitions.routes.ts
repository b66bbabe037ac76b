import { defineRoute } from "../../route.ts";
import * as shapes from "./bridge-definitions.schemas.ts";
import * as definitions from "./bridge-definitions.ts";

export const bridgeDefinitionRoutes = [
  defineRoute("GET /bridges/definitions", {
    name: "bridges.definitions.list",
    scope: "bridges:read",
    summary: "List ready-made definitions",
    description: "Systems that the connector `rest` can be set up for, with the values to fill in.",
    answer: [200, shapes.DefinitionCatalog],
    handle: async () => definitions.listDefinitions(),
  }),
  defineRoute("POST /bridges/definitions/:name/install", {
    name: "bridges.definitions.install",
    scope: "bridges:write",
    summary: "Install a ready-made definition",
    description:
      "Creates a bridge with the settings of the definition, its transformations and, with `schedules`, its proposed schedules, " +
      "all or nothing. Also requires the scope transformations:write, and for schedules schedules:write and tasks:execute. " +
      "Nothing is sent to the other system: test the bridge afterwards.",
    body: shapes.InstallRequest,
    stepUp: "if required",
    answer: [201, shapes.Installation],
    failures: [404, 409],
    handle: (ctx, { params, body }) => definitions.installDefinition(ctx, params.name, body),
  }),
];
