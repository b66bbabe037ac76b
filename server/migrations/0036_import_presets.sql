-- Presets for files of orders. Not breaking: adds a table only.

create table import_presets (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  settings jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index import_presets_by_org on import_presets (org_id, created_at desc, id desc);
create unique index import_presets_name_key on import_presets (org_id, lower(name));
alter table import_presets enable row level security;
create policy own_organization on import_presets using (org_id = (select current_org()));
