-- Orders and operations. Not breaking: adds tables only.

create table locations (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  type text not null,
  address jsonb not null,
  metadata jsonb not null,
  is_default boolean not null,
  is_active boolean not null default true,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index locations_name_key on locations (org_id, lower(name));
create unique index locations_one_default on locations (org_id) where is_default;
create index locations_by_org on locations (org_id, created_at desc, id desc);

create table orders (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  number text not null,
  status text not null,
  payment_status text not null,
  priority smallint not null,
  on_hold boolean not null,
  holds jsonb not null,
  -- When the next timed hold ends; null when none does.
  hold_until timestamptz,
  tags text[] not null,
  channel text,
  bridge_id uuid,
  external_id text,
  customer jsonb not null,
  shipping_address jsonb,
  billing_address jsonb,
  address_status text not null,
  lines jsonb not null,
  currency text not null,
  total_cents bigint,
  shipping jsonb not null,
  packages jsonb not null,
  shipments jsonb not null,
  notes jsonb not null,
  custom_fields jsonb not null,
  location_id uuid references locations (id),
  assignee_id uuid references users (id) on delete set null,
  parent_order_id uuid,
  merged_into_id uuid,
  child_count smallint not null default 0,
  ordered_at timestamptz not null,
  ship_by timestamptz,
  deliver_by timestamptz,
  dispatch_on timestamptz,
  archived_at timestamptz,
  is_archived boolean not null generated always as (archived_at is not null) stored,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  -- Words of number, customer, e-mail, SKUs, city and zip, each behind a mark of the organization; made by the hub, not
  -- by a text parser.
  search tsvector not null
  -- Lists count in indexes alone, which needs pages that vacuum has seen.
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
create unique index orders_number_key on orders (org_id, number);
create unique index orders_external_key on orders (bridge_id, external_id) where external_id is not null;
-- One for every filter and sorting of the list: each delivers a page in order, and counts without touching the table.
create index orders_by_org on orders (org_id, is_archived, created_at desc, id desc);
create index orders_by_status on orders (org_id, is_archived, status, created_at desc, id desc);
create index orders_on_hold on orders (org_id, is_archived, created_at desc, id desc) where on_hold;
create index orders_by_priority on orders (org_id, is_archived, priority, created_at desc, id desc);
create index orders_by_payment on orders (org_id, is_archived, payment_status, created_at desc, id desc);
create index orders_by_channel on orders (org_id, is_archived, channel, created_at desc, id desc) where channel is not null;
create index orders_by_location on orders (org_id, is_archived, location_id, created_at desc, id desc)
  where location_id is not null;
create index orders_by_assignee on orders (org_id, is_archived, assignee_id, created_at desc, id desc)
  where assignee_id is not null;
create index orders_by_bridge on orders (org_id, is_archived, bridge_id, created_at desc, id desc)
  where bridge_id is not null;
create index orders_by_update on orders (org_id, is_archived, updated_at desc, id desc);
create index orders_by_order_date on orders (org_id, is_archived, ordered_at desc, id desc);
create index orders_by_ship_by on orders (org_id, is_archived, ship_by, id);
-- What is to be done next: few of many orders, and not the ones that any other index has first.
create index orders_open_by_ship_by on orders (org_id, is_archived, status, ship_by, id)
  where status in ('draft', 'new', 'review_required', 'awaiting_payment', 'ready', 'sent', 'partially_shipped');
create index orders_by_word on orders using gin (search);
create index orders_to_release on orders (hold_until) where hold_until is not null;
create index orders_by_parent on orders (parent_order_id) where parent_order_id is not null;

-- The tags of orders once more, in the order in which they are listed: an index over arrays knows no order. Kept by the
-- same statements that write orders; no foreign key, since it would be checked for every tag of a bulk change.
create table order_tags (
  org_id uuid not null,
  is_archived boolean not null,
  tag text not null,
  created_at timestamptz not null,
  order_id uuid not null,
  primary key (org_id, is_archived, tag, created_at, order_id)
);
create index order_tags_by_order on order_tags (order_id);

-- Numbers for orders that come without one.
create table order_number_counters (
  org_id uuid primary key references organizations (id),
  last_number bigint not null
);

-- What was changed in an order outside of operation runs (those keep their own results): patches, imports, releases.
-- Removed with its order, by the same store.
create table order_changes (
  id uuid primary key,
  org_id uuid not null,
  order_id uuid not null,
  kind text not null,
  actor jsonb not null,
  request_id text,
  changes jsonb not null,
  version integer not null,
  occurred_at timestamptz not null
);
create index order_changes_by_order on order_changes (order_id, occurred_at desc, id desc);

create table operation_pipelines (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  description text not null,
  actions jsonb not null,
  on_error text not null,
  is_atomic boolean not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index operation_pipelines_name_key on operation_pipelines (org_id, lower(name));
create index operation_pipelines_by_org on operation_pipelines (org_id, created_at desc, id desc);

create table operation_runs (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  status text not null,
  actions jsonb not null,
  on_error text not null,
  is_atomic boolean not null,
  -- Whether whoever started it held operations:override then.
  may_override boolean not null,
  note text,
  created_by jsonb not null,
  request_id text,
  retry_of uuid,
  undo_of uuid,
  root_run_id uuid not null,
  attempt integer not null,
  order_count integer not null,
  duplicates_removed integer not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  no_change integer not null default 0,
  drifted jsonb,
  cancel_requested boolean not null default false,
  -- The process that works on the run, and until when it may be believed to be alive.
  worker text,
  lease_until timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
create index operation_runs_by_org on operation_runs (org_id, created_at desc, id desc);
create index operation_runs_unfinished on operation_runs (lease_until) where finished_at is null;
create index operation_runs_by_root on operation_runs (root_run_id);
create index operation_runs_by_retry on operation_runs (retry_of) where retry_of is not null;
create index operation_runs_by_undo on operation_runs (undo_of) where undo_of is not null;

-- The orders of a run, in portions that are worked on in one transaction each; written before any work starts.
create table operation_run_chunks (
  run_id uuid not null references operation_runs (id) on delete cascade,
  position integer not null,
  -- What the caller named: an id or a number; and the order it was found to be, if any.
  refs text[] not null,
  order_ids uuid[] not null,
  -- The steps to do for each order, as bits: all of them, but for retries.
  todo integer[] not null,
  is_done boolean not null default false,
  primary key (run_id, position)
);

create table operation_results (
  run_id uuid not null references operation_runs (id) on delete cascade,
  position integer not null,
  ref text not null,
  order_id uuid,
  order_number text,
  status text not null,
  is_unchanged boolean not null,
  -- The steps that a retry would have to do, as bits.
  todo integer not null,
  error_code text,
  error jsonb,
  steps jsonb not null,
  -- Versions of the order before and after; equal when nothing was changed.
  version_before integer,
  version_after integer,
  finished_at timestamptz not null,
  primary key (run_id, position)
);
create index operation_results_by_order on operation_results (order_id, finished_at desc) where order_id is not null;
create index operation_results_failed on operation_results (run_id, status, position);
