-- Locations that come from a bridge: who they are there, and which fields the hub has made its own.
alter table locations
  add column bridge_id uuid references bridges,
  add column external_id text,
  add column locked_fields text[] not null default '{}',
  add column last_synced_at timestamptz;
create unique index locations_external_key on locations (bridge_id, external_id) where external_id is not null;
