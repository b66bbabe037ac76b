-- What is old is found by its age, and long values that results of runs have in common are kept once. Not breaking: adds a
-- table and indexes. Results that are there already stay as they are, and are read as before.

-- Members of an order's lists that results of runs name instead of holding them, such as a note that was there before and
-- after a step. Kept while a result of the order is.
create table operation_values (
  org_id uuid not null,
  order_id uuid not null,
  -- Of the value.
  digest text not null,
  value jsonb not null,
  primary key (order_id, digest)
);
alter table operation_values enable row level security;
create policy own_organization on operation_values using (org_id = (select current_org()));

create index pickups_ended on pickups (updated_at) where status in ('completed', 'missed', 'cancelled', 'failed');
create index shipment_labels_with_file on shipment_labels (bought_at) where content is not null;
