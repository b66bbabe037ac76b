-- Packing stations: sessions and what was scanned in them. Not breaking: older processes ignore the new tables.

create table packing_sessions (
  id uuid primary key,
  org_id uuid not null,
  order_id uuid not null references orders (id) on delete cascade,
  status text not null,
  station text,
  packer jsonb not null,
  box jsonb,
  weight jsonb,
  label_run_id uuid,
  created_at timestamptz not null,
  ended_at timestamptz,
  updated_at timestamptz not null,
  version integer not null
) with (fillfactor = 80);
create unique index packing_sessions_open on packing_sessions (org_id, order_id) where status = 'open';
create index packing_sessions_by_order on packing_sessions (order_id);
create index packing_sessions_listed on packing_sessions (org_id, created_at desc, id desc);
create index packing_sessions_packed on packing_sessions (org_id, ended_at) where status = 'packed';
comment on table packing_sessions is 'The packing of one order at a station. An order has at most one open session.';
comment on column packing_sessions.packer is 'Who packs, or packed, the order. Another caller or station has to take over.';
comment on column packing_sessions.box is 'Name, dimensions and empty weight of the chosen box.';
comment on column packing_sessions.label_run_id is 'The last run that bought the label. The run may have been deleted since.';

create table packing_scans (
  session_id uuid not null references packing_sessions (id) on delete cascade,
  position integer not null,
  org_id uuid not null,
  line_id text not null,
  quantity integer not null,
  scanned_at timestamptz not null,
  primary key (session_id, position)
);
comment on table packing_scans is 'Units counted in a session, in the order of their scans. An undone scan is deleted; the audit log keeps it.';

do $$
declare
  owned text;
begin
  foreach owned in array array['packing_sessions', 'packing_scans'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;
