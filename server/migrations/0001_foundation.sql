-- Organizations, people, keys, idempotency, events, condition sets. Not breaking: first version.

create table organizations (
  id uuid primary key,
  name text not null,
  -- The organization that runs this hub; its administrators may reach across organizations.
  is_operator boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index organizations_one_operator on organizations (is_operator) where is_operator;

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
create unique index users_email_key on users (lower(email));
create unique index users_oidc_subject_key on users (oidc_subject);
create index users_by_org on users (org_id, created_at desc, id desc);

-- One row per refresh token ever given out in a session (family); a used one that comes back ends the family.
create table refresh_tokens (
  token_hash bytea primary key,
  family_id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz
);
create index refresh_tokens_by_family on refresh_tokens (family_id);
create index refresh_tokens_by_user on refresh_tokens (user_id);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);

create table api_keys (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  -- The readable start of the value, enough to recognise a key and to find its row.
  prefix text not null,
  last4 text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  created_by jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  replaced_by uuid
);
create unique index api_keys_prefix_key on api_keys (prefix);
create index api_keys_by_org on api_keys (org_id, created_at desc, id desc) where revoked_at is null;

create table idempotency_keys (
  org_id uuid not null,
  caller text not null,
  key text not null,
  fingerprint bytea not null,
  -- The attempt that holds the key; an attempt that lost its claim can no longer commit.
  claim uuid not null,
  claimed_until timestamptz not null,
  status integer,
  answer text,
  created_at timestamptz not null,
  primary key (org_id, caller, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- What happened. Rows are written unsealed in the transaction of the change; the sealer then gives each
-- organization's rows a gapless sequence and a hash chain, in an order in which nothing can appear later.
create table events (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  type text not null,
  object_type text not null,
  object_id uuid not null,
  actor jsonb not null,
  request_id text,
  data jsonb not null,
  occurred_at timestamptz not null,
  sequence bigint,
  previous_hash bytea,
  hash bytea
);
create unique index events_by_sequence on events (org_id, sequence) where sequence is not null;
create index events_unsealed on events (org_id, id) where sequence is null;
create index events_by_object on events (org_id, object_id, sequence);
create index events_by_type on events (org_id, type, sequence);

create function refuse_event_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.sequence is null and new.sequence is not null
     and (new.id, new.org_id, new.type, new.object_type, new.object_id, new.actor, new.data, new.occurred_at)
       = (old.id, old.org_id, old.type, old.object_type, old.object_id, old.actor, old.data, old.occurred_at)
     and new.request_id is not distinct from old.request_id then
    return new;
  end if;
  raise exception 'events are append-only';
end $$;
create trigger events_append_only before update or delete on events
  for each row execute function refuse_event_change();

create table condition_sets (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  name text not null,
  description text not null,
  matching text not null check (matching in ('case_insensitive', 'exact')),
  value_count integer not null default 0 check (value_count between 0 and 100000),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index condition_sets_name_key on condition_sets (org_id, lower(name));
create index condition_sets_by_org on condition_sets (org_id, created_at desc, id desc);

create table condition_set_values (
  set_id uuid not null references condition_sets (id) on delete cascade,
  -- What is compared: the value normalised, and lower-cased unless the set matches exactly.
  match_key text not null,
  value text not null,
  position bigint generated always as identity,
  primary key (set_id, match_key)
);
create index condition_set_values_in_order on condition_set_values (set_id, position);

-- Who refers to a set; a set in use cannot be deleted.
create table condition_set_uses (
  set_id uuid not null references condition_sets (id),
  org_id uuid not null,
  user_type text not null,
  user_id uuid not null,
  user_name text not null,
  primary key (set_id, user_type, user_id)
);
create index condition_set_uses_by_user on condition_set_uses (org_id, user_type, user_id);

-- Facts about this database as a whole, such as the preview clock.
create table hub_state (
  key text primary key,
  value jsonb not null
);
