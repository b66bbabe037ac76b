-- Pickups that are booked for labels, and manifests. Not breaking: older processes ignore the new columns and the new table.

alter table pickups
  add column label_count integer not null default 0,
  add column handover_group text not null default '';
comment on column pickups.label_count is
  'Number of labels when the pickup was booked from labels; 0: booked by count and weight. The labels have pickup_id.';
comment on column pickups.handover_group is
  'Which of the parcels the driver collects, where a carrier sends several drivers, such as FedEx Express and Ground; empty: all.';

-- Two groups are two drivers, not a duplicate.
drop index pickups_one_a_day;
create unique index pickups_one_a_day on pickups (org_id, carrier_account_id, address_key, pickup_date, handover_group)
  where (status in ('requested', 'scheduled', 'dispatched')) and (not is_duplicate_allowed);

create table shipment_manifests (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  carrier_account_id uuid references carrier_accounts (id) on delete set null,
  carrier text not null,
  location_id uuid references locations (id) on delete set null,
  status text not null check (status in ('requested', 'created', 'failed')),
  from_address jsonb not null,
  ship_date date not null,
  handover_group text not null,
  label_count integer not null,
  package_count integer not null,
  number text,
  content_type text,
  content_bytes integer,
  content bytea,
  carrier_data jsonb,
  carrier_request jsonb,
  failure jsonb,
  attempts integer not null,
  due_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1
);
alter table shipment_manifests alter column content set storage external;
create index shipment_manifests_by_org on shipment_manifests (org_id, created_at desc, id desc);
create index shipment_manifests_by_account on shipment_manifests (carrier_account_id) where carrier_account_id is not null;
create index shipment_manifests_due on shipment_manifests (org_id, due_at, id) where due_at is not null;
create index shipment_manifests_with_file on shipment_manifests (created_at) where content is not null;
comment on table shipment_manifests is
  'End-of-day documents of carriers, such as SCAN forms. The labels on one have its id in shipment_labels.manifest_id.';
comment on column shipment_manifests.number is 'The number of the carrier; null if it assigns none.';
comment on column shipment_manifests.handover_group is 'As for pickups.';
comment on column shipment_manifests.carrier_request is 'As for shipment_labels.';
comment on column shipment_manifests.attempts is 'Requests to the carrier without a response.';
alter table shipment_manifests enable row level security;
create policy own_organization on shipment_manifests using (org_id = (select current_org()));

alter table shipment_labels
  add column pickup_id uuid references pickups (id) on delete set null,
  add column manifest_id uuid references shipment_manifests (id) on delete set null;
create index shipment_labels_by_pickup on shipment_labels (pickup_id) where pickup_id is not null;
create index shipment_labels_by_manifest on shipment_labels (manifest_id) where manifest_id is not null;
create index shipment_labels_by_ship_date on shipment_labels (org_id, carrier_account_id, ship_date)
  where status = 'purchased';
comment on column shipment_labels.pickup_id is
  'The pickup that collects the parcels; null again when it is cancelled, rejected or missed.';
comment on column shipment_labels.manifest_id is 'The manifest that lists the parcels.';
