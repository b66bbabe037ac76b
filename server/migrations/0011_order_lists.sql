-- Lists of orders that are as fast with a million orders as with a few. Not breaking: converts the orders there are.

-- The words of orders once more, like their tags. In each week, all orders with a word, or with the beginning of one,
-- are one stretch of the index: the newest are found without reading all. Kept by the same statements that write orders.
create function order_week(at timestamptz) returns smallint language sql immutable parallel safe
  return floor(extract(epoch from at at time zone 'UTC') / 604800)::smallint;
create table order_words (
  org_id uuid not null,
  order_id uuid not null,
  created_at timestamptz not null,
  week smallint not null,
  is_archived boolean not null,
  word text collate "C" not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
-- In orders.search each word stands behind six letters that mark the organization.
insert into order_words (org_id, order_id, created_at, week, is_archived, word)
  select o.org_id, o.id, o.created_at, order_week(o.created_at), o.is_archived, substr(w.lexeme, 7)
    from orders o, unnest(o.search) as w;
alter table order_words add primary key (org_id, is_archived, week, word, created_at, order_id);
drop index orders_by_word;

alter table order_tags set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);

-- How many orders there are of each kind: the sum of all rows. Every change adds rows instead of raising a figure, so
-- that nobody waits for anybody; a chore adds them up now and then.
create table order_counts (
  org_id uuid not null,
  is_archived boolean not null,
  status text not null,
  on_hold boolean not null,
  orders integer not null
);
create index order_counts_by_org on order_counts (org_id);
insert into order_counts (org_id, is_archived, status, on_hold, orders)
  select org_id, is_archived, status, on_hold, count(*) from orders group by org_id, is_archived, status, on_hold;
