import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./import-presets.schemas.ts";
import * as presets from "./import-presets.ts";

const ids = { id: "import_preset" } as const;

export const importPresetRoutes = [
  defineRoute("GET /import-presets", {
    name: "importPresets.list",
    scope: "orders:read",
    summary: "List import presets",
    query: shapes.PresetQuery,
    answer: [200, PageOf(shapes.ImportPreset)],
    handle: (ctx, { query }) => presets.listPresets(ctx, query),
  }),
  defineRoute("GET /import-presets/built-in", {
    name: "importPresets.builtIn.list",
    scope: "orders:read",
    summary: "List built-in import presets",
    description: "Programs whose order files are detected by their columns.",
    answer: [200, shapes.BuiltInPresets],
    handle: async () => presets.listBuiltIn(),
  }),
  defineRoute("POST /import-presets", {
    name: "importPresets.create",
    scope: "orders:write",
    summary: "Create an import preset",
    body: shapes.PresetRequest,
    answer: [201, shapes.ImportPreset],
    handle: (ctx, { body }) => presets.createPreset(ctx, body),
  }),
  defineRoute("GET /import-presets/:id", {
    name: "importPresets.get",
    scope: "orders:read",
    summary: "Get an import preset",
    ids,
    answer: [200, shapes.ImportPreset],
    handle: (ctx, { params }) => presets.getPreset(ctx, params.id),
  }),
  defineRoute("PATCH /import-presets/:id", {
    name: "importPresets.update",
    scope: "orders:write",
    summary: "Update an import preset",
    description: "`settings` is replaced as a whole.",
    ids,
    body: shapes.PresetPatch,
    answer: [200, shapes.ImportPreset],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => presets.updatePreset(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /import-presets/:id", {
    name: "importPresets.delete",
    scope: "orders:write",
    summary: "Delete an import preset",
    ids,
    answer: [200, Deleted],
    failures: [412],
    handle: (ctx, { params, ifMatch }) => presets.deletePreset(ctx, params.id, ifMatch),
  }),
];
