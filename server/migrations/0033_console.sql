-- What the console keeps: views of lists, hotkeys and owners of pipelines, and which pipeline a run is of. Not breaking: the
-- pipelines there are stay everybody's.

create table saved_views (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  -- Who made it: the kind of caller and its id.
  owner text not null,
  list text not null,
  name text not null,
  settings jsonb not null,
  is_shared boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index saved_views_by_org on saved_views (org_id, created_at desc, id desc);
create index saved_views_by_list on saved_views (org_id, list, created_at desc, id desc);
create unique index saved_views_name_key on saved_views (org_id, list, lower(name)) where is_shared;
create unique index saved_views_own_name_key on saved_views (org_id, owner, list, lower(name)) where not is_shared;
alter table saved_views enable row level security;
create policy own_organization on saved_views using (org_id = (select current_org()));

alter table operation_pipelines add column is_shared boolean not null default true,
  add column owner text,
  add column hotkey smallint;
-- Two people may each have one with the same name and key, of which the other one knows nothing.
drop index operation_pipelines_name_key;
create unique index operation_pipelines_name_key on operation_pipelines (org_id, lower(name)) where is_shared;
create unique index operation_pipelines_own_name_key on operation_pipelines (org_id, owner, lower(name))
  where not is_shared;
create unique index operation_pipelines_hotkey_key on operation_pipelines (org_id, hotkey) where is_shared;
create unique index operation_pipelines_own_hotkey_key on operation_pipelines (org_id, owner, hotkey) where not is_shared;

-- No foreign key: a run says what it was made of, also when that is gone.
alter table operation_runs add column pipeline_id uuid;

-- What a run has queued, beside its results.
create index task_executions_by_run on task_executions (run_id, created_at desc, id desc) where run_id is not null;
