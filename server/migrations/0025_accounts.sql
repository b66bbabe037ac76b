-- Accounts: sessions, failed sign-ins, keys of makers who are gone. Not breaking: whoever is signed in stays signed in.

-- A session is what refresh tokens of one family belong to. The access tokens name it, so that they end with it.
create table user_sessions (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  user_id uuid not null references users (id) on delete cascade,
  -- Unknown of sessions that are older than this table.
  address text,
  -- The address, or the part of it that its holder can choose within.
  network text,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('signed_out', 'revoked', 'password_changed', 'disabled', 'token_reused')),
  check ((ended_at is null) = (end_reason is null))
);
create index user_sessions_by_user on user_sessions (org_id, user_id, created_at desc, id desc);
create index user_sessions_by_holder on user_sessions (user_id);
create index user_sessions_by_expiry on user_sessions (expires_at);
insert into user_sessions (id, org_id, user_id, created_at, last_used_at, expires_at, ended_at, end_reason)
  select t.family_id, u.org_id, t.user_id, min(t.created_at), max(t.created_at), max(t.expires_at), max(t.revoked_at),
         case when max(t.revoked_at) is not null then 'revoked' end
    from refresh_tokens t join users u on u.id = t.user_id group by t.family_id, u.org_id, t.user_id;
delete from refresh_tokens t where not exists (select from user_sessions s where s.id = t.family_id);
alter table refresh_tokens drop column revoked_at,
  add foreign key (family_id) references user_sessions (id) on delete cascade;

-- Tries to sign in, by a keyed hash of the address that was given: whether anybody has it makes no difference.
create table sign_in_attempts (
  account bytea primary key,
  -- Who has the address; nobody, or one in each of several organizations.
  user_ids uuid[] not null,
  failures integer not null,
  blocked_until timestamptz not null,
  last_try uuid not null,
  last_at timestamptz not null,
  -- Since the last event about them.
  unreported integer not null default 0,
  addresses text[] not null default '{}',
  reported_at timestamptz
);
create index sign_in_attempts_by_age on sign_in_attempts (last_at);
create index sign_in_attempts_unreported on sign_in_attempts (reported_at) where unreported > 0;

-- Keys made before keys ended with their makers: they are only flagged, since something may depend on them.
alter table api_keys add column maker_is_gone boolean not null default false;
update api_keys k set maker_is_gone = true
  where k.created_by ->> 'type' = 'user' and k.revoked_at is null
    and not exists (select from users u where u.id::text = k.created_by ->> 'id' and u.status = 'active');
create index api_keys_by_maker on api_keys (org_id, (created_by ->> 'id')) where revoked_at is null;

-- An address belongs to one account in each organization: nobody learns by making one whether another organization has it.
drop index users_email_key;
create unique index users_email_key on users (org_id, lower(email));
create index users_by_email on users (lower(email));

-- Whose people are known by an address of this domain: only they are signed in through the OIDC issuer by it.
create table organization_domains (
  domain text primary key check (domain = lower(domain)),
  org_id uuid not null references organizations (id)
);
create index organization_domains_by_org on organization_domains (org_id, domain);

-- Codes of an authenticator app (RFC 6238). The secret is sealed; a code is good once, so the last one that was used is kept.
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
alter table organizations add column requires_totp boolean not null default false,
  add column requires_step_up boolean not null default false;
-- When it was last shown that whoever uses the session knows more than its tokens.
alter table user_sessions add column proved_at timestamptz;
