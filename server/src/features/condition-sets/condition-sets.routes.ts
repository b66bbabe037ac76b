import { Type } from "../../core/type.ts";
import { Deleted, PageOf } from "../../core/schema.ts";
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
  defineRoute("GET /condition-sets", {
    name: "conditionSets.list",
    scope: "condition_sets:read",
    summary: "List condition sets",
    query: shapes.ConditionSetQuery,
    answer: [200, PageOf(shapes.ConditionSet)],
    handle: (ctx, { query }) => sets.listConditionSets(ctx, query),
  }),
  defineRoute("POST /condition-sets", {
    name: "conditionSets.create",
    scope: "condition_sets:write",
    summary: "Create a condition set",
    body: shapes.ConditionSetRequest,
    answer: [201, shapes.ConditionSet],
    failures: [409],
    handle: (ctx, { body }) => sets.createConditionSet(ctx, body),
  }),
  defineRoute("GET /condition-sets/:id", {
    name: "conditionSets.get",
    scope: "condition_sets:read",
    summary: "Get a condition set",
    ids,
    answer: [200, shapes.ConditionSet],
    handle: (ctx, { params }) => sets.getConditionSet(ctx, params.id),
  }),
  defineRoute("PATCH /condition-sets/:id", {
    name: "conditionSets.update",
    scope: "condition_sets:write",
    summary: "Update a condition set",
    description: "The name cannot change while rate cards or saved pipelines refer to the set.",
    ids,
    body: shapes.ConditionSetPatch,
    answer: [200, shapes.ConditionSet],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => sets.updateConditionSet(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /condition-sets/:id", {
    name: "conditionSets.delete",
    scope: "condition_sets:write",
    summary: "Delete an unused condition set",
    ids,
    answer: [200, Deleted],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => sets.deleteConditionSet(ctx, params.id, ifMatch),
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
