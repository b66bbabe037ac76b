-- Automations on more than orders: an order among them, waits, branches and tasks. Not breaking: existing automations keep their
-- pipeline, and their order is that of their creation.

alter table automations
  alter column pipeline_id drop not null,
  add column branches jsonb,
  add column otherwise uuid,
  add column task jsonb,
  add column wait jsonb,
  add column stop_further_rules boolean not null default false,
  add column max_per_object integer,
  add column position integer,
  add column wait_cursor bigint not null default 0;
update automations automation
   set position = numbered.position
  from (select id, row_number() over (partition by org_id order by created_at, id) as position from automations) numbered
 where numbered.id = automation.id;
alter table automations
  alter column position set not null,
  add constraint automations_position_key unique (org_id, position) deferrable initially immediate;
comment on column automations.pipeline_id is 'The pipeline of all its orders; null: it has branches or a task.';
comment on column automations.branches is 'Conditions with a pipeline each, the first that an order meets counts; null: none.';
comment on column automations.otherwise is 'The pipeline of orders that meet no branch; null: they are left out.';
comment on column automations.task is 'The bridge task that is queued for each event; null: it runs pipelines.';
comment on column automations.wait is 'What orders wait for between the event and the run; null: nothing.';
comment on column automations.stop_further_rules is 'Automations after it leave out the orders that it matched.';
comment on column automations.max_per_object is 'How often it may run for the same order, or task for the same object; null: any number.';
comment on column automations.position is 'Automations on the same event run in this order. Deferrable: a new order swaps positions in one statement.';
comment on column automations.wait_cursor is 'The last event about orders that was compared with its waiting orders.';

create table automation_pipelines (
  automation_id uuid not null references automations (id) on delete cascade,
  pipeline_id uuid not null constraint automations_pipeline_fkey references operation_pipelines (id),
  org_id uuid not null,
  primary key (automation_id, pipeline_id)
);
create index automation_pipelines_by_pipeline on automation_pipelines (pipeline_id);
comment on table automation_pipelines is 'Pipelines in the branches of automations, which keep them from being deleted.';

create table automation_waits (
  id uuid primary key,
  org_id uuid not null,
  automation_id uuid not null references automations (id) on delete cascade,
  order_id uuid not null,
  sequence bigint not null,
  automation_path uuid[] not null,
  since timestamptz not null,
  ends_at timestamptz not null,
  due_at timestamptz not null,
  constraint automation_waits_once unique (automation_id, order_id)
);
create index automation_waits_due on automation_waits (automation_id, due_at, id);
comment on table automation_waits is 'Orders that wait between the event and the run of an automation. Its worker takes them under the lease of the automation.';
comment on column automation_waits.sequence is 'The event that made the order wait.';
comment on column automation_waits.automation_path is 'The automations that led to the event.';
comment on column automation_waits.ends_at is 'When the wait is over: the time waited for, or the end of the time for the condition.';
comment on column automation_waits.due_at is 'When the order is checked next. A change of the order sets it to now.';

create table automation_stops (
  org_id uuid not null,
  sequence bigint not null,
  order_id uuid not null,
  automation_id uuid not null references automations (id) on delete cascade,
  stopped_at timestamptz not null,
  primary key (org_id, sequence, order_id, automation_id)
);
create index automation_stops_by_age on automation_stops (stopped_at);
create index automation_stops_by_automation on automation_stops (automation_id);
comment on table automation_stops is 'Orders of an event that an automation with stop_further_rules matched: automations after it leave them out.';

create table automation_object_counts (
  automation_id uuid not null references automations (id) on delete cascade,
  object_key text not null,
  org_id uuid not null,
  count integer not null,
  last_at timestamptz not null,
  primary key (automation_id, object_key)
);
create index automation_object_counts_by_age on automation_object_counts (last_at);
comment on table automation_object_counts is 'How often an automation with max_per_object has run for an object.';
comment on column automation_object_counts.object_key is 'The order; with a task the object of the event, or bridge and task of an execution.';

alter table automation_invocations
  add column branch text,
  add column execution_ids uuid[];
comment on column automation_invocations.branch is 'Index of the branch, or otherwise; null: the automation has no branches.';
comment on column automation_invocations.execution_ids is 'Executions that were queued.';

alter table shipment_labels add column cause jsonb;
comment on column shipment_labels.cause is 'The automation behind the run that requested the label or its void: responses of the carrier must not trigger it again.';

do $$
declare
  owned text;
begin
  foreach owned in array array['automation_pipelines', 'automation_waits', 'automation_stops', 'automation_object_counts'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;
