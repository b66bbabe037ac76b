-- When labels were printed, and how often. Not breaking: older processes ignore the new columns.

alter table shipment_labels
  add column printed_at timestamptz,
  add column print_count integer not null default 0;
comment on column shipment_labels.printed_at is 'First time that the label was part of a printed document.';

create index shipment_labels_unprinted on shipment_labels (org_id, created_at desc, id desc) where printed_at is null;
