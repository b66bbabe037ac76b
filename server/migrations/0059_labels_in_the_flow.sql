-- Labels keep the quote they were requested with and the runs that requested their purchase and void; carrier accounts that serve
-- comparisons only. Not breaking: older processes ignore the new columns.

alter table shipment_labels
  add column quote jsonb,
  add column purchase_run_id uuid,
  add column void_run_id uuid;
comment on column shipment_labels.quote is
  'The price at which the label was requested: cents and currency, promised delivery, expiry, and the data that the carrier needs to sell at this price.';
comment on column shipment_labels.purchase_run_id is
  'The run that requested the label, for good; run_id is only set until the outcome was added to the run. No foreign key: runs are deleted earlier.';
comment on column shipment_labels.void_run_id is 'The run that requested the latest void.';

create index shipment_labels_by_purchase_run on shipment_labels (org_id, purchase_run_id) where purchase_run_id is not null;
create index shipment_labels_by_void_run on shipment_labels (org_id, void_run_id) where void_run_id is not null;

-- Requests that are open at the upgrade.
update shipment_labels set purchase_run_id = run_id where run_id is not null and status = 'requested';
update shipment_labels set void_run_id = run_id where run_id is not null and void_requested_at is not null;

alter table carrier_accounts add column comparison_only boolean not null default false;
comment on column carrier_accounts.comparison_only is 'Rate shopping leaves the account out unless it is named.';
