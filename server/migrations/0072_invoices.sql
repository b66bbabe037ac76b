-- Invoices of carriers with their lines. Not breaking: older processes ignore the new tables.

create table invoices (
  id uuid primary key,
  org_id uuid not null,
  carrier text not null,
  number text not null,
  account text,
  invoice_date date,
  currency text not null,
  amount_micros bigint not null,
  charged_micros bigint not null,
  line_count integer not null,
  format text not null,
  digest text not null,
  created_by jsonb not null,
  created_at timestamptz not null
);
create unique index invoices_number_key on invoices (org_id, carrier, number);
create index invoices_by_org on invoices (org_id, created_at desc, id desc);
create index invoices_by_date on invoices (org_id, invoice_date);
create index invoices_with_difference on invoices (org_id) where amount_micros <> charged_micros;
comment on table invoices is 'Invoices of carriers, one row for each number of a carrier. They are not changed after the import.';
comment on column invoices.amount_micros is 'The amount that the carrier states, in millionths; carriers write amounts below a cent.';
comment on column invoices.charged_micros is 'The sum of the net amounts of the lines in the currency of the invoice.';
comment on column invoices.digest is 'Of the head and all lines, whatever their order: the same invoice in another file has the same one.';

create table invoice_lines (
  invoice_id uuid not null references invoices (id) on delete cascade,
  position integer not null,
  org_id uuid not null,
  source_row integer not null,
  account text,
  tracking_number text,
  lead_tracking_number text,
  original_tracking_number text,
  parcel_number text,
  transaction_date date,
  ship_date date,
  delivery_date date,
  kind text not null,
  code text,
  description text not null,
  gross_micros bigint not null,
  discount_micros bigint not null,
  net_micros bigint not null,
  currency text not null,
  service text,
  zone text,
  entered_weight double precision,
  entered_weight_unit text,
  billed_weight double precision,
  billed_weight_unit text,
  weight_basis text,
  length double precision,
  width double precision,
  height double precision,
  dimension_unit text,
  reference_numbers text[] not null,
  sender_zip text,
  sender_country text,
  receiver_zip text,
  receiver_country text,
  primary key (invoice_id, position)
);
create index invoice_lines_by_parcel on invoice_lines (org_id, parcel_number) where parcel_number is not null;
comment on table invoice_lines is 'Charges of invoices, in the order of the file. Names and streets of senders and receivers are not kept.';
comment on column invoice_lines.position is 'From 0, in the order of the file.';
comment on column invoice_lines.parcel_number is 'The tracking number of the parcel that the charge is about: of a correction, the original one.';
comment on column invoice_lines.gross_micros is 'Before the discount of the same line, in millionths; net = gross - discount.';
comment on column invoice_lines.weight_basis is 'Which weight was billed: actual, dimensional, minimum or other.';

do $$
declare
  owned text;
begin
  foreach owned in array array['invoices', 'invoice_lines'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;
