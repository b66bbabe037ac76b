import { Type } from "../../core/type.ts";
import { Deleted } from "../../core/schema.ts";
import { defineRoute, xlsxType } from "../../route.ts";
import { exportMixCsv, exportMixXlsx } from "./export-mix.ts";
import * as mixes from "./rate-mix.ts";
import * as shapes from "./rate-mix.schemas.ts";
import * as scenarios from "./rate-scenarios.ts";
import { ScenarioRequest } from "./rate-targets.schemas.ts";

const ids = { id: "rate_comparison" } as const;
const scenarioIds = { ...ids, scenarioId: "rate_scenario" } as const;

/** Of comparisons with several contracts. */
export const rateMixRoutes = [
  defineRoute("GET /rate-comparisons/:id/mix", {
    name: "rateComparisons.mix.get",
    scope: "rates:read",
    summary: "Get the costs of all targets and their best mix",
    description:
      "For comparisons with `targets`. The summary of one target, with all breakdowns: `GET .../summary?target=2`. Rules, " +
      "other commitments and other terms: save a scenario.",
    ids,
    answer: [200, shapes.Mix],
    failures: [409],
    handle: (ctx, { params }) => mixes.getMix(ctx, params.id),
  }),
  defineRoute("GET /rate-comparisons/:id/mix.csv", {
    name: "rateComparisons.mix.csv.export",
    scope: "rates:read",
    summary: "Export the prices of all targets as CSV",
    ids,
    query: shapes.MixExportQuery,
    answer: [200, Type.String()],
    answerType: "text/csv",
    failures: [409],
    handle: (ctx, { params, query }) => exportMixCsv(ctx, params.id, query),
  }),
  defineRoute("GET /rate-comparisons/:id/mix.xlsx", {
    name: "rateComparisons.mix.xlsx.export",
    scope: "rates:read",
    summary: "Export costs and prices of all targets as XLSX",
    ids,
    query: shapes.MixExportQuery,
    answer: [200, Type.String({ format: "binary" })],
    answerType: xlsxType,
    failures: [409],
    handle: (ctx, { params, query }) => exportMixXlsx(ctx, params.id, query),
  }),
  defineRoute("GET /rate-comparisons/:id/scenarios", {
    name: "rateComparisons.scenarios.list",
    scope: "rates:read",
    summary: "List saved scenarios with their results",
    ids,
    answer: [200, shapes.Scenarios],
    handle: (ctx, { params }) => scenarios.listScenarios(ctx, params.id),
  }),
  defineRoute("POST /rate-comparisons/:id/scenarios", {
    name: "rateComparisons.scenarios.create",
    scope: "rates:write",
    summary: "Price and save a scenario",
    description:
      "Other terms of the contracts, a mix by rules, and volume commitments. All parcels are priced before the response: about a " +
      "second for 50,000 prices.",
    ids,
    body: ScenarioRequest,
    answer: [201, shapes.Scenario],
    failures: [409],
    handle: (ctx, { params, body }) => scenarios.createScenario(ctx, params.id, body),
  }),
  defineRoute("GET /rate-comparisons/:id/scenarios/:scenarioId", {
    name: "rateComparisons.scenarios.get",
    scope: "rates:read",
    summary: "Get a scenario with its result",
    ids: scenarioIds,
    answer: [200, shapes.Scenario],
    handle: (ctx, { params }) => scenarios.getScenario(ctx, params.id, params.scenarioId),
  }),
  defineRoute("POST /rate-comparisons/:id/scenarios/:scenarioId/run", {
    name: "rateComparisons.scenarios.run",
    scope: "rates:write",
    summary: "Price a scenario again",
    description: "After the comparison was processed again.",
    ids: scenarioIds,
    answer: [200, shapes.Scenario],
    failures: [409],
    handle: (ctx, { params }) => scenarios.runScenario(ctx, params.id, params.scenarioId),
  }),
  defineRoute("DELETE /rate-comparisons/:id/scenarios/:scenarioId", {
    name: "rateComparisons.scenarios.delete",
    scope: "rates:write",
    summary: "Delete a scenario",
    ids: scenarioIds,
    answer: [200, Deleted],
    handle: (ctx, { params }) => scenarios.deleteScenario(ctx, params.id, params.scenarioId),
  }),
];
