import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./automations.schemas.ts";
import * as automations from "./automations.ts";

const ids = { id: "automation" } as const;

export const automationRoutes = [
  defineRoute("GET /automations", {
    name: "automations.list",
    scope: "automations:read",
    summary: "List automations, newest first",
    query: shapes.AutomationQuery,
    answer: [200, PageOf(shapes.Automation)],
    handle: (ctx, { query }) => automations.listAutomations(ctx, query),
  }),
  defineRoute("POST /automations", {
    name: "automations.create",
    scope: "automations:write",
    summary: "Let a pipeline start by itself, on events or by the clock",
    description:
      "It begins with what happens from now on, in shadow unless told otherwise, and may do what its maker may. An " +
      "organization has at most 50.",
    body: shapes.AutomationRequest,
    answer: [201, shapes.Automation],
    failures: [409],
    handle: (ctx, { body }) => automations.createAutomation(ctx, body),
  }),
  defineRoute("GET /automations/:id", {
    name: "automations.get",
    scope: "automations:read",
    summary: "Read an automation",
    ids,
    answer: [200, shapes.Automation],
    handle: (ctx, { params }) => automations.getAutomation(ctx, params.id),
  }),
  defineRoute("PATCH /automations/:id", {
    name: "automations.update",
    scope: "automations:write",
    summary: "Change an automation",
    description: "Whoever changes more than name and description vouches for it: from then on it may do what they may.",
    ids,
    body: shapes.AutomationPatch,
    answer: [200, shapes.Automation],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => automations.updateAutomation(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /automations/:id", {
    name: "automations.delete",
    scope: "automations:write",
    summary: "Delete an automation; runs that it began stay",
    ids,
    answer: [200, Deleted],
    failures: [412],
    handle: (ctx, { params, ifMatch }) => automations.deleteAutomation(ctx, params.id, ifMatch),
  }),
  defineRoute("POST /automations/:id/pause", {
    name: "automations.pause",
    scope: "automations:write",
    summary: "Pause an automation",
    ids,
    answer: [200, shapes.ChangedAutomation],
    handle: (ctx, { params }) => automations.pauseAutomation(ctx, params.id),
  }),
  defineRoute("POST /automations/:id/resume", {
    name: "automations.resume",
    scope: "automations:write",
    summary: "Let a paused automation go on, with the rights of whoever resumes it",
    ids,
    body: shapes.ResumeRequest,
    bodyIsOptional: true,
    answer: [200, shapes.ChangedAutomation],
    failures: [409],
    handle: (ctx, { params, body }) => automations.resumeAutomation(ctx, params.id, body ?? {}),
  }),
  defineRoute("POST /automations/:id/test", {
    name: "automations.test",
    // Thousands of orders, whatever the body.
    heavyFromBytes: 0,
    scope: "automations:read",
    summary: "What an automation would do to the orders of past events, as they are now; changes nothing",
    ids,
    body: shapes.TestRequest,
    bodyIsOptional: true,
    answer: [200, shapes.TestReport],
    idempotency: "none",
    isReadOnly: true,
    handle: (ctx, { params, body }) => automations.testAutomation(ctx, params.id, body ?? {}),
  }),
  defineRoute("GET /automations/:id/firings", {
    name: "automations.firings.list",
    scope: "automations:read",
    summary: "List what an automation did: its runs and the preflights of its shadow, newest first",
    ids,
    query: shapes.FiringQuery,
    answer: [200, PageOf(shapes.Firing)],
    handle: (ctx, { params, query }) => automations.listFirings(ctx, params.id, query),
  }),
];
