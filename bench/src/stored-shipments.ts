import type pg from "pg";

const perStatement = 50_000;

/**
 * Realistic shipments, generated in the database. The first 3,000 are in transit, 300 of them at risk: that number follows from
 * daily volume, not from history. All others were delivered within the last year. The hub's aggregates are computed from them.
 */
export async function storeShipments(db: pg.Client, orgId: string, count: number): Promise<void> {
  const { rows } = await db.query<{ name: string; definition: string }>(
    "select indexname as name, indexdef as definition from pg_indexes where tablename = 'shipments' and indexname <> 'shipments_pkey'",
  );
  // Creating the indexes once at the end takes a fraction of the time.
  for (const { name } of rows) await db.query(`drop index ${name}`);
  await db.query("set session_replication_role = replica");
  for (let from = 0; from < count; from += perStatement) {
    await db.query(insertSql, [orgId, from + 1, Math.min(from + perStatement, count)]);
  }
  await db.query("set session_replication_role = default");
  for (const { definition } of rows) await db.query(definition);
  await db.query(countsSql);
  await db.query(sumsSql);
  await db.query(daySumsSql);
  await db.query("vacuum (analyze) shipments");
}

const insertSql = `
  insert into shipments (id, org_id, order_number, source, carrier, service, tracking_number, carrier_key, tracking_key, order_key,
    destination, timezone, cost_cents, currency, metadata, shipped_at, promised_date, promise_source, promise_ends_at, events,
    status, status_at, accepted_at, first_attempt_at, delivered_at, last_event_at, late_at, stalled_at, is_predicted_late, risk_at,
    track_at, created_at, updated_at)
  select gen_random_uuid(), $1::uuid, 'B-' || n, 'api', carrier, 'ground', 'TR' || n * 7, carrier, 'TR' || n * 7, 'B-' || n,
    '{"city":"Albany","zip":"12207","countryCode":"US"}', 'UTC', 1140, 'USD', '{}', at, (at + interval '5 days')::date, 'given',
    promise_ends,
    jsonb_build_array(jsonb_build_object('key', 'a', 'at', at, 'status', 'picked_up'), jsonb_build_object('key', 'b', 'at', heard, 'status', status)),
    status, heard, at, case when is_open then null else heard end, case when is_open then null else heard end, heard,
    case when is_open then promise_ends end, case when is_open then heard + interval '48 hours' end, false,
    case when is_open then least(promise_ends, heard + interval '48 hours') end, case when is_open then at end, at, heard
  from generate_series($2::int, $3::int) as n,
    lateral (select n <= 3000 as is_open, n <= 300 as is_risky, (array['ups','fedex','usps','dhl'])[1 + n % 4] as carrier) as k,
    lateral (select case when is_open then now() - (case when is_risky then 9 else 1 end) * interval '1 day' - n % 500 * interval '1 minute'
        else now() - interval '6 days' - (n * 7919::bigint % 30000000) * interval '1 second' end as at) as t,
    lateral (select case when is_open then 'in_transit' else 'delivered' end as status,
        at + case when is_open then interval '1 hour' else (2 + n % 5) * interval '1 day' end as heard,
        ((at + interval '5 days')::date + 1)::timestamptz as promise_ends) as d`;

const countsSql = `
  insert into shipment_counts (org_id, status, count) select org_id, status, count(*) from shipments group by org_id, status`;

const sumsSql = `
  insert into shipment_sums (org_id, quarter, delivered, transit_count, transit_ms, evaluated, on_time)
  select org_id, date_bin('15 minutes', delivered_at, 'epoch'), count(*), count(*),
         sum(extract(epoch from delivered_at - accepted_at) * 1000)::bigint, count(*), count(*) filter (where delivered_at < promise_ends_at)
    from shipments where delivered_at is not null group by 1, 2`;

const daySumsSql = `
  insert into shipment_day_sums (org_id, day, delivered, transit_count, transit_ms, evaluated, on_time)
  select org_id, date_bin('1 day', quarter, 'epoch'), sum(delivered), sum(transit_count), sum(transit_ms), sum(evaluated), sum(on_time)
    from shipment_sums group by 1, 2`;
