-- A bridge is a configured connector. Deleted ones stay as a row without credentials: orders and executions name them.
create table bridges (
  id uuid primary key,
  org_id uuid not null references organizations,
  name text not null,
  connector text not null,
  settings jsonb not null,
  sealed_credentials text,
  is_active boolean not null default true,
  concurrency integer,
  consecutive_failures integer not null default 0,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_error jsonb,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1
);
create unique index bridges_name_key on bridges (org_id, lower(name)) where deleted_at is null;

-- Where the next incremental pull of a task goes on.
create table bridge_cursors (
  bridge_id uuid not null references bridges,
  task_name text not null,
  cursor jsonb not null,
  execution_id uuid not null,
  updated_at timestamptz not null,
  primary key (bridge_id, task_name)
);

-- The truth about an execution; the job in the queue only points here. `attempt` never goes down: every write of an
-- attempt names it, so that a worker that woke up too late writes nothing.
create table task_executions (
  id uuid primary key,
  org_id uuid not null references organizations,
  bridge_id uuid not null references bridges,
  task_name text not null,
  status text not null,
  mode text not null,
  trigger text not null,
  schedule_id uuid,
  scheduled_for timestamptz,
  retry_of uuid references task_executions,
  run_id uuid,
  -- What its end means for the orders it sends; see follow-ups.ts.
  follow_up text,
  effect_root uuid not null,
  input jsonb not null,
  sent_input jsonb,
  result jsonb,
  error jsonb,
  progress jsonb,
  checkpoint jsonb,
  transformations jsonb,
  attempts jsonb not null default '[]',
  attempt integer not null default 0,
  max_attempts integer not null,
  retry_delay_ms integer not null,
  timeout_ms integer not null,
  expires_at timestamptz,
  next_attempt_at timestamptz,
  cancel_requested_at timestamptz,
  job_id uuid,
  lease_owner uuid,
  lease_until timestamptz,
  created_by jsonb not null,
  request_id text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
create index task_executions_newest on task_executions (org_id, created_at desc, id desc);
create index task_executions_by_bridge on task_executions (org_id, bridge_id, created_at desc, id desc);
create index task_executions_open on task_executions (org_id, status, created_at desc, id desc)
  where status <> 'succeeded';
create index task_executions_by_schedule on task_executions (schedule_id, created_at desc) where schedule_id is not null;
create index task_executions_leased on task_executions (lease_until) where status = 'running';
create index task_executions_expiring on task_executions (expires_at) where status = 'queued' and expires_at is not null;
create index task_executions_retries on task_executions (retry_of) where retry_of is not null;
-- One execution per occurrence of a schedule, whoever tries to make it.
create unique index task_executions_occurrence on task_executions (schedule_id, scheduled_for)
  where schedule_id is not null and scheduled_for is not null;

create table task_logs (
  execution_id uuid not null references task_executions on delete cascade,
  attempt integer not null,
  position bigint generated always as identity,
  level text not null,
  message text not null,
  at timestamptz not null,
  primary key (execution_id, position)
);

-- Something that was about to be done outside, written down before it is tried: after a crash nobody has to guess.
create table task_effects (
  org_id uuid not null references organizations,
  effect_key text not null,
  execution_id uuid not null references task_executions,
  order_id uuid,
  status text not null,
  sent jsonb,
  error jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, effect_key)
);
create index task_effects_by_execution on task_effects (execution_id);

-- When the state of an order that came from a bridge was made there: an older state never overwrites a newer one.
alter table orders add column source_updated_at timestamptz;
