import { PageOf } from "../../core/schema.ts";
import { crudRoutes } from "../../crud-routes.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./automations.schemas.ts";
import * as automations from "./automations.ts";

const ids = { id: "automation" } as const;

export const automationRoutes = [
  ...crudRoutes("/automations", {
    name: "automations",
    kind: "automation",
    nouns: ["an automation", "automations"],
    read: "automations:read",
    write: "automations:write",
    record: shapes.Automation,
    list: { query: shapes.AutomationQuery, handle: automations.listAutomations },
    create: {
      description:
        "Starts with the events from now on, in mode `preflight` unless set otherwise, and runs with its owner's permissions. An organization has at most 50 automations.",
      body: shapes.AutomationRequest,
      failures: [409],
      handle: automations.createAutomation,
    },
    more: [
      defineRoute("PUT /automations/order", {
        name: "automations.order.replace",
        scope: "automations:write",
        summary: "Set the order of all automations",
        description: "Automations on the same event run in this order. `position` in a PATCH moves one of them.",
        body: shapes.AutomationOrder,
        answer: [200, shapes.OrderedAutomations],
        handle: (ctx, { body }) => automations.orderAutomations(ctx, body),
      }),
    ],
    get: { handle: automations.getAutomation },
    update: {
      description:
        "A change to more than name, description and position makes the caller the owner: from then on the automation runs with their permissions. `pipeline_id`, `branches` or `task` replaces what the automation had of them. A new trigger or wait removes its waiting orders.",
      body: shapes.AutomationPatch,
      handle: automations.updateAutomation,
    },
    delete: { description: "Runs it started are kept.", handle: automations.deleteAutomation },
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
    description: "Evaluates the orders of past events as they are now, without waits. Nothing is written.",
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
    description: "Runs and tasks it started and preflights it made, newest first.",
    ids,
    query: shapes.InvocationQuery,
    answer: [200, PageOf(shapes.Invocation)],
    handle: (ctx, { params, query }) => automations.listInvocations(ctx, params.id, query),
  }),
  defineRoute("GET /automations/:id/waiting", {
    name: "automations.waiting.list",
    scope: "automations:read",
    summary: "List the orders that wait for an automation",
    description: "The next to be checked first.",
    ids,
    query: shapes.WaitingQuery,
    answer: [200, PageOf(shapes.WaitingOrder)],
    handle: (ctx, { params, query }) => automations.listWaiting(ctx, params.id, query),
  }),
];
