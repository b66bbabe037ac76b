-- Contracts by carrier, for the files of sellers whose parcels go with several carriers. Not breaking: older processes ignore the column.

alter table invoice_audits add column carrier_accounts jsonb;
comment on column invoice_audits.carrier_accounts is 'The contract of each carrier whose name the services begin with; null: not given. Other parcels have carrier_account_id.';
