-- Schedules: when a task of a bridge runs by itself. Nothing that exists is changed.
create table schedules (
  id uuid primary key,
  org_id uuid not null references organizations,
  name text,
  bridge_id uuid not null references bridges,
  task_name text not null,
  cron text not null,
  timezone text not null,
  input jsonb not null,
  overlap text not null,
  missed text not null,
  is_active boolean not null,
  paused_at timestamptz,
  paused_by jsonb,
  -- The next occurrence that was not dealt with yet; none while paused.
  next_run_at timestamptz,
  -- An occurrence that waits for the run before it to end.
  waiting_for timestamptz,
  last_run_at timestamptz,
  last_execution_id uuid,
  last_skipped jsonb,
  run_count integer not null default 0,
  skipped_overlap_count integer not null default 0,
  missed_count integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1
);
create index schedules_newest on schedules (org_id, created_at desc, id desc);
create index schedules_by_bridge on schedules (org_id, bridge_id, created_at desc, id desc);
create index schedules_due on schedules (next_run_at) where next_run_at is not null;
create index schedules_waiting on schedules (waiting_for) where waiting_for is not null;

-- Does a run of this schedule still go on, and how many did not succeed: both stay fast however long its history is.
create index task_executions_open_by_schedule on task_executions (schedule_id)
  where schedule_id is not null and status in ('queued', 'running');
create index task_executions_failed_by_schedule on task_executions (schedule_id)
  where schedule_id is not null and status in ('failed', 'timed_out', 'expired');
