import type { Route } from "../route.ts";
import { createApiTools } from "./api-tools.ts";
import { ToolProblem } from "./route-call.ts";
import type { CallByName, ToolSpec } from "./route-tool.ts";
import { createRouteTool } from "./route-tool.ts";
import { operationTools } from "./operation-tools.ts";
import { pickFields } from "./shrink-answer.ts";
import type { Tool } from "./tool.ts";

/** Filters of orders that people ask for. The others are in the API. */
const orderFilterNames = [
  "search",
  "status",
  "statusNot",
  "tagsAny",
  "tagsAll",
  "tagsNone",
  "priority",
  "paymentStatus",
  "channel",
  "holdReason",
  "sku",
  "country",
  "carrier",
  "service",
  "locationId",
  "assigneeId",
  "orderedFrom",
  "orderedTo",
  "shipByFrom",
  "shipByTo",
  "totalMin",
  "totalMax",
  "lastRunFailed",
  "archived",
];

const orderSummary = [
  "id",
  "number",
  "status",
  "onHold",
  "holds",
  "paymentStatus",
  "priority",
  "tags",
  "channel",
  "customer",
  "total",
  "currency",
  "orderedAt",
  "shipBy",
];

const patchedFields = ["priority", "tags", "shipBy", "deliverBy", "customFields", "poNumber", "giftMessage"];

const recordTools: ToolSpec[] = [
  {
    route: "orders.list",
    description:
      "Lists orders by filters, newest first. Filters combine; several values of one filter are alternatives.",
    takes: [...orderFilterNames, "sort", "page", "limit"],
    keeps: orderSummary,
  },
  {
    route: "orders.get",
    description: "Gets one order by ID or number, with lines, holds, notes, shipments and totals.",
  },
  {
    route: "orders.count",
    description: "Counts the orders that match filters, by status. Use it before a change of many orders.",
    takes: orderFilterNames,
  },
  {
    route: "orders.timeline.list",
    description: "Lists what happened to an order, newest first: who changed what, and in which run.",
  },
  {
    route: "orders.update",
    description:
      "Changes fields of one order (merge patch: null removes, lists are replaced). Statuses, holds and shipping are changed by " +
      "actions: see operations_actions_list.",
    takes: ["id", ...patchedFields],
    keeps: [...orderSummary, ...patchedFields, "version"],
    preview: async (call, { id, ...patch }) => {
      const order = await call("orders.get", { id });
      const changes = Object.entries(patch).map(([field, to]) => ({ field, from: order[field] ?? null, to }));
      return {
        effect: { order: pickFields(order, ["id", "number", "status"]), changes },
        version: Number(order.version),
      };
    },
  },
  {
    route: "exceptions.list",
    description: "Lists open problems that need attention: rejected records, failed tasks, labels and pickups.",
    takes: ["kind", "code", "bridgeId", "orderId", "status", "from", "to", "page", "limit"],
    keeps: [
      "id",
      "kind",
      "code",
      "status",
      "message",
      "reason",
      "subject",
      "availableActions",
      "timesSeen",
      "lastSeenAt",
    ],
  },
  { route: "exceptions.get", description: "Gets one exception with the record it is about, its errors and actions." },
  {
    route: "exceptions.resolve",
    description: "Takes one of the availableActions of an exception, such as retry or dismiss.",
    takes: ["id", "action"],
    isDestructive: true,
    preview: async (call, { id, action }) => {
      const exception = await call("exceptions.get", { id });
      const about = ["id", "kind", "code", "status", "message", "subject", "availableActions"];
      const isTask = exception.kind === "execution" && action === "retry";
      const task = isTask ? { task: await describeTask(call, exception.executionId) } : {};
      return { effect: { action, exception: pickFields(exception, about), ...task } };
    },
  },
  {
    route: "shipments.list",
    description: "Lists shipments, newest first, with carrier, status and whether they are at risk.",
    takes: [
      "status",
      "carrier",
      "service",
      "orderId",
      "trackingNumber",
      "atRisk",
      "riskReason",
      "onTime",
      "createdFrom",
      "createdTo",
      "shippedFrom",
      "shippedTo",
      "page",
      "limit",
    ],
  },
  { route: "shipments.get", description: "Gets one shipment with its tracking events." },
  { route: "stock.list", description: "Lists stock levels by SKU and location." },
  { route: "search.list", description: "Finds records of any kind by number, tracking number, ID or name." },
  {
    route: "reports.attention.get",
    description:
      "What needs attention now: late orders, failing connections, exceptions, failed runs, shipments at risk.",
  },
];

/** How much a retry changes. Without the scope for executions, and for a task that does not name its orders, it is not known. */
async function describeTask(call: CallByName, id: unknown): Promise<Record<string, unknown>> {
  const unknown = { orders: "not known: an agent key cannot retry a task that does not name its orders" };
  try {
    const { taskName, input } = await call("tasks.executions.get", { id });
    const { orderIds } = (input ?? {}) as { orderIds?: unknown };
    return { taskName, ...(Array.isArray(orderIds) ? { orders: `at most ${orderIds.length}` } : unknown) };
  } catch (error) {
    if (!(error instanceof ToolProblem) || error.problem.code !== "insufficient_scope") throw error;
    return { orders: "not known without the scope tasks:read" };
  }
}

/** Clients show a few dozen tools at most, and each costs context. */
export const maxTools = 24;

/** All tools, for routes under this prefix. The same for all callers; `toolsFor` selects by scope. */
export function createTools(routes: readonly Route[], prefix: string): Tool[] {
  const byName = new Map(routes.map((route) => [route.name as string, route]));
  return [
    ...[...recordTools, ...operationTools].map((spec) => createRouteTool(spec, byName, prefix)),
    ...createApiTools(routes, prefix),
  ];
}
