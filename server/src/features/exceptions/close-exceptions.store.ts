import type { Actor } from "../../core/actor.ts";
import type { Tx } from "../../db/database.ts";
import type { StoredException } from "./exception.ts";
import type { ReportedException } from "./exceptions.store.ts";
import { reported } from "./exceptions.store.ts";

/** By whom and how an exception is closed. */
export type Ending = {
  at: Date;
  by: Actor;
  status: "resolved" | "dismissed";
  resolution: StoredException["resolution"];
};

/** `held`: the open exceptions to close, as alias `x`; locked in the order of their keys. */
async function close(
  tx: Tx,
  held: string,
  values: unknown[],
  { at, by, status, resolution }: Ending,
): Promise<ReportedException[]> {
  const value = (given: unknown): string => `$${values.push(given)}`;
  return await tx.query<ReportedException>(
    `with held as (select x.id from ${held} order by x.dedup_key for update of x)
     update exceptions x set status = ${value(status)}, resolution = ${value(resolution)}, resolved_at = ${value(at)},
            resolved_by = ${value(by)}::jsonb
       from held where x.id = held.id returning ${reported}`,
    values,
  );
}

export async function closeByIds(tx: Tx, orgId: string, ids: string[], ending: Ending): Promise<ReportedException[]> {
  return await close(
    tx,
    "exceptions x where x.org_id = $1 and x.id = any($2::uuid[]) and x.status = 'open'",
    [orgId, ids],
    ending,
  );
}

/** Usually there are none: then one lookup in exceptions_unresolved is enough, for any number of keys or orders. */
const isAny = "(select exists (select from exceptions o where o.org_id = $1 and o.status <> 'resolved'))";

/** Also resolves dismissed exceptions, so that they are reopened when the problem returns. */
export async function closeByKeys(tx: Tx, orgId: string, keys: string[], ending: Ending): Promise<ReportedException[]> {
  return await close(
    tx,
    `exceptions x where ${isAny} and x.org_id = $1 and x.dedup_key = any($2::text[])
        and x.status <> 'resolved'`,
    [orgId, keys],
    ending,
  );
}

/** Current status and holds of an order. */
export type OrderState = { id: string; status: string; handles: string[] };

/** Resolves exceptions of orders whose hold was released, that were returned, or that are finished. */
export async function closeByOrders(
  tx: Tx,
  orgId: string,
  orders: OrderState[],
  ending: Ending,
): Promise<ReportedException[]> {
  return await close(
    tx,
    `jsonb_to_recordset($2::jsonb) as u (id uuid, status text, handles jsonb)
       join exceptions x on ${isAny} and x.org_id = $1 and x.order_id = u.id
      where x.status <> 'resolved' and (x.hold_handle is not null and not u.handles ? x.hold_handle
          or x.kind = 'import_conflict' and x.details #>> '{theirs,status}' = u.status
          or x.kind = 'recall' and u.status <> 'sent'
          or x.dedup_key like 'label:%' and u.status in ('shipped', 'delivered', 'cancelled')
          or x.dedup_key like 'shortage:%'
            and u.status in ('sent', 'partially_shipped', 'shipped', 'delivered', 'cancelled'))`,
    [orgId, JSON.stringify(orders)],
    ending,
  );
}
