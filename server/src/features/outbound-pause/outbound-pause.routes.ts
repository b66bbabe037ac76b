import { defineRoute } from "../../route.ts";
import * as shapes from "./outbound-pause.schemas.ts";
import * as outbound from "./outbound-pause.ts";

export const outboundRoutes = [
  defineRoute("GET /outbound", {
    name: "outbound.get",
    scope: "any",
    summary: "Read whether the hub calls other systems, or is paused after a restore",
    answer: [200, shapes.Outbound],
    handle: async (ctx) => outbound.getOutbound(ctx),
  }),
  defineRoute("POST /outbound/resume", {
    name: "outbound.resume",
    scope: "organizations:write",
    stepUp: "if wanted",
    summary: "Let a restored hub call other systems again",
    answer: [200, shapes.Outbound],
    handle: (ctx) => outbound.resumeOutbound(ctx),
  }),
];
