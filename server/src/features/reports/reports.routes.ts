import { defineRoute } from "../../route.ts";
import * as shapes from "./reports.schemas.ts";
import * as reports from "./reports.ts";

const days = "Days are those of the organization. `previous` is the window of the same length before.";

export const reportRoutes = [
  defineRoute("GET /reports/attention", {
    name: "reports.attention.get",
    scope: "any",
    summary: "Get what needs attention",
    description:
      "Late orders, failing bridges, exceptions, failed runs, shipments at risk and paused automations, most severe first. Each is " +
      "included if the caller may read the list that it counts.",
    answer: [200, shapes.Attention],
    handle: (ctx) => reports.readAttention(ctx),
  }),
  defineRoute("GET /reports/today", {
    name: "reports.today.get",
    scope: "orders:read",
    summary: "Get today's shipping against cut-off times",
    answer: [200, shapes.ShipToday],
    handle: (ctx) => reports.readShipToday(ctx),
  }),
  defineRoute("GET /reports/volume", {
    name: "reports.volume.get",
    scope: "orders:read",
    summary: "Get orders received and shipments per day",
    description:
      `${days} \`received\`: orders by order date, archived ones included. \`shipped\`: shipments by ship date, without cancelled ` +
      "ones.",
    query: shapes.ReportQuery,
    answer: [200, shapes.VolumeReport],
    handle: (ctx, { query }) => reports.readVolumeReport(ctx, query),
  }),
  defineRoute("GET /reports/deliveries", {
    name: "reports.deliveries.get",
    scope: "shipments:read",
    summary: "Get deliveries and on-time figures by group",
    description:
      `${days} The definitions are those of \`GET /v1/overview\`; the rows and \`others\` add up to \`totals\`. \`GET /shipments\` lists ` +
      "them, with the same filters: `delivered` with `status=delivered`, `deliveredFrom` and `deliveredTo`; `onTime` and `late` with `onTime`, " +
      "`evaluatedFrom` and `evaluatedTo`; `leftOut` with `leftOut` and the same days; `atRisk` with `atRisk`, by day with `atRiskFrom` and " +
      "`atRiskTo`.",
    query: shapes.DeliveryQuery,
    answer: [200, shapes.DeliveryReport],
    handle: (ctx, { query }) => reports.readDeliveryReport(ctx, query),
  }),
  defineRoute("GET /reports/exceptions", {
    name: "reports.exceptions.get",
    scope: "exceptions:read",
    summary: "Get exceptions by cause",
    description: `${days} Exceptions are deleted some time after they were closed.`,
    query: shapes.ReportQuery,
    answer: [200, shapes.ExceptionReport],
    handle: (ctx, { query }) => reports.readExceptionReport(ctx, query),
  }),
  defineRoute("GET /reports/people", {
    name: "reports.people.get",
    scope: "operations:read",
    summary: "Get runs by person",
    description: `${days} By the user or API key that started the run; runs of automations are left out.`,
    query: shapes.ReportQuery,
    answer: [200, shapes.PeopleReport],
    handle: (ctx, { query }) => reports.readPeopleReport(ctx, query),
  }),
  defineRoute("GET /reports/labels", {
    name: "reports.labels.get",
    scope: "shipments:read",
    summary: "Get label costs by carrier",
    description:
      `${days} Purchased labels by the day of the request, without voided ones. \`GET /shipments/labels\` lists them with ` +
      "`status=purchased`, `carrier`, `createdFrom` and `createdTo`.",
    query: shapes.ReportQuery,
    answer: [200, shapes.LabelReport],
    handle: (ctx, { query }) => reports.readLabelReport(ctx, query),
  }),
];
