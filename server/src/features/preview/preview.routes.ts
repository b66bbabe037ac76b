import { defineRoute } from "../../route.ts";
import * as shapes from "./preview.schemas.ts";
import * as preview from "./preview.ts";

export const previewRoutes = [
  defineRoute("GET /preview/clock", {
    name: "preview.clock.get",
    scope: "any",
    summary: "Read the clock of the preview surface",
    previewOnly: true,
    answer: [200, shapes.ClockAnswer],
    handle: async (ctx) => preview.readClock(ctx),
  }),
  defineRoute("POST /preview/clock", {
    name: "preview.clock.set",
    scope: "preview:write",
    summary: "Set, advance, freeze or reset the clock of the preview surface",
    previewOnly: true,
    body: shapes.ClockRequest,
    answer: [200, shapes.ClockAnswer],
    handle: (ctx, { body }) => preview.setClock(ctx, body),
  }),
  defineRoute("POST /preview/reset", {
    name: "preview.reset",
    scope: "preview:write",
    summary: "Empty the preview surface; people and keys stay",
    previewOnly: true,
    answer: [200, shapes.ResetAnswer],
    handle: (ctx) => preview.resetPreview(ctx),
  }),
];
