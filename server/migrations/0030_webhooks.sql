-- Webhooks: endpoints of others that are told what happens, what was sent to them, and how that went. Not breaking.
create table webhooks (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  url text not null,
  description text not null,
  -- As they were given: a family is all that it has at the time when something happens.
  types text[] not null,
  ordering text not null check (ordering in ('none', 'strict')),
  max_in_flight integer not null,
  signing text not null check (signing in ('hmac', 'ed25519')),
  -- The names tell what is set; the values are sealed.
  header_names text[] not null,
  sealed_headers text,
  sealed_secret text not null,
  sealed_previous_secret text,
  public_key text,
  previous_public_key text,
  -- Until then the previous secret signs as well.
  previous_until timestamptz,
  status text not null check (status in ('active', 'paused', 'disabled')),
  disabled_reason text,
  -- The log was looked through for it up to this entry, which is included.
  cursor bigint not null,
  -- So many deliveries may be under way at a time; fewer than max_in_flight while it fails.
  places integer not null,
  -- Nothing is sent before.
  wait_until timestamptz,
  consecutive_failures integer not null default 0,
  failing_since timestamptz,
  failing_told_at timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_error jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  deleted_at timestamptz
) with (fillfactor = 70);
create index webhooks_by_org on webhooks (org_id, created_at desc, id desc) where deleted_at is null;

-- One row for each event that a webhook is told. The event itself stays in the log.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  org_id uuid not null,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  event_id uuid not null,
  sequence bigint not null,
  type text not null,
  status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed', 'skipped')),
  -- How far it is in the plan of retries, and how often it was sent in all.
  tries integer not null default 0,
  attempt_count integer not null default 0,
  -- In strict order `due_at` is its place in the order; when its next try counts is here.
  next_try_at timestamptz,
  last_status integer,
  last_error jsonb,
  created_at timestamptz not null,
  ended_at timestamptz,
  due_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz,
  lease_attempts integer not null default 0,
  -- Counts how often it was taken: who was taken for dead writes nothing any more.
  epoch integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
create unique index webhook_deliveries_once on webhook_deliveries (webhook_id, sequence);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, id) where due_at is not null;
create index webhook_deliveries_leased on webhook_deliveries (webhook_id) where lease_owner is not null;
create index webhook_deliveries_failed on webhook_deliveries (webhook_id, sequence) where status = 'failed';
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;

-- Each time that one was sent, and what came back.
create table webhook_attempts (
  delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
  number integer not null,
  org_id uuid not null,
  at timestamptz not null,
  duration_ms integer not null,
  status integer,
  error jsonb,
  headers jsonb,
  answer text,
  primary key (delivery_id, number)
);
create index webhook_attempts_with_answers on webhook_attempts (at) where answer is not null or headers is not null;

-- Parts of the log that are to be sent again; taken up a little at a time, when nothing fresh waits.
create table webhook_resends (
  id uuid primary key,
  org_id uuid not null,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  -- From behind this entry, up to and including that one. The first moves.
  after_sequence bigint not null,
  until_sequence bigint not null,
  types text[],
  only_failed boolean not null,
  created_at timestamptz not null
);
create index webhook_resends_by_webhook on webhook_resends (webhook_id, created_at, id);

do $$
declare
  named regclass;
begin
  foreach named in array array['webhooks', 'webhook_deliveries', 'webhook_attempts', 'webhook_resends']::regclass[] loop
    execute format('alter table %s enable row level security', named);
    execute format('create policy own_organization on %s using (org_id = (select current_org()))', named);
  end loop;
end $$;
