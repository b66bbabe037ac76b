-- Sign-in of browsers by a cookie, and what people set for themselves. Not breaking.

-- Of a session that a browser has: what its cookie holds, hashed. Such a session has no refresh tokens.
alter table user_sessions add column cookie_hash bytea,
  -- Who they are was shown at the OIDC issuer, and is shown there again.
  add column is_by_issuer boolean not null default false;
create unique index user_sessions_by_cookie on user_sessions (cookie_hash) where cookie_hash is not null;

create table user_preferences (
  user_id uuid primary key references users (id) on delete cascade,
  org_id uuid not null references organizations (id),
  preferences jsonb not null,
  updated_at timestamptz not null,
  version integer not null
);
create index user_preferences_by_org on user_preferences (org_id);
alter table user_preferences enable row level security;
create policy own_organization on user_preferences using (org_id = (select current_org()));

-- In which its people agree to read times.
alter table organizations add column time_zone text not null default 'UTC';
