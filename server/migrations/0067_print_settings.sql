-- Logo, address and papers of printed documents. Not breaking: older processes ignore the new table.

create table print_settings (
  org_id uuid primary key references organizations (id) on delete cascade,
  address text not null,
  footer text not null,
  papers jsonb not null,
  logo bytea,
  logo_type text,
  logo_width integer,
  logo_height integer,
  updated_at timestamptz not null,
  version integer not null
);
comment on table print_settings is 'What packing slips, pick lists and manifests of an organization have in common.';
comment on column print_settings.papers is 'Default paper by kind of document, such as {"packing_slips": "a4"}.';
comment on column print_settings.logo is 'PNG or JPEG image, at most 256 KiB.';

alter table print_settings enable row level security;
create policy own_organization on print_settings using (org_id = (select current_org()));
