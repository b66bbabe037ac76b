import { callerKey } from "../../core/actor.ts";
import { HubError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";
import { getOrder, listOrders } from "../orders/orders.ts";
import type { Hit, Kind, SearchQuery } from "./search.schemas.ts";
import { kinds } from "./search.schemas.ts";
import { findHits, hitsPerKind } from "./search.store.ts";

/** Callers find only records that they may read. */
const scopeOf: Record<Kind, Scope> = {
  order: "orders:read",
  shipment: "shipments:read",
  operation_run: "operations:read",
  pipeline: "operations:read",
  automation: "automations:read",
  execution: "tasks:read",
  bridge: "bridges:read",
  schedule: "schedules:read",
  transformation: "transformations:read",
  condition_set: "condition_sets:read",
  location: "locations:read",
  carrier_account: "carrier_accounts:read",
  rate_comparison: "rates:read",
  invoice: "invoices:read",
  pickup: "pickups:read",
  webhook: "webhooks:read",
  user: "admin",
};

export async function search(ctx: Ctx, { q }: SearchQuery): Promise<{ data: Hit[] }> {
  const readable = kinds.filter((kind) => hasScope(ctx.principal.scopes, scopeOf[kind]));
  const otherKinds = readable.filter((kind) => kind !== "order");
  const [orders, found] = await Promise.all([
    readable.includes("order") ? findOrders(ctx, q) : [],
    findHits(ctx.db, ctx.orgId, callerKey(ctx.actor), q, otherKinds),
  ]);
  return { data: [...orders, ...found] };
}

/** The order with exactly this number or ID first, even if archived, then the results of the order list. */
async function findOrders(ctx: Ctx, q: string): Promise<Hit[]> {
  const query = { page: 1, limit: hitsPerKind, search: q } as const;
  const [exact, listed] = await Promise.all([
    orUndefined(getOrder(ctx, q.trim())),
    orUndefined(listOrders(ctx, query).then(({ data }) => data)),
  ]);
  const all = [...(exact ? [exact] : []), ...(listed ?? []).filter(({ id }) => id !== exact?.id)];
  return all
    .slice(0, hitsPerKind)
    .map(({ id, number, status }) => ({ kind: "order", id, title: number, detail: status }));
}

/** Not found and not searchable are the same to a user who is typing. */
async function orUndefined<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof HubError && error.status < 500) return undefined;
    throw error;
  }
}
