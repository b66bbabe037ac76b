import type pg from "pg";

const perStatement = 50_000;

/** Believable orders, made by the database itself: a million through the API would take longer than the bench. */
export async function storeOrders(db: pg.Client, orgId: string, count: number): Promise<void> {
  const { rows } = await db.query<{ n: number }>("select count(*)::int as n from orders where org_id = $1", [orgId]);
  let from = rows[0]!.n;
  const until = from + count;
  await db.query("set session_replication_role = replica");
  while (from < until) {
    const to = Math.min(from + perStatement, until);
    await db.query(insertSql, [orgId, from + 1, to]);
    await db.query(tagSql, [orgId, from + 1, to]);
    from = to;
  }
  await db.query("set session_replication_role = default");
  await db.query("vacuum (analyze) orders");
}

const insertSql = `
  insert into orders (id, org_id, number, status, payment_status, priority, on_hold, holds, tags, channel, customer, shipping_address,
    address_status, lines, currency, total_cents, shipping, packages, shipments, notes, custom_fields, ordered_at, ship_by,
    created_at, updated_at, search)
  select gen_random_uuid(), $1::uuid, 'B-' || n,
    (array['new','ready','ready','ready','sent','awaiting_payment','review_required'])[1 + n % 7],
    (array['paid','paid','paid','pending'])[1 + n % 4], 1, false, '[]', case when n % 20 = 0 then array['vip'] else '{}' end,
    (array['web','market'])[1 + n % 2],
    jsonb_build_object('name', first || ' ' || last, 'email', lower(first || '.' || last || n || '@mail.example')),
    jsonb_build_object('name', first || ' ' || last, 'address1', n % 999 || ' Main Street', 'city', city, 'provinceCode', 'NY',
      'zip', lpad((10000 + n % 80000)::text, 5, '0'), 'countryCode', 'US'),
    'unverified',
    jsonb_build_array(
      jsonb_build_object('id', gen_random_uuid(), 'sku', 'SKU-' || n % 5000, 'name', 'Thing ' || n % 5000, 'quantity', 1 + n % 3, 'shippedQuantity', 0, 'price', 9.99),
      jsonb_build_object('id', gen_random_uuid(), 'sku', 'SKU-' || n % 700, 'name', 'Other ' || n % 700, 'quantity', 1, 'shippedQuantity', 0, 'price', 24.5)),
    'USD', 4448, '{"carrier":"ups","service":"ground"}', '[]', '[]', '[]', '{}',
    at, at + interval '3 days', at, at,
    array_to_tsvector(array(select distinct right($1::uuid::text, 6) || word from unnest(array['b-' || n, n::text, lower(first), lower(last),
      lower(city), (10000 + n % 80000)::text, 'sku-' || n % 5000, 'sku-' || n % 700]) as word))
  from generate_series($2::int, $3::int) as n,
    lateral (select (array['Ada','Ben','Cem','Dee','Eva','Finn','Gia','Hugo','Ida','Jon'])[1 + n % 10] as first,
                    (array['Smith','Jones','Khan','Garcia','Lee','Novak','Rossi','Weber','Silva','Olsen','Park'])[1 + n % 11] as last,
                    (array['New York','Albany','Buffalo','Rochester','Syracuse','Yonkers'])[1 + n % 6] as city,
                    timestamptz '2026-01-01' + n * interval '20 seconds' as at) as words`;

/** The hub keeps tags in a table of their own as well. */
const tagSql = `
  insert into order_tags (org_id, is_archived, tag, created_at, order_id)
  select o.org_id, o.is_archived, t.tag, o.created_at, o.id from orders o, unnest(o.tags) as t (tag)
   where o.org_id = $1 and o.number in (select 'B-' || n from generate_series($2::int, $3::int) as n)`;
