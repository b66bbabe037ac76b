-- Labels and pickups of carriers that need several steps, several parcels, currencies and refunds; access tokens of carrier
-- accounts. Not breaking: older processes ignore the new columns.

alter table shipment_labels
  add column carrier_request jsonb,
  add column parcels jsonb,
  add column options jsonb not null default '{}',
  add column ship_date date,
  add column currency text,
  add column charge_lines jsonb not null default '[]',
  add column transit_days integer,
  add column deliver_by text,
  add column documents jsonb not null default '[]',
  add column refund jsonb;
comment on column shipment_labels.carrier_request is
  'The latest attempt at the pending request: effect key, number of the attempt, end of its call, and what the carrier noted between its steps. A later attempt fences off an earlier one.';
comment on column shipment_labels.parcels is
  'All parcels, lead first, each with its tracking number, shipment and file once purchased. Null: one parcel, in the columns of the label.';
comment on column shipment_labels.options is 'Ship options of the request.';
comment on column shipment_labels.charge_lines is 'Lines of the charge, in cents of its currency.';
comment on column shipment_labels.documents is 'Further documents of the shipment, such as customs forms; the files are in shipment_label_files.';
comment on column shipment_labels.refund is 'State of a void: submitted refunds are decided by the carrier later.';

-- The file of the lead parcel stays in shipment_labels.content.
create table shipment_label_files (
  label_id uuid not null references shipment_labels (id) on delete cascade,
  org_id uuid not null,
  kind text not null check (kind in ('parcel', 'document')),
  position integer not null,
  content bytea not null,
  primary key (label_id, kind, position)
);
alter table shipment_label_files alter column content set storage external;
comment on table shipment_label_files is 'Label files of further parcels, and documents of shipments.';
comment on column shipment_label_files.position is 'Index in shipment_labels.parcels or shipment_labels.documents.';

alter table pickups
  add column carrier_request jsonb,
  add column charge_currency text;
comment on column pickups.carrier_request is 'As for shipment_labels.';

create table carrier_account_tokens (
  account_id uuid not null references carrier_accounts (id) on delete cascade,
  org_id uuid not null,
  name text not null,
  sealed text,
  renew_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz,
  primary key (account_id, name)
);
comment on table carrier_account_tokens is 'Access tokens of carrier accounts.';
comment on column carrier_account_tokens.sealed is 'Token with a digest of the credentials and addresses it was issued for; it is not used with others.';
comment on column carrier_account_tokens.lease_owner is 'The process that fetches the token, while the others wait.';

do $$
declare
  owned text;
begin
  foreach owned in array array['shipment_label_files', 'carrier_account_tokens'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;
