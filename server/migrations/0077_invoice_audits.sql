-- Audits of carrier invoices: what was billed beside what the contract says. Not breaking: older processes ignore the new tables.

create table invoice_audits (
  id uuid primary key references invoices (id) on delete cascade,
  org_id uuid not null,
  carrier_account_id uuid references carrier_accounts (id) on delete set null,
  status text not null,
  revision integer not null,
  after_parcel text not null,
  parcel_count integer not null,
  processed integer not null,
  error jsonb,
  requested_by jsonb not null,
  requested_at timestamptz not null,
  finished_at timestamptz,
  due_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz,
  lease_attempts integer not null default 0
);
create index invoice_audits_due on invoice_audits (org_id, due_at, id) where due_at is not null;
create index invoice_audits_by_account on invoice_audits (carrier_account_id) where carrier_account_id is not null;
comment on table invoice_audits is 'One row for each invoice: its latest audit, queued when it is imported and on request.';
comment on column invoice_audits.carrier_account_id is 'The account whose rate cards are the contract; null: not known yet.';
comment on column invoice_audits.revision is 'Counts the requests; a worker that audits an earlier one stops.';
comment on column invoice_audits.after_parcel is 'The last parcel that was audited, in the order of the bytes of its number.';

create table invoice_parcels (
  invoice_id uuid not null references invoices (id) on delete cascade,
  parcel_number text collate "C" not null,
  org_id uuid not null,
  status text not null,
  reason text,
  billed_micros bigint not null,
  expected_micros bigint,
  finding_micros bigint not null,
  service text,
  ship_date date,
  currency text not null,
  primary key (invoice_id, parcel_number)
);
create index invoice_parcels_not_audited on invoice_parcels (invoice_id, parcel_number) where status = 'not_audited';
comment on table invoice_parcels is 'The outcome of the audit of each parcel of an invoice.';
comment on column invoice_parcels.reason is 'Why the contract could not price the parcel.';

create table invoice_findings (
  id uuid primary key,
  org_id uuid not null,
  invoice_id uuid not null references invoices (id) on delete cascade,
  carrier text not null,
  parcel_number text not null,
  kind text not null,
  code text not null,
  amount_micros bigint not null,
  credited_micros bigint not null,
  currency text not null,
  confidence text not null,
  evidence jsonb not null,
  service text,
  ship_date date,
  state text not null,
  note text,
  decided_by jsonb,
  decided_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create unique index invoice_findings_key on invoice_findings (invoice_id, parcel_number, kind, code);
create index invoice_findings_by_org on invoice_findings (org_id, created_at desc, id desc);
create index invoice_findings_by_state on invoice_findings (org_id, state, created_at desc, id desc);
create index invoice_findings_by_parcel on invoice_findings (org_id, parcel_number);
comment on table invoice_findings is 'Charges of invoices that the contract, or the record of the parcel, does not explain.';
comment on column invoice_findings.code is 'The surcharge that the finding is about; empty for other kinds.';
comment on column invoice_findings.credited_micros is 'What later credits of the parcel cover of the amount.';
comment on column invoice_findings.decided_at is 'When a user last changed the state or the note. Another audit leaves such findings as they are.';

do $$
declare
  owned text;
begin
  foreach owned in array array['invoice_audits', 'invoice_parcels', 'invoice_findings'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;
