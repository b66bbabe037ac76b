-- Rate comparisons and their items. Not breaking: adds tables only.

create table rate_comparisons (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  -- Not a reference: what was compared stays readable when the account is gone.
  carrier_account_id uuid not null,
  carrier_account_name text not null,
  source_carrier text not null,
  source_account_id uuid,
  currency text not null,
  status text not null,
  revision integer not null default 0,
  -- The last one that was finished: its results are shown until the next is finished too.
  shown_revision integer,
  options jsonb not null,
  item_count integer not null,
  processed integer not null default 0,
  rated integer not null default 0,
  estimated integer not null default 0,
  unrateable integer not null default 0,
  invalid integer not null default 0,
  excluded integer not null default 0,
  -- The cards as they were when processing began, so that every result can be worked out again.
  rate_card_id uuid,
  rate_card_version integer,
  rate_card_name text,
  card jsonb,
  source_card jsonb,
  -- The day whose card, fuel and seasons apply to items without a day of their own.
  rate_day date,
  profiles jsonb,
  -- Sums over the items done so far, and the summary when all are.
  totals json,
  summary json,
  error jsonb,
  created_by jsonb not null,
  request_id text,
  worker text,
  lease_until timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
create index rate_comparisons_by_org on rate_comparisons (org_id, created_at desc, id desc);
create index rate_comparisons_by_status on rate_comparisons (org_id, status, created_at desc, id desc);
create index rate_comparisons_unfinished on rate_comparisons (created_at) where status in ('queued', 'processing');

-- Neither refers to its comparison by a constraint, whose check of each row would cost as much as the row itself: items
-- are written in the transaction that makes the comparison, results while its row is locked, and both are deleted with it.
create table rate_items (
  comparison_id uuid not null,
  position integer not null,
  tracking_number text not null,
  net_cents integer not null,
  service_type text not null,
  origin_zip text,
  origin_city text,
  origin_state text,
  destination_zip text,
  destination_city text,
  destination_state text,
  -- The weight in whole pounds, rounded up, to see which weights are usual.
  pounds integer,
  -- All that a price depends on, as one JSON list: reading a chunk of columns would cost more than pricing it.
  input text not null,
  primary key (comparison_id, position)
);

create table rate_results (
  comparison_id uuid not null,
  revision integer not null,
  position integer not null,
  status text not null,
  reason text,
  zone text,
  basis text,
  target_cents integer,
  savings_cents integer,
  -- What nobody filters by, in the order that the store knows.
  detail text not null,
  primary key (comparison_id, revision, position)
);
