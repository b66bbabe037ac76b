-- Tasks are claimed in their own table; the queue beside it is gone. Processes of before must not run beside it. What waits
-- or runs is taken up again.
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

-- How far a bridge has read is about one shop: another one is read from its beginning.
alter table bridge_cursors add column site text;

-- Shipments keep the number of their order, to be found by it: those of an order that gets another one follow.
create function rename_order_in_shipments() returns trigger language plpgsql as $$
begin
  update shipments set order_number = new.number, order_key = upper(new.number), updated_at = new.updated_at,
    version = version + 1 where org_id = new.org_id and order_id = new.id;
  return null;
end $$;
create trigger orders_renamed after update of number on orders
  for each row when (old.number is distinct from new.number) execute function rename_order_in_shipments();
