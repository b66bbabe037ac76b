-- Pickups; and indexes that a search for shipments is answered from alone. Not breaking: adds a table and replaces indexes.

create table pickups (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  carrier_account_id uuid references carrier_accounts (id) on delete set null,
  carrier text not null,
  location_id uuid references locations (id) on delete set null,
  status text not null,
  address jsonb not null,
  -- The address without what people write differently; two pickups there on one day are probably one.
  address_key text not null,
  timezone text not null,
  -- A calendar day at the address.
  pickup_date date not null,
  ready_at timestamptz not null,
  close_at timestamptz not null,
  package_count integer not null,
  total_weight jsonb,
  instructions text,
  is_duplicate_allowed boolean not null,
  cancel_by timestamptz not null,
  confirmation_number text,
  charge_cents bigint,
  messages jsonb not null,
  failure jsonb,
  -- Nobody said what became of it, and the carrier cannot be asked.
  is_assumed boolean not null,
  -- Counts what was asked of the carrier; with the id it is the key under which it happens once.
  revision integer not null,
  -- While a change is asked for: what is still booked, to be put back or called off.
  previous jsonb,
  cancel_requested_at timestamptz,
  cancel_reason text,
  cancelled_at timestamptz,
  history jsonb not null,
  -- How often the carrier was asked in vain.
  attempts integer not null,
  -- When there is next something to do about it without being told; null: nothing.
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1
);
create unique index pickups_one_a_day on pickups (org_id, carrier_account_id, address_key, pickup_date)
  where status in ('requested', 'scheduled', 'dispatched') and not is_duplicate_allowed;
create index pickups_by_org on pickups (org_id, ready_at desc, id desc);
create index pickups_by_status on pickups (org_id, status, ready_at desc, id desc);
create index pickups_by_account on pickups (org_id, carrier_account_id, ready_at desc, id desc);
create index pickups_by_date on pickups (org_id, pickup_date, id);
create index pickups_due on pickups (due_at) where due_at is not null;

drop index shipments_by_tracking_number;
create index shipments_by_tracking_number on shipments (org_id, tracking_key) include (created_at, id)
  where tracking_key is not null;
drop index shipments_by_order_number;
create index shipments_by_order_number on shipments (org_id, order_key) include (created_at, id)
  where order_key is not null;
