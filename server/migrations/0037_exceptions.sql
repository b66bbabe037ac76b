-- The inbox of what went wrong and somebody has to see; which step of a run has queued an execution, and whether it does only
-- what failed in another one. Not breaking: adds a table and columns.

create table exceptions (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  -- One trouble is one row, however often it is met.
  fact_key text not null,
  kind text not null,
  code text not null,
  status text not null,
  message text not null,
  reason text,
  about_type text not null,
  about_id uuid,
  about_name text,
  order_id uuid,
  bridge_id uuid,
  task_name text,
  execution_id uuid,
  -- Of the hold that the order has because of it: with the hold it goes.
  hold_handle text,
  details jsonb not null,
  -- A record as it came belongs to people.
  sealed_record text,
  -- Of code and details: whether it is still the trouble that somebody has decided about.
  digest text not null,
  -- Given by the statement that has opened it, which so knows that it did.
  opening uuid not null,
  times_seen integer not null,
  first_seen_at timestamptz not null,
  opened_at timestamptz not null,
  last_seen_at timestamptz not null,
  last_fix jsonb,
  resolved_at timestamptz,
  resolved_by jsonb,
  resolution text
);
create unique index exceptions_fact_key on exceptions (org_id, fact_key);
create index exceptions_newest on exceptions (org_id, opened_at desc, id desc);
create index exceptions_open on exceptions (org_id, opened_at desc, id desc) where status = 'open';
create index exceptions_unresolved on exceptions (org_id, bridge_id) where status <> 'resolved';
create index exceptions_by_order on exceptions (org_id, order_id) where order_id is not null;
create index exceptions_by_execution on exceptions (org_id, execution_id) where execution_id is not null;
create index exceptions_old on exceptions (coalesce(resolved_at, last_seen_at));
alter table exceptions enable row level security;
create policy own_organization on exceptions using (org_id = (select current_org()));

alter table task_executions add column run_step smallint, add column is_partial boolean not null default false;
