-- A few records that passed through an execution, sealed and for a week: a changed transformation is tried on them.
-- Nothing that exists is changed.
create table task_samples (
  execution_id uuid primary key references task_executions on delete cascade,
  org_id uuid not null references organizations,
  bridge_id uuid not null references bridges,
  task_name text not null,
  sealed text not null,
  created_at timestamptz not null
);
create index task_samples_newest on task_samples (org_id, bridge_id, task_name, created_at desc, execution_id desc);
create index task_samples_oldest on task_samples (created_at);
