-- What was removed because of its age is counted until the audit log says it, once for each kind. Not breaking: adds a table.
create table removals (
  org_id uuid not null references organizations (id),
  kind text not null,
  ended_before timestamptz not null,
  count bigint not null,
  primary key (org_id, kind, ended_before)
);
alter table removals enable row level security;
create policy own_organization on removals using (org_id = (select current_org()));
