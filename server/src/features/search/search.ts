import { callerKey } from "../../core/actor.ts";
import { HubError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";
import { getOrder, listOrders } from "../orders/orders.ts";
import type { Hit, Kind, SearchQuery } from "./search.schemas.ts";
import { kinds } from "./search.schemas.ts";
import { findHits, hitsOfEach } from "./search.store.ts";

/** What one may read is what one may find. */
const scopeOf: Record<Kind, Scope> = {
  order: "orders:read",
  shipment: "shipments:read",
  operation_run: "operations:read",
  pipeline: "operations:read",
  execution: "tasks:read",
  bridge: "bridges:read",
  schedule: "schedules:read",
  transformation: "transformations:read",
  condition_set: "condition_sets:read",
  location: "locations:read",
  carrier_account: "carrier_accounts:read",
  rate_comparison: "rates:read",
  pickup: "pickups:read",
  user: "admin",
};

/** For those who know a number, an id or a name, and not where it belongs. */
export async function search(ctx: Ctx, { q }: SearchQuery): Promise<{ data: Hit[] }> {
  const wanted = kinds.filter((kind) => hasScope(ctx.principal.scopes, scopeOf[kind]));
  const others = wanted.filter((kind) => kind !== "order");
  const [orders, found] = await Promise.all([
    wanted.includes("order") ? findOrders(ctx, q) : [],
    findHits(ctx.db, ctx.orgId, callerKey(ctx.actor), q, others),
  ]);
  return { data: [...orders, ...found] };
}

/** The one with this very number or id first, archived or not; then what the list would find. */
async function findOrders(ctx: Ctx, q: string): Promise<Hit[]> {
  const query = { page: 1, limit: hitsOfEach, search: q } as const;
  const [named, listed] = await Promise.all([
    orNothing(getOrder(ctx, q.trim())),
    orNothing(listOrders(ctx, query).then(({ data }) => data)),
  ]);
  const all = [...(named ? [named] : []), ...(listed ?? []).filter(({ id }) => id !== named?.id)];
  return all
    .slice(0, hitsOfEach)
    .map(({ id, number, status }) => ({ kind: "order", id, title: number, detail: status }));
}

/** There is none, or words that cannot be searched for: for whoever types, that is the same. */
async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HubError && error.status < 500) return undefined;
    throw error;
  }
}
