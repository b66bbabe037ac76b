-- Tasks are claimed in their own table; the queue beside it is gone. Breaks nothing; what waits or runs is taken up again.
alter table task_executions
  -- From when on it may be worked on; null: it has ended.
  add column due_at timestamptz,
  add column lease_attempts integer not null default 0,
  -- How many of its bridge may run at a time.
  add column bridge_limit integer not null default 1,
  drop column job_id;

update task_executions set due_at = coalesce(next_attempt_at, created_at) where status in ('queued', 'running');
update task_executions e set bridge_limit = coalesce(b.concurrency, 5)
  from bridges b where b.id = e.bridge_id and e.due_at is not null;

drop index task_executions_leased;
create index task_executions_due on task_executions (bridge_id, due_at, id) where due_at is not null;
create index task_executions_leased on task_executions (bridge_id) where lease_owner is not null;
update task_executions set lease_owner = id, lease_until = now() where status = 'running' and lease_owner is null;

drop schema if exists queue cascade;
