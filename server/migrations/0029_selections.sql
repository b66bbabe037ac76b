-- Selections of orders by filter, and what filters need to be fast with a million orders; events of many objects are found
-- by each of them. Not breaking: converts the orders and the log there are.

-- What orders are listed by besides columns and tags, in the order in which they are listed: `carrier:`, `service:` and
-- `field:` with what comes behind, and `failed`, which runs set and take away. Kept by the same statements that write orders.
create table order_marks (
  org_id uuid not null,
  is_archived boolean not null,
  mark text collate "C" not null,
  created_at timestamptz not null,
  order_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
-- What server/src/features/orders/list/order-marks.ts does, for the orders there are.
insert into order_marks (org_id, is_archived, mark, created_at, order_id)
  select o.org_id, o.is_archived,
         case when octet_length(m.mark) <= 200 then m.mark
              else '#' || encode(sha256(convert_to(m.mark, 'UTF8')), 'base64') end, o.created_at, o.id
    from orders o cross join lateral (
      select 'carrier:' || (o.shipping ->> 'carrier') as mark
      union all select 'service:' || (o.shipping ->> 'service')
      union all select 'field:' || f.key || '=' || f.value::text from jsonb_each(o.custom_fields) as f) m
   where m.mark is not null;
insert into order_marks (org_id, is_archived, mark, created_at, order_id)
  select o.org_id, o.is_archived, 'failed', o.created_at, o.id
    from (select distinct on (order_id) order_id, status from operation_results
           where order_id is not null and status in ('failed', 'succeeded')
           order by order_id, finished_at desc, run_id desc) r
    join orders o on o.id = r.order_id
   where r.status = 'failed';
alter table order_marks add primary key (org_id, is_archived, mark, created_at, order_id);
create index order_marks_by_order on order_marks (order_id);
create index order_marks_failed on order_marks (order_id) where mark = 'failed';

-- The orders that met a filter at one moment, or that were named. Gone an hour later.
create table operation_selections (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  -- As it is compiled, so with what the caller was allowed to search for; null: they were named.
  filter jsonb,
  matched integer not null,
  -- How many names were of no order.
  missing integer not null,
  by_status jsonb not null,
  sample jsonb not null,
  as_of timestamptz not null,
  expires_at timestamptz not null
);
create index operation_selections_by_org on operation_selections (org_id, as_of desc, id desc);
create index operation_selections_expiring on operation_selections (expires_at);
create table operation_selection_chunks (
  selection_id uuid not null references operation_selections (id) on delete cascade,
  position integer not null,
  order_ids uuid[] not null,
  primary key (selection_id, position)
);

-- What a preflight saw of the orders of a selection: their versions (null: gone), and which codes it said about each, with
-- blanks between. For each portion of the selection, in its order.
create table operation_preflights (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  selection_id uuid not null references operation_selections (id) on delete cascade
);
create index operation_preflights_by_selection on operation_preflights (selection_id);
create table operation_preflight_chunks (
  preflight_id uuid not null references operation_preflights (id) on delete cascade,
  position integer not null,
  versions integer[] not null,
  codes text[] not null,
  primary key (preflight_id, position)
);

-- The filter that orders still have to meet when their turn comes; forgotten when the run has ended.
alter table operation_runs add column selection_id uuid, add column filter jsonb,
  add column left_out integer not null default 0;
-- The versions that orders must still have when their turn comes.
alter table operation_run_chunks add column versions integer[];

do $$
declare
  named regclass;
begin
  foreach named in array array['order_marks', 'operation_selections', 'operation_preflights']::regclass[] loop
    execute format('alter table %s enable row level security', named);
    execute format('create policy own_organization on %s using (org_id = (select current_org()))', named);
  end loop;
end $$;

-- Which entries name an object in their `items`. Those that are about it alone are found by `events_by_object`. A table and
-- no GIN index: its operators are not leakproof, so that row level security would keep them from being used.
create table event_items (
  org_id uuid not null,
  object_id uuid not null,
  sequence bigint not null
);
insert into event_items (org_id, object_id, sequence)
  select distinct e.org_id, i.named::uuid, e.sequence
    from events e cross join lateral (
      select item ->> 'id' as named from jsonb_array_elements(e.data -> 'items') as t (item) where e.data ? 'items'
      -- The first hundred are all that entries of long ago have.
      union all
      select first from jsonb_array_elements_text(e.data -> 'firstIds') as t (first) where not e.data ? 'items') i
   where e.data ?| array['items', 'firstIds'];
alter table event_items add primary key (org_id, object_id, sequence);
alter table event_items enable row level security;
create policy own_organization on event_items using (org_id = (select current_org()));
