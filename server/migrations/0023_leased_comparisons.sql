-- Comparisons are leased like all other work, and their results are kept column by column. Processes of before must not run
-- beside it. Everything is carried over, which takes some 3 s for 100,000 items.
alter table rate_comparisons rename column worker to lease_owner;
alter table rate_comparisons add column due_at timestamptz, add column tries integer not null default 0;
drop index rate_comparisons_unfinished;
create index rate_comparisons_due on rate_comparisons (org_id, due_at, id) where due_at is not null;

create table rate_results_by_column (
  comparison_id uuid not null,
  revision integer not null,
  position integer not null,
  status text not null,
  reason text,
  zone text,
  basis text,
  target_cents integer,
  savings_cents integer,
  zone_source text,
  distance_miles integer,
  alt_zone text,
  service_level text,
  target_service text,
  rated_mg bigint,
  low_cents integer,
  high_cents integer,
  break_even_mg bigint,
  -- What the price is made of: lists of a code and its cents.
  lines json not null
);
insert into rate_results_by_column
select r.comparison_id, r.revision, r.position, r.status, r.reason, r.zone, r.basis, r.target_cents, r.savings_cents,
    nullif(d[1], ''), nullif(d[2], '')::integer, nullif(d[3], ''), nullif(d[4], ''), nullif(d[5], ''),
    nullif(d[6], '')::bigint, nullif(d[7], '')::integer, nullif(d[8], '')::integer, nullif(d[9], '')::bigint,
    -- "base:1791 fuel:432" is [["base",1791],["fuel",432]]; neither a code nor a number has a blank or a colon in it.
    case when coalesce(d[10], '') = '' then '[]'
         else '[["' || replace(replace(d[10], ':', '",'), ' ', '],["') || ']]' end::json
  from rate_results r, string_to_array(r.detail, '|') as d;
drop table rate_results;
alter table rate_results_by_column rename to rate_results;
alter table rate_results add constraint rate_results_pkey primary key (comparison_id, revision, position);

-- For every chunk of items a row for each mix of what they can be filtered by, written with their results.
drop table rate_item_kinds;
create table rate_item_kinds (
  comparison_id uuid not null,
  revision integer not null,
  -- The first item of the chunk.
  chunk_from integer not null,
  status text not null,
  reason text,
  zone text,
  basis text,
  -- 1 for something saved, -1 for the opposite, null without a price.
  sign integer,
  service_type text not null,
  items integer not null,
  -- Which items they are, in their order.
  positions integer[] not null
);
create index rate_item_kinds_by_comparison on rate_item_kinds (comparison_id, revision);

insert into rate_item_kinds
select r.comparison_id, r.revision, r.position / 10000 * 10000, r.status, r.reason, r.zone, r.basis, sign(r.savings_cents),
    i.service_type, count(*), array_agg(r.position order by r.position)
  from rate_results r join rate_items i using (comparison_id, position)
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9;

update rate_comparisons set listed_revision = shown_revision,
  due_at = case when status in ('queued', 'processing') then created_at end;
