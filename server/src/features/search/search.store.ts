import { isUuid } from "../../core/ids.ts";
import type { Queryable } from "../../db/database.ts";
import { trackingKeyOf } from "../shipments/shipments.ts";
import type { Hit, Kind } from "./search.schemas.ts";

/** Orders are searched by `listOrders`. */
type TableKind = Exclude<Kind, "order">;

/** $1 organization, $2 id or null, $3 pattern for names, $4 to $7 range of tracking keys, $5 caller, $6 search text. */
const statements: Record<TableKind, string> = {
  shipment: `select id, coalesce(tracking_number, id::text) as title, status as detail from shipments
    where org_id = $1 and (id = $2 or tracking_key >= $4 and tracking_key < $7)`,
  operation_run: `select id, id::text as title, status as detail from operation_runs where org_id = $1 and id = $2`,
  pipeline: `select id, name as title, description as detail from operation_pipelines
    where org_id = $1 and (is_shared or owner = $5) and (id = $2 or name ilike $3)`,
  automation: `select id, name as title, description as detail from automations
    where org_id = $1 and (id = $2 or name ilike $3)`,
  execution: `select id, task_name as title, status as detail from task_executions where org_id = $1 and id = $2`,
  bridge: `select id, name as title, connector as detail from bridges
    where org_id = $1 and deleted_at is null and (id = $2 or name ilike $3)`,
  schedule: `select id, coalesce(name, task_name) as title, cron as detail from schedules
    where org_id = $1 and (id = $2 or coalesce(name, task_name) ilike $3)`,
  transformation: `select id, name as title, task_name as detail from transformations
    where org_id = $1 and (id = $2 or name ilike $3)`,
  condition_set: `select id, name as title, description as detail from condition_sets
    where org_id = $1 and (id = $2 or name ilike $3)`,
  location: `select id, name as title, type as detail from locations where org_id = $1 and (id = $2 or name ilike $3)`,
  carrier_account: `select id, name as title, carrier as detail from carrier_accounts
    where org_id = $1 and (id = $2 or name ilike $3)`,
  rate_comparison: `select id, name as title, status as detail from rate_comparisons
    where org_id = $1 and (id = $2 or name ilike $3)`,
  invoice: `select id, number as title, carrier as detail from invoices
    where org_id = $1 and (id = $2 or number ilike $3)`,
  pickup: `select id, coalesce(confirmation_number, id::text) as title, status as detail from pickups
    where org_id = $1 and (id = $2 or lower(confirmation_number) = lower($6))`,
  webhook: `select id, url as title, status as detail from webhooks
    where org_id = $1 and (id = $2 or url ilike $3 or description ilike $3)`,
  user: `select id, name as title, email as detail from users where org_id = $1 and (id = $2 or name ilike $3 or email ilike $3)`,
};

export const hitsPerKind = 5;

const minPrefixLength = 4;

/** One statement for all kinds; each part reads an index of its table that begins with `org_id`. */
export async function findHits(
  db: Queryable,
  orgId: string,
  caller: string,
  q: string,
  kinds: readonly TableKind[],
): Promise<Hit[]> {
  if (kinds.length === 0) return [];
  const text = q.trim();
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const key = trackingKeyOf(text);
  // A prefix is a range of keys. Short texts must match exactly, since too many keys begin with them.
  const keyEnd = key + (key.length < minPrefixLength ? "\u0001" : "\uffff");
  const values = [orgId, isUuid(text) ? text : null, pattern, key, caller, text, keyEnd];
  const selects = kinds.map(
    (kind, position) =>
      `(select ${position} as position, '${kind}' as kind, found.* from (${statements[kind]}) found limit ${hitsPerKind})`,
  );
  return await db.query<Hit>(
    // The unused CTE gives each parameter a type, whichever kinds are searched.
    `with parameters as (select $1::uuid, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text)
     select kind, id, title, nullif(detail, '') as detail
       from (${selects.join(" union all ")}) hits
      order by position, title, id`,
    values,
  );
}
