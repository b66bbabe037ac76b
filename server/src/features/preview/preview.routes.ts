import { defineRoute } from "../../route.ts";
import * as shapes from "./preview.schemas.ts";
import * as preview from "./preview.ts";

export const previewRoutes = [
  defineRoute("GET /preview/clock", {
    name: "preview.clock.get",
    scope: "any",
    summary: "Get the preview clock",
    previewOnly: true,
    answer: [200, shapes.PreviewClock],
    handle: async (ctx) => preview.readClock(ctx),
  }),
  defineRoute("POST /preview/clock", {
    name: "preview.clock.set",
    scope: "preview:write",
    summary: "Set, advance, freeze or reset the preview clock",
    previewOnly: true,
    body: shapes.ClockRequest,
    answer: [200, shapes.PreviewClock],
    handle: (ctx, { body }) => preview.setClock(ctx, body),
  }),
  defineRoute("POST /preview/reset", {
    name: "preview.reset",
    scope: "preview:write",
    summary: "Reset preview data",
    description: "Deletes all preview data except organizations, users and API keys, and loads the demo data again.",
    previewOnly: true,
    answer: [200, shapes.PreviewReset],
    handle: (ctx) => preview.resetPreview(ctx),
  }),
];
