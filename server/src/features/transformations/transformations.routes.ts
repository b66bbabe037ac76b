import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as tests from "./test-transformation.ts";
import * as shapes from "./transformations.schemas.ts";
import * as transformations from "./transformations.ts";

const ids = { id: "transformation" } as const;

export const transformationRoutes = [
  defineRoute("GET /transformations", {
    scope: "transformations:read",
    summary: "List transformations",
    query: shapes.TransformationQuery,
    answer: [200, PageOf(shapes.Transformation)],
    handle: (ctx, { query }) => transformations.listTransformations(ctx, query),
  }),
  defineRoute("POST /transformations", {
    scope: "transformations:write",
    summary: "Create a transformation; at most one is active for a bridge, task and direction",
    query: shapes.ReplaceQuery,
    body: shapes.TransformationRequest,
    answer: [201, shapes.Transformation],
    failures: [404, 409],
    handle: (ctx, { body, query }) => transformations.createTransformation(ctx, body, query.replace ?? false),
  }),
  defineRoute("GET /transformations/transforms", {
    scope: "transformations:read",
    summary: "List the transforms that mappings can use, each with its parameters and an example",
    answer: [200, shapes.TransformCatalog],
    handle: async () => tests.listTransforms(),
  }),
  defineRoute("POST /transformations/test", {
    heavyFromBytes: 0,
    scope: "transformations:read",
    summary: "Try mappings on sample data without saving them; answers 200 also when they fail, with the reasons",
    body: shapes.TestRequest,
    bodyLimitBytes: shapes.maxSampleBytes,
    onlyLooks: true,
    answer: [200, shapes.TestResult],
    handle: (ctx, { body }) => tests.testMappings(ctx, body),
  }),
  defineRoute("POST /transformations/suggest", {
    heavyFromBytes: 0,
    scope: "transformations:read",
    summary: "Draft mappings from an example of what comes in and one of what should come out",
    body: shapes.SuggestRequest,
    bodyLimitBytes: shapes.maxSampleBytes,
    onlyLooks: true,
    answer: [200, shapes.SuggestAnswer],
    handle: async (_ctx, { body }) => tests.suggest(body),
  }),
  defineRoute("GET /transformations/:id", {
    scope: "transformations:read",
    summary: "Read a transformation",
    ids,
    answer: [200, shapes.Transformation],
    handle: (ctx, { params }) => transformations.getTransformation(ctx, params.id),
  }),
  defineRoute("PATCH /transformations/:id", {
    scope: "transformations:write",
    summary: "Change a transformation; the version before is kept",
    ids,
    query: shapes.ReplaceQuery,
    body: shapes.TransformationPatch,
    answer: [200, shapes.Transformation],
    failures: [409, 412],
    handle: (ctx, { params, body, query, ifMatch }) =>
      transformations.updateTransformation(ctx, params.id, body, { ifMatch, replace: query.replace ?? false }),
  }),
  defineRoute("DELETE /transformations/:id", {
    scope: "transformations:write",
    summary: "Delete a transformation and its versions",
    ids,
    answer: [200, Deleted],
    failures: [412],
    handle: (ctx, { params, ifMatch }) => transformations.deleteTransformation(ctx, params.id, ifMatch),
  }),
  defineRoute("POST /transformations/:id/test", {
    heavyFromBytes: 0,
    scope: "transformations:read",
    summary: "Try a saved transformation on sample data; answers 200 also when it fails, with the reasons",
    ids,
    body: shapes.SavedTestRequest,
    bodyLimitBytes: shapes.maxSampleBytes,
    onlyLooks: true,
    answer: [200, shapes.TestResult],
    handle: (ctx, { params, body }) => tests.testTransformation(ctx, params.id, body),
  }),
  defineRoute("GET /transformations/:id/versions", {
    scope: "transformations:read",
    summary: "List all versions of a transformation, newest first",
    ids,
    query: shapes.VersionsQuery,
    answer: [200, PageOf(shapes.TransformationVersion)],
    handle: (ctx, { params, query }) => transformations.listVersions(ctx, params.id, query),
  }),
  defineRoute("POST /transformations/:id/rollback", {
    scope: "transformations:write",
    summary: "Make the mappings of an earlier version those of a new one",
    ids,
    body: shapes.RollbackRequest,
    answer: [200, shapes.Transformation],
    failures: [412],
    handle: (ctx, { params, body, ifMatch }) => transformations.rollBack(ctx, params.id, body, ifMatch),
  }),
];
