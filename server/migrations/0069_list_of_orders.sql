-- Filters by SKU and country, digits inside order numbers, and a search that uses its index below row-level security. Not breaking:
-- older processes ignore the new rows.

-- Requests use a role with policies. The operator of a text search is not leakproof, so PostgreSQL would evaluate it after the policy
-- and read the words of all orders. This function runs as the owner, to which policies do not apply, and checks the organization
-- itself.
create function find_orders_by_words(org uuid, query tsquery)
  returns table (order_id uuid, created_at timestamptz, is_archived boolean)
  language sql stable security definer
  set search_path from current
as $$
  select distinct search.order_id, search.created_at, search.is_archived
    from order_search search
   where search.org_id = org
     and search.words @@ query
     and (current_setting('role') <> 'hub_org' or org = current_org())
$$;
comment on function find_orders_by_words is
  'Orders of an organization with these words. For requests only their own organization.';

comment on table order_search is
  'Search words of orders and their prefixes, each with a prefix for the organization and for personal (p) data, other (o) data, or the end of a number (n). Part 0 rarely changes; part 1 holds tags and tracking numbers, so that changing them does not rewrite the others; part 2 holds the ends of the digits in the number.';

-- The same as endsOf in search-words.ts.
insert into order_search (org_id, order_id, part, created_at, is_archived, words)
select o.org_id,
       o.id,
       2,
       o.created_at,
       o.is_archived,
       array_to_tsvector(array_agg(distinct right(o.org_id::text, 4) || 'n' || substr(run.digits[1], start)))
  from orders o
 cross join lateral regexp_matches(o.number, '[0-9]{4,}', 'g') as run (digits)
 cross join lateral generate_series(2, length(run.digits[1]) - 2) as start
 group by o.id
on conflict do nothing;

comment on table order_facets is
  'Values that orders are filtered by besides columns and tags: carrier, service, country, SKUs, custom fields, and failed runs. Written by the statements that write orders.';

-- The same as facetsOf in order-facets.ts. Values that are too long for an index are hashed.
insert into order_facets (org_id, is_archived, facet, created_at, order_id)
select o.org_id,
       o.is_archived,
       case
         when octet_length(value.facet) <= 200 then value.facet
         else '#' || encode(sha256(convert_to(value.facet, 'UTF8')), 'base64')
       end,
       o.created_at,
       o.id
  from orders o
 cross join lateral (
   select distinct 'sku:' || (line ->> 'sku') as facet from jsonb_array_elements(o.lines) as line
   union all
   select 'country:' || upper((o.shipping_address ->> 'countryCode') collate "C")) as value
 where value.facet is not null
on conflict do nothing;
