-- Automations: pipelines that start by themselves, on events or by the clock. Not breaking.

create table automations (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  description text not null,
  -- As it was given: types of events, or a cron expression with its time zone; and a filter.
  trigger jsonb not null,
  -- What the types stand for; null: it goes by the clock.
  event_types text[],
  condition jsonb,
  -- Nobody deletes a pipeline under it.
  pipeline_id uuid not null constraint automations_pipeline_fkey references operation_pipelines (id),
  -- Of what the pipeline did when somebody last vouched for it: it does nothing else.
  pipeline_digest text not null,
  mode text not null,
  max_per_hour integer not null,
  -- In whose name, and so with whose rights.
  made_by jsonb not null,
  is_active boolean not null,
  paused_at timestamptz,
  paused_by jsonb,
  pause_reason jsonb,
  -- The last event that it has looked at.
  cursor bigint not null,
  -- The next time by the clock; null: it goes by events, or is paused.
  next_run_at timestamptz,
  -- From when on the orders of an hour are counted, if that is less than an hour ago.
  counted_since timestamptz not null,
  seen_count bigint not null default 0,
  matched_count bigint not null default 0,
  run_count bigint not null default 0,
  preflight_count bigint not null default 0,
  last_fired_at timestamptz,
  due_at timestamptz,
  lease_owner text,
  lease_until timestamptz,
  lease_attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  constraint automations_name_key unique (org_id, name)
);
create index automations_due on automations (org_id, due_at, id) where due_at is not null;
create index automations_by_pipeline on automations (pipeline_id);

-- What an automation did: a run or, in shadow, a preflight. One for each range of events and for each time by the clock,
-- whoever dies meanwhile.
create table automation_firings (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  automation_id uuid not null references automations (id) on delete cascade,
  kind text not null,
  cause jsonb not null,
  -- The same for the same range of events, or time by the clock.
  key text not null,
  order_count integer not null,
  run_id uuid,
  verdicts jsonb,
  errors_by_code jsonb,
  fired_at timestamptz not null,
  constraint automation_firings_once unique (automation_id, key)
);
create index automation_firings_by_automation on automation_firings (org_id, automation_id, fired_at desc, id desc);
create index automation_firings_by_age on automation_firings (fired_at);

-- Why a run was begun; null: somebody asked for it. What orders must meet besides the filter when their turn comes.
alter table operation_runs add column cause jsonb, add column condition jsonb;
-- The automation behind the run that queued it.
alter table task_executions add column cause jsonb;

do $$
declare
  named regclass;
begin
  foreach named in array array['automations', 'automation_firings']::regclass[] loop
    execute format('alter table %s enable row level security', named);
    execute format('create policy own_organization on %s using (org_id = (select current_org()))', named);
  end loop;
end $$;
