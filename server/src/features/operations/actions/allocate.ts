import { Type } from "../../../core/type.ts";
import { Id, OneOf, Strict } from "../../../core/schema.ts";
import { beforeSending, priorities } from "../../orders/orders.states.ts";
import type { Order } from "../../orders/order.ts";
import { defineAction } from "../action.ts";
import { openLedger } from "../stock-needs.ts";
import { allocateOrder } from "./allocate-order.ts";

const maxLocations = 100;

export const allocate = defineAction({
  type: "allocate",
  title: "Allocate stock",
  group: "routing",
  description:
    "Assigns the location that has all items in stock and reserves them there. Orders of the run with a higher priority come first, " +
    "then those ordered earlier. An order that no location can fulfil fails with `out_of_stock` and opens an exception.",
  params: Strict({
    strategy: Type.Optional(
      OneOf(["priority", "nearest", "most_stock"], {
        default: "priority",
        description:
          "Which location to choose if several have everything. priority: the first of location_ids. nearest: the nearest to the " +
          "shipping address. most_stock: the one with the most units of these SKUs. The order keeps a location that has everything",
      }),
    ),
    location_ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: maxLocations,
        description:
          "Locations to choose from, the preferred ones first. Default: all active ones, the default location first",
      }),
    ),
    allow_split: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Split the order if no single location has everything, but several have it together",
      }),
    ),
    allow_untracked: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Treat SKUs without a stock level at any location as available everywhere",
      }),
    ),
  }),
  example: { strategy: "nearest", allow_split: true },
  statuses: beforeSending,
  readsStock: true,
  isUndonePerOrder: true,
  refers: ({ location_ids: ids = [] }) =>
    ids.map((id, index) => ({ kind: "location", id, param: `location_ids/${index}` })),
  applyToAll(orders, params, env) {
    const ledger = openLedger(env.stock, orders);
    const holdsStock = (order: Order): boolean => env.stock.reservedFor(order.id).length > 0;
    const sorted = orders.toSorted(
      // An order that has its units keeps them, whatever else is in the run.
      (a, b) =>
        Number(holdsStock(b)) - Number(holdsStock(a)) ||
        priorities.indexOf(b.priority) - priorities.indexOf(a.priority) ||
        compareTexts(a.orderedAt, b.orderedAt) ||
        compareTexts(a.id, b.id),
    );
    const outcomes = new Map(sorted.map((order) => [order, allocateOrder(order, params, ledger, env)]));
    return orders.map((order) => outcomes.get(order)!);
  },
});

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
