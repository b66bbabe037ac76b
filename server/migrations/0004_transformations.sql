-- Mappings that run on the data of tasks, with all their versions.
create table transformations (
  id uuid primary key,
  org_id uuid not null references organizations,
  name text not null,
  bridge_id uuid not null references bridges,
  task_name text not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  mappings jsonb not null,
  -- The condition sets that the mappings name, by what they are called there: a set may be renamed later.
  set_ids jsonb not null,
  is_active boolean not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index transformations_active_key on transformations (org_id, bridge_id, task_name, direction) where is_active;
create index transformations_newest on transformations (org_id, created_at desc, id desc);
create index transformations_by_task on transformations (org_id, bridge_id, task_name, created_at desc, id desc);

create table transformation_versions (
  transformation_id uuid not null references transformations on delete cascade,
  version integer not null,
  org_id uuid not null,
  name text not null,
  mappings jsonb not null,
  is_active boolean not null,
  created_by jsonb not null,
  created_at timestamptz not null,
  primary key (transformation_id, version)
);
