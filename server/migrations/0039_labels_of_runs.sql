-- A step of a run that asked for a label, or to give one back, until it knows how that ended.
alter table shipment_labels add column run_id uuid, add column run_step integer;
create index shipment_labels_of_runs on shipment_labels (run_id, order_id, run_step) where run_id is not null;
