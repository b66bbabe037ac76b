-- Pickups, labels and tracking are worked on under leases, and what a carrier wants back is kept with what it belongs to.
-- Not breaking: adds columns and replaces indexes.

alter table pickups
  add column carrier_data jsonb,
  add column lease_owner uuid,
  add column lease_until timestamptz;
drop index pickups_due;
create index pickups_due on pickups (org_id, due_at, id) where due_at is not null;

alter table shipment_labels
  add column carrier_data jsonb,
  add column lease_owner uuid,
  add column lease_until timestamptz;
drop index shipment_labels_due;
create index shipment_labels_due on shipment_labels (org_id, due_at, id) where due_at is not null;

-- Of a label that was bought from the carrier.
alter table shipments add column carrier_data jsonb;

-- When the carrier is next asked about parcels through this account, and who does it.
alter table carrier_accounts
  add column due_at timestamptz,
  add column lease_owner uuid,
  add column lease_until timestamptz,
  add column attempts integer not null default 0;
update carrier_accounts set due_at = created_at;
create index carrier_accounts_due on carrier_accounts (org_id, due_at, id) where due_at is not null;
