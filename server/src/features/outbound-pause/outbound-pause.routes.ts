import { defineRoute } from "../../route.ts";
import * as shapes from "./outbound-pause.schemas.ts";
import * as outbound from "./outbound-pause.ts";

export const outboundRoutes = [
  defineRoute("GET /outbound", {
    name: "outbound.get",
    scope: "any",
    summary: "Get whether outbound requests are paused",
    answer: [200, shapes.Outbound],
    handle: async (ctx) => outbound.getOutbound(ctx),
  }),
  defineRoute("POST /outbound/resume", {
    name: "outbound.resume",
    scope: "organizations:write",
    stepUp: "if required",
    summary: "Resume outbound requests after a restore",
    answer: [200, shapes.Outbound],
    handle: (ctx) => outbound.resumeOutbound(ctx),
  }),
];
