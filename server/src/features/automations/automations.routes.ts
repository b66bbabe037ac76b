import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./automations.schemas.ts";
import * as automations from "./automations.ts";

const ids = { id: "automation" } as const;

export const automationRoutes = [
  defineRoute("GET /automations", {
    name: "automations.list",
    scope: "automations:read",
    summary: "List automations",
    query: shapes.AutomationQuery,
    answer: [200, PageOf(shapes.Automation)],
    handle: (ctx, { query }) => automations.listAutomations(ctx, query),
  }),
  defineRoute("POST /automations", {
    name: "automations.create",
    scope: "automations:write",
    summary: "Create an automation",
    description:
      "Starts with the events from now on, in mode `preflight` unless set otherwise, and runs with its owner's permissions. An organization has at most 50 automations.",
    body: shapes.AutomationRequest,
    answer: [201, shapes.Automation],
    failures: [409],
    handle: (ctx, { body }) => automations.createAutomation(ctx, body),
  }),
  defineRoute("GET /automations/:id", {
    name: "automations.get",
    scope: "automations:read",
    summary: "Get an automation",
    ids,
    answer: [200, shapes.Automation],
    handle: (ctx, { params }) => automations.getAutomation(ctx, params.id),
  }),
  defineRoute("PATCH /automations/:id", {
    name: "automations.update",
    scope: "automations:write",
    summary: "Update an automation",
    description:
      "A change to more than name and description makes the caller the owner: from then on the automation runs with their permissions.",
    ids,
    body: shapes.AutomationPatch,
    answer: [200, shapes.Automation],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => automations.updateAutomation(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /automations/:id", {
    name: "automations.delete",
    scope: "automations:write",
    summary: "Delete an automation",
    description: "Runs it started are kept.",
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
    summary: "Resume an automation",
    description: "The caller becomes the owner: the automation runs with their permissions.",
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
    offloadFromBytes: 0,
    scope: "automations:read",
    summary: "Test an automation on past events",
    description: "Evaluates the orders of past events as they are now. Nothing is written.",
    ids,
    body: shapes.TestRequest,
    bodyIsOptional: true,
    answer: [200, shapes.TestReport],
    idempotency: "none",
    isReadOnly: true,
    handle: (ctx, { params, body }) => automations.testAutomation(ctx, params.id, body ?? {}),
  }),
  defineRoute("GET /automations/:id/invocations", {
    name: "automations.invocations.list",
    scope: "automations:read",
    summary: "List the invocations of an automation",
    description: "Runs it started and preflights it made, newest first.",
    ids,
    query: shapes.InvocationQuery,
    answer: [200, PageOf(shapes.Invocation)],
    handle: (ctx, { params, query }) => automations.listInvocations(ctx, params.id, query),
  }),
];
