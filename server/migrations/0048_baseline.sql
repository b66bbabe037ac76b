-- hub: baseline
-- The schema as the first 48 migrations made it. A database that has them counts as having this one; an older database is
-- upgraded by the last version that has those files. docs/schema.md shows the present schema and what each table is for.

-- The organization of the request, for the policies below. Set by every transaction of a request.
create function current_org() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('hub.org', true), '')::uuid;

-- Organizations, users and API keys

create table organizations (
  id uuid primary key,
  name text not null,
  is_operator boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  outbound_hosts text[] not null default '{}',
  requires_totp boolean not null default false,
  requires_step_up boolean not null default false,
  time_zone text not null default 'UTC'
);
create unique index organizations_one_operator on organizations (is_operator) where is_operator;

create table organization_domains (
  domain text primary key check (domain = lower(domain)),
  org_id uuid not null references organizations (id)
);
create index organization_domains_by_org on organization_domains (org_id, domain);

create table users (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  email text not null,
  name text not null,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  status text not null check (status in ('active', 'disabled')),
  password_hash text,
  oidc_subject text,
  last_signed_in_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index users_oidc_subject_key on users (oidc_subject);
create index users_by_org on users (org_id, created_at desc, id desc);
create unique index users_email_key on users (org_id, lower(email));
create index users_by_email on users (lower(email));

create table user_preferences (
  user_id uuid primary key references users (id) on delete cascade,
  org_id uuid not null references organizations (id),
  preferences jsonb not null,
  updated_at timestamptz not null,
  version integer not null
);
create index user_preferences_by_org on user_preferences (org_id);

create table user_sessions (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  user_id uuid not null references users (id) on delete cascade,
  address text,
  network text,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('signed_out', 'revoked', 'password_changed', 'disabled', 'token_reused')),
  proved_at timestamptz,
  cookie_hash bytea,
  is_by_issuer boolean not null default false,
  check ((ended_at is null) = (end_reason is null))
);
create index user_sessions_by_user on user_sessions (org_id, user_id, created_at desc, id desc);
create index user_sessions_by_holder on user_sessions (user_id);
create index user_sessions_by_expiry on user_sessions (expires_at);
create unique index user_sessions_by_cookie on user_sessions (cookie_hash) where cookie_hash is not null;

create table refresh_tokens (
  token_hash bytea primary key,
  family_id uuid not null references user_sessions (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index refresh_tokens_by_family on refresh_tokens (family_id);
create index refresh_tokens_by_user on refresh_tokens (user_id);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);

create table user_totp (
  user_id uuid primary key references users (id) on delete cascade,
  org_id uuid not null references organizations (id),
  secret text not null,
  confirmed_at timestamptz,
  last_step bigint not null default 0,
  created_at timestamptz not null
);

create table user_recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

create table sign_in_attempts (
  account bytea primary key,
  user_ids uuid[] not null,
  failures integer not null,
  blocked_until timestamptz not null,
  last_try uuid not null,
  last_at timestamptz not null,
  unreported integer not null default 0,
  addresses text[] not null default '{}',
  reported_at timestamptz
);
create index sign_in_attempts_by_age on sign_in_attempts (last_at);
create index sign_in_attempts_unreported on sign_in_attempts (reported_at) where unreported > 0;

create table api_keys (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  prefix text not null,
  last4 text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  created_by jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  replaced_by uuid,
  maker_is_gone boolean not null default false
);
create unique index api_keys_prefix_key on api_keys (prefix);
create index api_keys_by_org on api_keys (org_id, created_at desc, id desc) where revoked_at is null;
create index api_keys_by_maker on api_keys (org_id, ((created_by ->> 'id'))) where revoked_at is null;

-- The hub itself

create table hub_state (
  key text primary key,
  value jsonb not null
);

create table secret_keys (
  key_id text primary key,
  first_used_at timestamptz not null
);

create table idempotency_keys (
  org_id uuid not null,
  caller text not null,
  key text not null,
  fingerprint bytea not null,
  claim uuid not null,
  claimed_until timestamptz not null,
  status integer,
  answer text,
  created_at timestamptz not null,
  primary key (org_id, caller, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table request_log (
  id uuid primary key,
  org_id uuid not null,
  at timestamptz not null,
  request_id text not null,
  method text not null,
  route text not null,
  object_id uuid,
  status smallint not null,
  code text,
  duration_ms integer not null,
  actor_type text not null,
  actor_id uuid not null,
  left_out integer not null
);
create index request_log_by_org on request_log (org_id, id desc);
create index request_log_by_request on request_log (org_id, request_id);
create index request_log_old on request_log using brin (at);

create table saved_views (
  id uuid primary key,
  org_id uuid not null references organizations (id),
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

-- Events and audit log

create table unsealed_events (
  org_id uuid not null references organizations (id),
  position bigint generated always as identity,
  id uuid not null,
  type text not null,
  object_type text not null,
  object_id uuid not null,
  actor jsonb not null,
  request_id text,
  data jsonb not null,
  occurred_at timestamptz not null,
  primary key (org_id, "position")
);

create table events (
  id uuid not null,
  org_id uuid not null,
  type text not null,
  object_type text not null,
  object_id uuid not null,
  actor jsonb not null,
  request_id text,
  data jsonb not null,
  occurred_at timestamptz not null,
  sequence bigint not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (org_id, sequence)
);
create index events_by_object on events (org_id, object_id, sequence);
create index events_by_type on events (org_id, type, sequence);

create table event_items (
  org_id uuid not null,
  object_id uuid not null,
  sequence bigint not null,
  primary key (org_id, object_id, sequence)
);

create table audit_heads (
  org_id uuid primary key references organizations (id),
  sequence bigint not null,
  hash bytea not null,
  signed_at timestamptz,
  key_id text,
  signature bytea
);

create table removals (
  org_id uuid not null references organizations (id),
  kind text not null,
  ended_before timestamptz not null,
  count bigint not null,
  primary key (org_id, kind, ended_before)
);

-- Condition sets

create table condition_sets (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  description text not null,
  matching text not null check (matching in ('case_insensitive', 'exact')),
  value_count integer not null default 0 check (value_count >= 0 and value_count <= 100000),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index condition_sets_name_key on condition_sets (org_id, lower(name));
create index condition_sets_by_org on condition_sets (org_id, created_at desc, id desc);

create table condition_set_values (
  set_id uuid not null references condition_sets (id) on delete cascade,
  match_key text not null,
  value text not null,
  position bigint generated always as identity,
  primary key (set_id, match_key)
);
create index condition_set_values_in_order on condition_set_values (set_id, "position");

create table condition_set_uses (
  set_id uuid not null references condition_sets (id),
  org_id uuid not null,
  user_type text not null,
  user_id uuid not null,
  user_name text not null,
  primary key (set_id, user_type, user_id)
);
create index condition_set_uses_by_user on condition_set_uses (org_id, user_type, user_id);

-- Bridges and transformations

create table bridges (
  id uuid primary key,
  org_id uuid not null references organizations (id),
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
  version integer not null default 1,
  number_prefix text
);
create unique index bridges_name_key on bridges (org_id, lower(name)) where deleted_at is null;

create table bridge_tokens (
  bridge_id uuid primary key references bridges (id),
  org_id uuid not null,
  sealed text,
  renew_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz
);

create table bridge_cursors (
  bridge_id uuid not null references bridges (id),
  task_name text not null,
  cursor jsonb not null,
  execution_id uuid not null,
  updated_at timestamptz not null,
  site text,
  primary key (bridge_id, task_name)
);

create table bridge_notices (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  bridge_id uuid not null references bridges (id),
  notice_id text not null,
  topic text not null,
  payload jsonb,
  execution_id uuid,
  received_at timestamptz not null
);
create unique index bridge_notices_once on bridge_notices (bridge_id, notice_id);
create index bridge_notices_by_execution on bridge_notices (execution_id, received_at, id);
create index bridge_notices_by_age on bridge_notices (received_at);

create table transformations (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  bridge_id uuid not null references bridges (id),
  task_name text not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  mappings jsonb not null,
  set_ids jsonb not null,
  is_active boolean not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  mode text not null
);
create unique index transformations_active_key on transformations (org_id, bridge_id, task_name, direction) where is_active;
create index transformations_newest on transformations (org_id, created_at desc, id desc);
create index transformations_by_task on transformations (org_id, bridge_id, task_name, created_at desc, id desc);

create table transformation_versions (
  transformation_id uuid not null references transformations (id) on delete cascade,
  version integer not null,
  org_id uuid not null,
  name text not null,
  mappings jsonb not null,
  is_active boolean not null,
  created_by jsonb not null,
  created_at timestamptz not null,
  mode text not null,
  primary key (transformation_id, version)
);

-- Locations

create table locations (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  type text not null,
  address jsonb not null,
  metadata jsonb not null,
  is_default boolean not null,
  is_active boolean not null default true,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  bridge_id uuid references bridges (id),
  external_id text,
  locked_fields text[] not null default '{}',
  last_synced_at timestamptz
);
create unique index locations_name_key on locations (org_id, lower(name));
create unique index locations_one_default on locations (org_id) where is_default;
create index locations_by_org on locations (org_id, created_at desc, id desc);
create unique index locations_external_key on locations (bridge_id, external_id) where external_id is not null;

-- Orders

create table orders (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  number text not null,
  status text not null,
  payment_status text not null,
  priority smallint not null,
  on_hold boolean not null,
  holds jsonb not null,
  hold_until timestamptz,
  tags text[] not null,
  channel text,
  bridge_id uuid,
  external_id text,
  customer jsonb not null,
  shipping_address jsonb,
  billing_address jsonb,
  address_status text not null,
  lines jsonb not null,
  currency text not null,
  total_cents bigint,
  shipping jsonb not null,
  packages jsonb not null,
  shipments jsonb not null,
  notes jsonb not null,
  custom_fields jsonb not null,
  location_id uuid references locations (id),
  assignee_id uuid references users (id) on delete set null,
  parent_order_id uuid,
  merged_into_id uuid,
  child_count smallint not null default 0,
  ordered_at timestamptz not null,
  ship_by timestamptz,
  deliver_by timestamptz,
  dispatch_on timestamptz,
  archived_at timestamptz,
  is_archived boolean generated always as (archived_at is not null) stored not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  source_updated_at timestamptz
) with (fillfactor = 85,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
create unique index orders_external_key on orders (bridge_id, external_id) where external_id is not null;
create index orders_by_org on orders (org_id, is_archived, created_at desc, id desc);
create index orders_by_status on orders (org_id, is_archived, status, created_at desc, id desc);
create index orders_on_hold on orders (org_id, is_archived, created_at desc, id desc) where on_hold;
create index orders_by_priority on orders (org_id, is_archived, priority, created_at desc, id desc);
create index orders_by_payment on orders (org_id, is_archived, payment_status, created_at desc, id desc);
create index orders_by_channel on orders (org_id, is_archived, channel, created_at desc, id desc) where channel is not null;
create index orders_by_location on orders (org_id, is_archived, location_id, created_at desc, id desc)
  where location_id is not null;
create index orders_by_assignee on orders (org_id, is_archived, assignee_id, created_at desc, id desc)
  where assignee_id is not null;
create index orders_by_bridge on orders (org_id, is_archived, bridge_id, created_at desc, id desc) where bridge_id is not null;
create index orders_by_update on orders (org_id, is_archived, updated_at desc, id desc);
create index orders_by_order_date on orders (org_id, is_archived, ordered_at desc, id desc);
create index orders_by_ship_by on orders (org_id, is_archived, ship_by, id);
create index orders_open_by_ship_by on orders (org_id, is_archived, status, ship_by, id)
  where status in ('draft', 'new', 'review_required', 'awaiting_payment', 'ready', 'sent', 'partially_shipped');
create index orders_to_release on orders (hold_until) where hold_until is not null;
create index orders_by_parent on orders (parent_order_id) where parent_order_id is not null;
create unique index orders_number_key on orders (org_id, number, bridge_id) nulls not distinct;

create table order_tags (
  org_id uuid not null,
  is_archived boolean not null,
  tag text not null,
  created_at timestamptz not null,
  order_id uuid not null,
  primary key (org_id, is_archived, tag, created_at, order_id)
) with (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
create index order_tags_by_order on order_tags (order_id);

create table order_marks (
  org_id uuid not null,
  is_archived boolean not null,
  mark text collate "C" not null,
  created_at timestamptz not null,
  order_id uuid not null,
  primary key (org_id, is_archived, mark, created_at, order_id)
) with (autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
create index order_marks_by_order on order_marks (order_id);
create index order_marks_failed on order_marks (order_id) where mark = 'failed';

create table order_search (
  org_id uuid not null,
  order_id uuid not null,
  part smallint not null,
  created_at timestamptz not null,
  is_archived boolean not null,
  words tsvector not null,
  primary key (order_id, part)
) with (fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
create index order_search_words on order_search using gin (words);

create table order_counts (
  org_id uuid not null,
  is_archived boolean not null,
  status text not null,
  on_hold boolean not null,
  orders integer not null
);
create index order_counts_by_org on order_counts (org_id);

create table order_number_counters (
  org_id uuid primary key references organizations (id),
  last_number bigint not null
);

create table order_changes (
  id uuid primary key,
  org_id uuid not null,
  order_id uuid not null,
  kind text not null,
  actor jsonb not null,
  request_id text,
  changes jsonb not null,
  version integer not null,
  occurred_at timestamptz not null
);
create index order_changes_by_order on order_changes (order_id, occurred_at desc, id desc);

create table order_sources (
  org_id uuid not null,
  order_id uuid not null,
  marks jsonb not null,
  primary key (org_id, order_id)
);

create table import_presets (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  settings jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index import_presets_by_org on import_presets (org_id, created_at desc, id desc);
create unique index import_presets_name_key on import_presets (org_id, lower(name));

-- Operations

create table operation_pipelines (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  description text not null,
  actions jsonb not null,
  on_error text not null,
  is_atomic boolean not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  is_shared boolean not null default true,
  owner text,
  hotkey smallint
);
create index operation_pipelines_by_org on operation_pipelines (org_id, created_at desc, id desc);
create unique index operation_pipelines_name_key on operation_pipelines (org_id, lower(name)) where is_shared;
create unique index operation_pipelines_own_name_key on operation_pipelines (org_id, owner, lower(name)) where not is_shared;
create unique index operation_pipelines_hotkey_key on operation_pipelines (org_id, hotkey) where is_shared;
create unique index operation_pipelines_own_hotkey_key on operation_pipelines (org_id, owner, hotkey) where not is_shared;

create table operation_selections (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  filter jsonb,
  matched integer not null,
  missing integer not null,
  by_status jsonb not null,
  sample jsonb not null,
  as_of timestamptz not null,
  expires_at timestamptz not null
);
create index operation_selections_by_org on operation_selections (org_id, as_of desc, id desc);
create index operation_selections_expiring on operation_selections (expires_at);

create table operation_selection_chunks (
  selection_id uuid not null references operation_selections (id) on delete cascade,
  position integer not null,
  order_ids uuid[] not null,
  primary key (selection_id, "position")
);

create table operation_preflights (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  selection_id uuid not null references operation_selections (id) on delete cascade
);
create index operation_preflights_by_selection on operation_preflights (selection_id);

create table operation_preflight_chunks (
  preflight_id uuid not null references operation_preflights (id) on delete cascade,
  position integer not null,
  versions integer[] not null,
  codes text[] not null,
  primary key (preflight_id, "position")
);

create table operation_runs (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  status text not null,
  actions jsonb not null,
  on_error text not null,
  is_atomic boolean not null,
  may_override boolean not null,
  note text,
  created_by jsonb not null,
  request_id text,
  retry_of uuid,
  undo_of uuid,
  root_run_id uuid not null,
  attempt integer not null,
  order_count integer not null,
  duplicates_removed integer not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  no_change integer not null default 0,
  drifted jsonb,
  cancel_requested boolean not null default false,
  lease_owner text,
  lease_until timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  due_at timestamptz,
  tries integer not null default 0,
  selection_id uuid,
  filter jsonb,
  left_out integer not null default 0,
  cause jsonb,
  condition jsonb,
  pipeline_id uuid
);
create index operation_runs_by_org on operation_runs (org_id, created_at desc, id desc);
create index operation_runs_by_root on operation_runs (root_run_id);
create index operation_runs_by_retry on operation_runs (retry_of) where retry_of is not null;
create index operation_runs_by_undo on operation_runs (undo_of) where undo_of is not null;
create index operation_runs_due on operation_runs (org_id, due_at, id) where due_at is not null;
create index operation_runs_ended on operation_runs (finished_at) where (retry_of is null) and (undo_of is null);

create table operation_run_chunks (
  run_id uuid not null references operation_runs (id) on delete cascade,
  position integer not null,
  refs text[] not null,
  order_ids uuid[] not null,
  todo integer[] not null,
  is_done boolean not null default false,
  versions integer[],
  primary key (run_id, "position")
);

create table operation_results (
  run_id uuid not null references operation_runs (id) on delete cascade,
  position integer not null,
  ref text not null,
  order_id uuid,
  order_number text,
  status text not null,
  is_unchanged boolean not null,
  todo integer not null,
  error_code text,
  error jsonb,
  steps jsonb not null,
  version_before integer,
  version_after integer,
  finished_at timestamptz not null,
  primary key (run_id, "position")
);
create index operation_results_by_order on operation_results (order_id, finished_at desc) where order_id is not null;
create index operation_results_failed on operation_results (run_id, status, "position");

create table operation_values (
  org_id uuid not null,
  order_id uuid not null,
  digest text not null,
  value jsonb not null,
  primary key (order_id, digest)
);

-- Automations and exceptions

create table automations (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  description text not null,
  trigger jsonb not null,
  event_types text[],
  condition jsonb,
  pipeline_id uuid not null constraint automations_pipeline_fkey references operation_pipelines (id),
  pipeline_digest text not null,
  mode text not null,
  max_per_hour integer not null,
  made_by jsonb not null,
  is_active boolean not null,
  paused_at timestamptz,
  paused_by jsonb,
  pause_reason jsonb,
  cursor bigint not null,
  next_run_at timestamptz,
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

create table automation_firings (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  automation_id uuid not null references automations (id) on delete cascade,
  kind text not null,
  cause jsonb not null,
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

create table exceptions (
  id uuid primary key,
  org_id uuid not null references organizations (id),
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
  hold_handle text,
  details jsonb not null,
  sealed_record text,
  digest text not null,
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

-- Tasks and schedules

create table schedules (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text,
  bridge_id uuid not null references bridges (id),
  task_name text not null,
  cron text not null,
  timezone text not null,
  input jsonb not null,
  overlap text not null,
  missed text not null,
  is_active boolean not null,
  paused_at timestamptz,
  paused_by jsonb,
  next_run_at timestamptz,
  waiting_for timestamptz,
  last_run_at timestamptz,
  last_execution_id uuid,
  last_skipped jsonb,
  run_count integer not null default 0,
  skipped_overlap_count integer not null default 0,
  missed_count integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  waiting_until timestamptz,
  owner jsonb,
  pause_reason jsonb
);
create index schedules_newest on schedules (org_id, created_at desc, id desc);
create index schedules_by_bridge on schedules (org_id, bridge_id, created_at desc, id desc);
create index schedules_due on schedules (next_run_at) where next_run_at is not null;
create index schedules_waiting on schedules (waiting_for) where waiting_for is not null;

create table task_executions (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  bridge_id uuid not null references bridges (id),
  task_name text not null,
  status text not null,
  mode text not null,
  trigger text not null,
  schedule_id uuid,
  scheduled_for timestamptz,
  retry_of uuid references task_executions (id),
  run_id uuid,
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
  lease_owner uuid,
  lease_until timestamptz,
  created_by jsonb not null,
  request_id text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  due_at timestamptz,
  lease_attempts integer not null default 0,
  bridge_limit integer not null default 1,
  cause jsonb,
  run_step smallint,
  is_partial boolean not null default false
);
create index task_executions_newest on task_executions (org_id, created_at desc, id desc);
create index task_executions_by_bridge on task_executions (org_id, bridge_id, created_at desc, id desc);
create index task_executions_open on task_executions (org_id, status, created_at desc, id desc) where status <> 'succeeded';
create index task_executions_by_schedule on task_executions (schedule_id, created_at desc) where schedule_id is not null;
create index task_executions_expiring on task_executions (expires_at) where (status = 'queued') and (expires_at is not null);
create index task_executions_retries on task_executions (retry_of) where retry_of is not null;
create unique index task_executions_occurrence on task_executions (schedule_id, scheduled_for)
  where (schedule_id is not null) and (scheduled_for is not null);
create index task_executions_open_by_schedule on task_executions (schedule_id)
  where (schedule_id is not null) and (status in ('queued', 'running'));
create index task_executions_failed_by_schedule on task_executions (schedule_id)
  where (schedule_id is not null) and (status in ('failed', 'timed_out', 'expired'));
create index task_executions_due on task_executions (bridge_id, due_at, id) where due_at is not null;
create index task_executions_leased on task_executions (bridge_id) where lease_owner is not null;
create index task_executions_ended on task_executions (finished_at);
create index task_executions_by_run on task_executions (run_id, created_at desc, id desc) where run_id is not null;

create table task_logs (
  execution_id uuid not null references task_executions (id) on delete cascade,
  attempt integer not null,
  position bigint generated always as identity,
  level text not null,
  message text not null,
  at timestamptz not null,
  primary key (execution_id, "position")
);

create table task_samples (
  execution_id uuid primary key references task_executions (id) on delete cascade,
  org_id uuid not null references organizations (id),
  bridge_id uuid not null references bridges (id),
  task_name text not null,
  sealed text not null,
  created_at timestamptz not null
);
create index task_samples_newest on task_samples (org_id, bridge_id, task_name, created_at desc, execution_id desc);
create index task_samples_oldest on task_samples (created_at);

create table task_effects (
  org_id uuid not null references organizations (id),
  effect_key text not null,
  execution_id uuid not null references task_executions (id),
  order_id uuid,
  status text not null,
  sent jsonb,
  error jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  bridge_id uuid not null references bridges (id),
  task_name text not null,
  part text not null default '',
  generation integer not null default 1,
  opened_by uuid not null,
  is_closed boolean not null default false,
  site text,
  content text,
  order_version integer,
  shipment jsonb,
  attempt integer not null default 0,
  primary key (org_id, effect_key)
);
create index task_effects_by_execution on task_effects (execution_id);
create unique index task_effects_by_fact on task_effects (org_id, order_id, bridge_id, task_name, part, generation);

create table unsent_shipments (
  order_id uuid primary key references orders (id) on delete cascade,
  org_id uuid not null,
  bridge_id uuid not null,
  order_version integer not null,
  due_at timestamptz not null,
  tries integer not null default 0,
  tried_at timestamptz
);
create index unsent_shipments_by_bridge on unsent_shipments (org_id, bridge_id, order_id);

alter table bridge_notices add constraint bridge_notices_execution_id_fkey
  foreign key (execution_id) references task_executions(id) on delete cascade;

-- Carriers

create table carrier_accounts (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  carrier text not null,
  description text not null,
  settings jsonb not null,
  credentials text,
  credential_fields text[] not null,
  pickup_rules jsonb not null,
  service_aliases jsonb not null,
  is_active boolean not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  due_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz,
  attempts integer not null default 0
);
create unique index carrier_accounts_name_key on carrier_accounts (org_id, lower(name));
create index carrier_accounts_by_org on carrier_accounts (org_id, created_at desc, id desc);
create index carrier_accounts_due on carrier_accounts (org_id, due_at, id) where due_at is not null;

create table rate_cards (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  account_id uuid not null references carrier_accounts (id) on delete cascade,
  number integer not null,
  name text not null,
  currency text not null,
  effective_from date not null,
  effective_to date,
  is_active boolean not null,
  card jsonb not null,
  service_count integer not null,
  created_by jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index rate_cards_number_key on rate_cards (account_id, number);
create index rate_cards_by_account on rate_cards (org_id, account_id, number desc);

create table zone_charts (
  account_id uuid primary key references carrier_accounts (id) on delete cascade,
  org_id uuid not null references organizations (id),
  name text not null,
  rows jsonb not null,
  row_count integer not null,
  number integer not null,
  uploaded_at timestamptz not null
);
create index zone_charts_by_org on zone_charts (org_id);

-- Shipments and pickups

create table shipments (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  order_id uuid references orders (id) on delete set null,
  order_number text,
  source text not null check (source in ('api', 'import', 'run', 'bridge', 'demo', 'label')),
  carrier text,
  service text,
  tracking_number text,
  carrier_key text collate "C",
  tracking_key text collate "C",
  order_key text collate "C",
  origin jsonb,
  destination jsonb,
  timezone text not null,
  weight jsonb,
  cost_cents bigint,
  currency text not null,
  metadata jsonb not null,
  shipped_at timestamptz not null,
  promised_at timestamptz,
  promised_date date,
  promise_source text,
  promise_ends_at timestamptz,
  estimated_at timestamptz,
  estimate_ends_at timestamptz,
  voided_at timestamptz,
  tracked_at timestamptz,
  events jsonb not null,
  status text not null,
  status_at timestamptz,
  accepted_at timestamptz,
  first_attempt_at timestamptz,
  delivered_at timestamptz,
  last_event_at timestamptz,
  late_at timestamptz,
  stalled_at timestamptz,
  not_accepted_at timestamptz,
  flagged_at timestamptz,
  is_predicted_late boolean not null,
  risk_at timestamptz,
  track_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  carrier_data jsonb
) with (fillfactor = 85,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
create unique index shipments_tracking_key on shipments
  (org_id, tracking_key, coalesce(carrier_key, ''), coalesce(order_id, '00000000-0000-0000-0000-000000000000'::uuid))
  where (tracking_key is not null) and (source <> 'run') and (voided_at is null);
create index shipments_by_org on shipments (org_id, created_at desc, id desc);
create index shipments_by_status on shipments (org_id, status, created_at desc, id desc);
create index shipments_by_carrier on shipments (org_id, carrier_key, created_at desc, id desc);
create index shipments_by_order on shipments (order_id, created_at desc, id desc) where order_id is not null;
create index shipments_by_ship_date on shipments (org_id, shipped_at desc, id desc);
create index shipments_by_delivery on shipments (org_id, delivered_at desc, id desc) where delivered_at is not null;
create index shipments_by_promise on shipments (org_id, promised_date, id) where promised_date is not null;
create index shipments_at_risk on shipments (org_id, risk_at, id)
  include (late_at, stalled_at, not_accepted_at, is_predicted_late, status) where risk_at is not null;
create index shipments_overdue on shipments (org_id, late_at) where (late_at is not null) and (first_attempt_at is null);
create index shipments_to_track on shipments (org_id, track_at, id) where track_at is not null;
create index shipments_by_tracking_number on shipments (org_id, tracking_key)
  include (created_at, id) where tracking_key is not null;
create index shipments_by_order_number on shipments (org_id, order_key) include (created_at, id) where order_key is not null;
create index shipments_by_promise_outcome on shipments (org_id, coalesce(first_attempt_at, late_at) desc, id desc)
  where promise_ends_at is not null;
create index shipments_by_service on shipments (org_id, lower(service), created_at desc, id desc) where service is not null;
create index shipments_by_state on shipments
  (org_id, upper(coalesce((destination ->> 'provinceCode'), (destination ->> 'province'))), created_at desc, id desc)
  where destination is not null;

create table shipment_labels (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  carrier_account_id uuid references carrier_accounts (id) on delete set null,
  carrier text not null,
  order_id uuid references orders (id) on delete set null,
  shipment_id uuid references shipments (id) on delete set null,
  status text not null check (status in ('requested', 'bought', 'failed', 'voided')),
  service text not null,
  from_address jsonb not null,
  to_address jsonb not null,
  weight jsonb not null,
  dimensions jsonb,
  reference text,
  lines jsonb not null,
  tracking_number text,
  cost_cents bigint,
  content_type text,
  content_bytes integer,
  content bytea,
  failure jsonb,
  void_requested_at timestamptz,
  attempts integer not null,
  due_at timestamptz,
  bought_at timestamptz,
  voided_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  carrier_data jsonb,
  lease_owner uuid,
  lease_until timestamptz,
  run_id uuid,
  run_step integer
);
alter table shipment_labels alter column content set storage external;
create index shipment_labels_by_org on shipment_labels (org_id, created_at desc, id desc);
create index shipment_labels_by_status on shipment_labels (org_id, status, created_at desc, id desc);
create index shipment_labels_by_order on shipment_labels (order_id, created_at desc, id desc) where order_id is not null;
create index shipment_labels_by_shipment on shipment_labels (shipment_id) where shipment_id is not null;
create index shipment_labels_by_account on shipment_labels (carrier_account_id) where carrier_account_id is not null;
create index shipment_labels_due on shipment_labels (org_id, due_at, id) where due_at is not null;
create index shipment_labels_with_file on shipment_labels (bought_at) where content is not null;
create index shipment_labels_of_runs on shipment_labels (run_id, order_id, run_step) where run_id is not null;

create table shipment_counts (
  org_id uuid not null references organizations (id),
  status text not null,
  count bigint not null,
  primary key (org_id, status)
);

create table shipment_sums (
  org_id uuid not null constraint shipment_days_org_id_fkey references organizations (id),
  quarter timestamptz not null,
  delivered integer not null,
  transit_count integer not null,
  transit_ms bigint not null,
  evaluated integer not null,
  on_time integer not null,
  primary key (org_id, quarter)
);
create index shipment_sums_by_quarter on shipment_sums (quarter);

create table shipment_day_sums (
  org_id uuid not null references organizations (id),
  day timestamptz not null,
  delivered integer not null,
  transit_count integer not null,
  transit_ms bigint not null,
  evaluated integer not null,
  on_time integer not null,
  primary key (org_id, day)
);
create index shipment_day_sums_by_day on shipment_day_sums (day);

create table pickups (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  carrier_account_id uuid references carrier_accounts (id) on delete set null,
  carrier text not null,
  location_id uuid references locations (id) on delete set null,
  status text not null,
  address jsonb not null,
  address_key text not null,
  timezone text not null,
  pickup_date date not null,
  ready_at timestamptz not null,
  close_at timestamptz not null,
  package_count integer not null,
  total_weight jsonb,
  instructions text,
  is_duplicate_allowed boolean not null,
  cancel_by timestamptz not null,
  confirmation_number text,
  charge_cents bigint,
  messages jsonb not null,
  failure jsonb,
  is_assumed boolean not null,
  revision integer not null,
  previous jsonb,
  cancel_requested_at timestamptz,
  cancel_reason text,
  cancelled_at timestamptz,
  history jsonb not null,
  attempts integer not null,
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  carrier_data jsonb,
  lease_owner uuid,
  lease_until timestamptz
);
create unique index pickups_one_a_day on pickups (org_id, carrier_account_id, address_key, pickup_date)
  where (status in ('requested', 'scheduled', 'dispatched')) and (not is_duplicate_allowed);
create index pickups_by_org on pickups (org_id, ready_at desc, id desc);
create index pickups_by_status on pickups (org_id, status, ready_at desc, id desc);
create index pickups_by_account on pickups (org_id, carrier_account_id, ready_at desc, id desc);
create index pickups_by_date on pickups (org_id, pickup_date, id);
create index pickups_due on pickups (org_id, due_at, id) where due_at is not null;
create index pickups_ended on pickups (updated_at) where status in ('completed', 'missed', 'cancelled', 'failed');

-- Rate comparisons

create table rate_comparisons (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  carrier_account_id uuid not null,
  carrier_account_name text not null,
  source_carrier text not null,
  source_account_id uuid,
  currency text not null,
  status text not null,
  revision integer not null default 0,
  shown_revision integer,
  options jsonb not null,
  item_count integer not null,
  processed integer not null default 0,
  rated integer not null default 0,
  estimated integer not null default 0,
  unrateable integer not null default 0,
  invalid integer not null default 0,
  excluded integer not null default 0,
  rate_card_id uuid,
  rate_card_version integer,
  rate_card_name text,
  card jsonb,
  source_card jsonb,
  rate_day date,
  profiles jsonb,
  totals json,
  summary json,
  error jsonb,
  created_by jsonb not null,
  request_id text,
  lease_owner text,
  lease_until timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  inputs_digest text,
  listed_revision integer,
  due_at timestamptz,
  tries integer not null default 0,
  dated_cards jsonb,
  input_stamps jsonb,
  ship_days text[] not null default '{}'
);
create index rate_comparisons_by_org on rate_comparisons (org_id, created_at desc, id desc);
create index rate_comparisons_by_status on rate_comparisons (org_id, status, created_at desc, id desc);
create index rate_comparisons_due on rate_comparisons (org_id, due_at, id) where due_at is not null;

create table rate_items (
  comparison_id uuid not null,
  position integer not null,
  tracking_number text not null,
  net_cents integer not null,
  service_type text not null,
  origin_zip text,
  origin_city text,
  origin_state text,
  destination_zip text,
  destination_city text,
  destination_state text,
  pounds integer,
  input text not null,
  charge_type text,
  parcel text,
  primary key (comparison_id, "position")
);

create table rate_results (
  comparison_id uuid not null,
  revision integer not null,
  position integer not null,
  status text not null,
  reason text,
  zone text,
  basis text,
  target_cents integer,
  savings_cents integer,
  zone_source text,
  distance_miles integer,
  alt_zone text,
  service_level text,
  target_service text,
  rated_mg bigint,
  low_cents integer,
  high_cents integer,
  break_even_mg bigint,
  lines json not null,
  source_service text,
  residential boolean,
  primary key (comparison_id, revision, "position")
);

create table rate_item_kinds (
  comparison_id uuid not null,
  revision integer not null,
  chunk_from integer not null,
  status text not null,
  reason text,
  zone text,
  basis text,
  sign integer,
  service_type text not null,
  items integer not null,
  positions integer[] not null
);
create index rate_item_kinds_by_comparison on rate_item_kinds (comparison_id, revision);

-- Webhooks

create table webhooks (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  url text not null,
  description text not null,
  types text[] not null,
  ordering text not null check (ordering in ('none', 'strict')),
  max_in_flight integer not null,
  signing text not null check (signing in ('hmac', 'ed25519')),
  header_names text[] not null,
  sealed_headers text,
  sealed_secret text not null,
  sealed_previous_secret text,
  public_key text,
  previous_public_key text,
  previous_until timestamptz,
  status text not null check (status in ('active', 'paused', 'disabled')),
  disabled_reason text,
  cursor bigint not null,
  places integer not null,
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
  deleted_at timestamptz,
  found bigint not null default 0,
  due_at timestamptz not null default '-infinity'::timestamp with time zone,
  lease_owner uuid,
  lease_until timestamptz,
  lease_attempts integer not null default 0,
  epoch integer not null default 0
) with (fillfactor = 70);
create index webhooks_by_org on webhooks (org_id, created_at desc, id desc) where deleted_at is null;
create index webhooks_due on webhooks (org_id, due_at, id) where due_at is not null;

create table webhook_deliveries (
  id uuid default gen_random_uuid() primary key,
  org_id uuid not null,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  event_id uuid not null,
  sequence bigint not null,
  type text not null,
  status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed', 'skipped')),
  tries integer not null default 0,
  attempt_count integer not null default 0,
  next_try_at timestamptz,
  last_status integer,
  last_error jsonb,
  created_at timestamptz not null,
  ended_at timestamptz,
  due_at timestamptz,
  attempt_at timestamptz,
  duration_ms integer,
  headers jsonb,
  answer text
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
create unique index webhook_deliveries_once on webhook_deliveries (webhook_id, sequence);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, id) where due_at is not null;
create index webhook_deliveries_failed on webhook_deliveries (webhook_id, sequence) where status = 'failed';
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;
create index webhook_deliveries_with_answers on webhook_deliveries (attempt_at)
  where (answer is not null) or (headers is not null);

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
create index webhook_attempts_with_answers on webhook_attempts (at) where (answer is not null) or (headers is not null);

create table webhook_resends (
  id uuid primary key,
  org_id uuid not null,
  webhook_id uuid not null references webhooks (id) on delete cascade,
  after_sequence bigint not null,
  until_sequence bigint not null,
  types text[],
  only_failed boolean not null,
  created_at timestamptz not null
);
create index webhook_resends_by_webhook on webhook_resends (webhook_id, created_at, id);

-- Rules of the event log

create view recorded_events with (security_invoker = true) as
  select org_id, id, type, object_type, object_id, actor, request_id, data, occurred_at from events
  union all
  select org_id, id, type, object_type, object_id, actor, request_id, data, occurred_at from unsealed_events;

create function refuse_event_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'unsealed_events' and tg_op = 'DELETE' and current_setting('hub.is_sealing', true) = 'yes' then
    return null;
  end if;
  raise exception 'events are append-only';
end $$;
create function refuse_event_truncation() returns trigger language plpgsql as $$
begin
  if current_setting('hub.is_resetting', true) = 'yes' then
    return null;
  end if;
  raise exception 'events are append-only';
end $$;
create trigger events_append_only before update or delete on events
  for each statement execute function refuse_event_change();
create trigger events_not_truncated before truncate on events
  for each statement execute function refuse_event_truncation();
create trigger unsealed_events_append_only before update or delete on unsealed_events
  for each statement execute function refuse_event_change();
create trigger unsealed_events_not_truncated before truncate on unsealed_events
  for each statement execute function refuse_event_truncation();

-- Rules of orders and shipments

create function rename_order_in_shipments() returns trigger language plpgsql as $$
begin
  update shipments set order_number = new.number, order_key = upper(new.number), updated_at = new.updated_at,
    version = version + 1 where org_id = new.org_id and order_id = new.id;
  return null;
end $$;
create trigger orders_renamed after update of number on orders
  for each row when (old.number is distinct from new.number)
  execute function rename_order_in_shipments();

create function note_unsent_shipments() returns trigger language plpgsql as $$
begin
  insert into unsent_shipments (order_id, org_id, bridge_id, order_version, due_at)
  values (new.id, new.org_id, new.bridge_id, new.version, new.updated_at)
  on conflict (order_id) do update set bridge_id = excluded.bridge_id, order_version = excluded.order_version,
    due_at = excluded.due_at, tries = 0, tried_at = null;
  return null;
end $$;
create trigger orders_shipped after insert on orders
  for each row when (new.bridge_id is not null and new.shipments <> '[]')
  execute function note_unsent_shipments();
create trigger orders_shipments_changed after update of shipments, bridge_id on orders
  for each row when (
    new.bridge_id is not null and new.shipments <> '[]'
    and (old.shipments is distinct from new.shipments or old.bridge_id is distinct from new.bridge_id))
  execute function note_unsent_shipments();

-- Row-level security
--
-- Requests use a role that is not the owner of the tables, so that these policies hide the rows of other organizations from every
-- statement. The role is made when the hub starts. Background work uses the owner, to which policies do not apply.
-- Tables without a policy here (hub_state, secret_keys, sign_in_attempts, schema_migrations) are closed to the request role.

do $$
declare
  owned text;
begin
  foreach owned in array array[
    'api_keys', 'audit_heads', 'automation_firings', 'automations', 'bridge_notices', 'bridge_tokens', 'bridges',
    'carrier_accounts', 'condition_set_uses', 'condition_sets', 'event_items', 'events', 'exceptions',
    'idempotency_keys', 'import_presets', 'locations', 'operation_pipelines', 'operation_preflights',
    'operation_runs', 'operation_selections', 'operation_values', 'order_changes', 'order_counts', 'order_marks',
    'order_number_counters', 'order_search', 'order_sources', 'order_tags', 'orders', 'organization_domains',
    'pickups', 'rate_cards', 'rate_comparisons', 'removals', 'request_log', 'saved_views', 'schedules',
    'shipment_counts', 'shipment_day_sums', 'shipment_labels', 'shipment_sums', 'shipments', 'task_effects',
    'task_executions', 'task_samples', 'transformation_versions', 'transformations', 'unsealed_events',
    'unsent_shipments', 'user_preferences', 'user_sessions', 'user_totp', 'users', 'webhook_attempts',
    'webhook_deliveries', 'webhook_resends', 'webhooks', 'zone_charts'
  ] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;

alter table organizations enable row level security;
create policy own_organization on organizations using (id = (select current_org()));

-- Tables without org_id belong to the organization of their parent row: one lookup by primary key per row that a request touches.
do $$
declare
  part record;
begin
  for part in
    select * from (values
      ('bridge_cursors', 'bridge_id', 'bridges'),
      ('condition_set_values', 'set_id', 'condition_sets'),
      ('operation_preflight_chunks', 'preflight_id', 'operation_preflights'),
      ('operation_results', 'run_id', 'operation_runs'),
      ('refresh_tokens', 'user_id', 'users'),
      ('task_logs', 'execution_id', 'task_executions'),
      ('user_recovery_codes', 'user_id', 'users')
    ) as parts (name, key, parent)
  loop
    execute format('alter table %I enable row level security', part.name);
    execute format(
      'create policy own_organization on %1$I using (
         (select parent.org_id from %3$I parent where parent.id = %1$I.%2$I) = (select current_org()))',
      part.name, part.key, part.parent);
  end loop;
end $$;

-- A comparison has hundreds of thousands of rows that are counted as a whole, and an organization has few comparisons: their ids are
-- looked up once per statement and hashed. A lookup per row took 4 us: 430 ms instead of 20 for 100,000 rows (PostgreSQL 18).
do $$
declare
  part text;
begin
  foreach part in array array['rate_item_kinds', 'rate_items', 'rate_results'] loop
    execute format('alter table %I enable row level security', part);
    execute format(
      'create policy own_organization on %I using (
         comparison_id in (select parent.id from rate_comparisons parent where parent.org_id = (select current_org())))',
      part);
  end loop;
end $$;

-- Batches are inserted by the statement that inserts their parent row, which is not visible yet. Rows that exist are looked up as
-- the owner sees them, so that the row of another organization is not taken for a missing one.
create function org_of_run(run_id uuid) returns uuid
  language sql stable security definer
  return (select run.org_id from operation_runs run where run.id = $1);
create function org_of_selection(selection_id uuid) returns uuid
  language sql stable security definer
  return (select selection.org_id from operation_selections selection where selection.id = $1);
alter table operation_run_chunks enable row level security;
create policy own_organization on operation_run_chunks
  using (org_of_run(run_id) = (select current_org()))
  with check (coalesce(org_of_run(run_id), (select current_org())) = (select current_org()));
alter table operation_selection_chunks enable row level security;
create policy own_organization on operation_selection_chunks
  using (org_of_selection(selection_id) = (select current_org()))
  with check (coalesce(org_of_selection(selection_id), (select current_org())) = (select current_org()));
