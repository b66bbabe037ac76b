import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { Order } from "../orders/order.ts";
import { presentToConditions } from "../orders/order.ts";
import type { CustomerFigures } from "../orders/orders.ts";
import { customerFigurePaths, readCustomerFigures } from "../orders/orders.ts";
import type { StockDirectory } from "./stock-directory.ts";
import { noStock, readStock } from "./stock-directory.ts";
import { stockFactsOf } from "./stock-needs.ts";

/** What conditions and templates read besides the order. It is the same for all orders of a batch, so that evaluation stays pure. */
export type OrderFacts = {
  /** The hub's time, ISO. */
  now: string;
  /** By order ID; undefined if no condition or template asks for them. */
  customers?: ReadonlyMap<string, CustomerFigures> | undefined;
  /** Empty if no condition, template or action asks for it. */
  stock: StockDirectory;
};

/** A compiled condition on orders. */
export type OrderCondition = (order: Order, facts: OrderFacts) => boolean;

/** What the conditions and templates of a pipeline need. */
type Asking = { asksForCustomers?: boolean | undefined; asksForStock?: boolean | undefined };

/** Whether one of these paths, of conditions or templates, needs the figures of customers. */
export function asksForCustomers(paths: readonly string[]): boolean {
  return paths.some((path) => customerFigurePaths.includes(path));
}

export function asksForStock(paths: readonly string[]): boolean {
  return paths.some((path) => path.split(".")[0] === "stock");
}

/** Reads, once for a batch of orders, what the conditions and templates of these pipelines ask for. */
export async function readFacts(
  db: Queryable,
  { orgId, clock }: Pick<Ctx, "orgId" | "clock">,
  pipelines: readonly Asking[],
  orders: readonly Order[],
): Promise<OrderFacts> {
  const now = clock.now().toISOString();
  const needs = (what: keyof Asking): boolean => pipelines.some((pipeline) => pipeline[what]);
  const stock = needs("asksForStock") ? await readStock(db, orgId, orders) : noStock;
  if (!needs("asksForCustomers")) return { now, stock };
  const ids = orders.map(({ id }) => id);
  return { now, stock, customers: await readCustomerFigures(db, orgId, ids) };
}

/** The order as conditions and templates see it. */
export function presentWith(order: Order, { customers, stock }: OrderFacts): object {
  const presented = presentToConditions(order, customers?.get(order.id));
  return stock === noStock ? presented : { ...presented, stock: stockFactsOf(stock, order) };
}
