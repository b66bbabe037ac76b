import { Type } from "../../core/type.ts";
import { PageOf } from "../../core/schema.ts";
import { crudRoutes } from "../../crud-routes.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./condition-sets.schemas.ts";
import * as sets from "./condition-sets.ts";

const ids = { id: "condition_set" } as const;
const largeBodyBytes = 16 * 1024 * 1024;

const removeValues = {
  scope: "condition_sets:write",
  ids,
  body: shapes.ValuesRequest,
  bodyLimitBytes: largeBodyBytes,
  answer: [200, shapes.ValuesRemoved],
} as const;

export const conditionSetRoutes = [
  ...crudRoutes("/condition-sets", {
    name: "conditionSets",
    kind: "condition_set",
    nouns: ["a condition set", "condition sets"],
    read: "condition_sets:read",
    write: "condition_sets:write",
    record: shapes.ConditionSet,
    list: { query: shapes.ConditionSetQuery, handle: sets.listConditionSets },
    create: { body: shapes.ConditionSetRequest, failures: [409], handle: sets.createConditionSet },
    get: { handle: sets.getConditionSet },
    update: {
      description: "The name cannot change while rate cards or saved pipelines refer to the set.",
      body: shapes.ConditionSetPatch,
      handle: sets.updateConditionSet,
    },
    delete: { summary: "Delete an unused condition set", failures: [409, 412], handle: sets.deleteConditionSet },
  }),
  defineRoute("GET /condition-sets/:id/values", {
    name: "conditionSets.values.list",
    scope: "condition_sets:read",
    summary: "List the values of a condition set",
    description: "In the order in which they were added.",
    ids,
    query: shapes.ValuesQuery,
    answer: [200, PageOf(Type.String())],
    handle: (ctx, { params, query }) => sets.listValues(ctx, params.id, query),
  }),
  defineRoute("POST /condition-sets/:id/values", {
    name: "conditionSets.values.add",
    scope: "condition_sets:write",
    summary: "Add values to a condition set",
    description: "Values that the set already has are counted in `alreadyPresent`.",
    ids,
    body: shapes.ValuesRequest,
    bodyLimitBytes: largeBodyBytes,
    answer: [200, shapes.ValuesAdded],
    handle: (ctx, { params, body }) => sets.addValues(ctx, params.id, body.values),
  }),
  defineRoute("DELETE /condition-sets/:id/values", {
    name: "conditionSets.values.delete",
    ...removeValues,
    summary: "Remove values from a condition set",
    handle: (ctx, { params, body }) => sets.removeValues(ctx, params.id, body.values),
  }),
  defineRoute("POST /condition-sets/:id/values/remove", {
    name: "conditionSets.values.remove",
    ...removeValues,
    summary: "Remove values (POST alternative to DELETE)",
    description: "For clients and proxies that cannot send a body with DELETE.",
    handle: (ctx, { params, body }) => sets.removeValues(ctx, params.id, body.values),
  }),
  defineRoute("DELETE /condition-sets/:id/values/all", {
    name: "conditionSets.values.clear",
    scope: "condition_sets:write",
    summary: "Remove all values from a condition set",
    ids,
    answer: [200, shapes.ValuesCleared],
    handle: (ctx, { params }) => sets.clearValues(ctx, params.id),
  }),
];
