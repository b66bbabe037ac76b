-- Labels bought from carriers, and shipments that came to be by buying one. Not breaking: adds a table, and a source that
-- shipments may have. Shipments that are there already are not read for it: none has another source than before.

create table shipment_labels (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  carrier_account_id uuid references carrier_accounts (id) on delete set null,
  carrier text not null,
  order_id uuid references orders (id) on delete set null,
  shipment_id uuid references shipments (id) on delete set null,
  status text not null check (status in ('requested', 'bought', 'failed', 'voided')),
  service text not null,
  from_address jsonb not null,
  to_address jsonb not null,
  weight jsonb not null,
  dimensions jsonb,
  reference text,
  lines jsonb not null,
  tracking_number text,
  cost_cents bigint,
  content_type text,
  content_bytes integer,
  -- Not packed a second time: what carriers send is compressed, or short.
  content bytea,
  failure jsonb,
  -- While the carrier is asked to take it back.
  void_requested_at timestamptz,
  -- How often the carrier was asked in vain.
  attempts integer not null,
  -- When the carrier is asked again without anybody wanting it; null: not at all.
  due_at timestamptz,
  bought_at timestamptz,
  voided_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1
);
alter table shipment_labels alter column content set storage external;
create index shipment_labels_by_org on shipment_labels (org_id, created_at desc, id desc);
create index shipment_labels_by_status on shipment_labels (org_id, status, created_at desc, id desc);
create index shipment_labels_by_order on shipment_labels (order_id, created_at desc, id desc) where order_id is not null;
create index shipment_labels_by_shipment on shipment_labels (shipment_id) where shipment_id is not null;
create index shipment_labels_by_account on shipment_labels (carrier_account_id) where carrier_account_id is not null;
create index shipment_labels_due on shipment_labels (due_at) where due_at is not null;

alter table shipments drop constraint shipments_source_check;
alter table shipments add constraint shipments_source_check
  check (source in ('api', 'import', 'run', 'bridge', 'demo', 'label')) not valid;
