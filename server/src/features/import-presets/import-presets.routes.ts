import { crudRoutes } from "../../crud-routes.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./import-presets.schemas.ts";
import * as presets from "./import-presets.ts";

export const importPresetRoutes = crudRoutes("/import-presets", {
  name: "importPresets",
  kind: "import_preset",
  nouns: ["an import preset", "import presets"],
  read: "orders:read",
  write: "orders:write",
  record: shapes.ImportPreset,
  list: { query: shapes.PresetQuery, handle: presets.listPresets },
  create: { body: shapes.PresetRequest, handle: presets.createPreset },
  more: [
    defineRoute("GET /import-presets/built-in", {
      name: "importPresets.builtIn.list",
      scope: "orders:read",
      summary: "List built-in import presets",
      description: "Programs whose order files are detected by their columns.",
      answer: [200, shapes.BuiltInPresets],
      handle: async () => presets.listBuiltIn(),
    }),
  ],
  get: { handle: presets.getPreset },
  update: {
    description: "`settings` is replaced as a whole.",
    body: shapes.PresetPatch,
    handle: presets.updatePreset,
  },
  delete: { handle: presets.deletePreset },
});
