-- Shipments, their tracking, and the figures of the overview. Not breaking: adds tables only.

create table shipments (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  order_id uuid references orders (id) on delete set null,
  order_number text,
  source text not null check (source in ('api', 'import', 'run', 'bridge', 'demo')),
  carrier text,
  service text,
  tracking_number text,
  -- What is compared: without case, blanks and dashes. Ordered by bytes, so that beginnings are ranges.
  carrier_key text collate "C",
  tracking_key text collate "C",
  order_key text collate "C",
  origin jsonb,
  destination jsonb,
  -- The time zone that the promised day is a day of.
  timezone text not null,
  weight jsonb,
  cost_cents bigint,
  currency text not null,
  metadata jsonb not null,
  shipped_at timestamptz not null,
  promised_at timestamptz,
  promised_date date,
  promise_source text,
  -- The first moment after the promised day.
  promise_ends_at timestamptz,
  -- What the carrier expects now, and the first moment after that day.
  estimated_at timestamptz,
  estimate_ends_at timestamptz,
  voided_at timestamptz,
  -- When the carrier was last asked.
  tracked_at timestamptz,
  events jsonb not null,
  -- Everything from here on follows from the columns above.
  status text not null,
  status_at timestamptz,
  accepted_at timestamptz,
  first_attempt_at timestamptz,
  delivered_at timestamptz,
  last_event_at timestamptz,
  -- When each reason for a risk begins, if nothing more is heard of the shipment. Null: it never does.
  late_at timestamptz,
  stalled_at timestamptz,
  not_accepted_at timestamptz,
  -- Since when its status, or the carrier's estimate, is a reason by itself.
  flagged_at timestamptz,
  is_predicted_late boolean not null,
  -- The first of them.
  risk_at timestamptz,
  -- When the carrier was last asked, or the creation, for those that it is still to be asked about.
  track_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);

-- A parcel is recorded once. Runs are apart: several orders, or two parts of one, may leave in the same parcel.
create unique index shipments_tracking_key on shipments
  (org_id, tracking_key, coalesce(carrier_key, ''), coalesce(order_id, '00000000-0000-0000-0000-000000000000'))
  where tracking_key is not null and source <> 'run' and voided_at is null;
-- One for every filter of the list: each delivers a page in order.
create index shipments_by_org on shipments (org_id, created_at desc, id desc);
create index shipments_by_status on shipments (org_id, status, created_at desc, id desc);
create index shipments_by_carrier on shipments (org_id, carrier_key, created_at desc, id desc);
create index shipments_by_order on shipments (order_id, created_at desc, id desc) where order_id is not null;
create index shipments_by_ship_date on shipments (org_id, shipped_at desc, id desc);
create index shipments_by_delivery on shipments (org_id, delivered_at desc, id desc) where delivered_at is not null;
create index shipments_by_promise on shipments (org_id, promised_date, id) where promised_date is not null;
create index shipments_by_tracking_number on shipments (org_id, tracking_key) where tracking_key is not null;
create index shipments_by_order_number on shipments (org_id, order_key) where order_key is not null;
create index shipments_at_risk on shipments (org_id, risk_at, id)
  include (late_at, stalled_at, not_accepted_at, is_predicted_late, status) where risk_at is not null;
create index shipments_overdue on shipments (org_id, late_at) where late_at is not null and first_attempt_at is null;
create index shipments_to_track on shipments (org_id, track_at, id) where track_at is not null;

-- Sums for the overview, kept by the statements that write shipments. A day is a day in UTC.
create table shipment_days (
  org_id uuid not null references organizations (id),
  day date not null,
  delivered integer not null,
  -- Delivered ones that the carrier had scanned before, and how long they took in all.
  transit_count integer not null,
  transit_ms bigint not null,
  -- Those with a promise, by the day of the first attempt to deliver.
  evaluated integer not null,
  on_time integer not null,
  primary key (org_id, day)
);
create index shipment_days_by_day on shipment_days (day);

create table shipment_counts (
  org_id uuid not null references organizations (id),
  status text not null,
  count bigint not null,
  primary key (org_id, status)
);
