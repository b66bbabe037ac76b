-- Invitations, links to choose a new password, and the mails of the hub itself. Not breaking: older processes ignore the new tables.

create table invitations (
  id uuid primary key,
  org_id uuid not null,
  email text not null,
  name text,
  role text not null,
  token_hash bytea not null constraint invitations_token_key unique,
  created_by jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  emailed_at timestamptz,
  accepted_at timestamptz,
  revoked_at timestamptz
);
create unique index invitations_open_key on invitations (org_id, lower(email)) where accepted_at is null and revoked_at is null;
create index invitations_by_organization on invitations (org_id, created_at desc, id desc);
create index invitations_by_age on invitations (expires_at);
comment on table invitations is 'Links with which people choose their own name and password. Only a hash of each link is stored.';
comment on column invitations.emailed_at is 'When the link was last queued as an e-mail; null: it was only shown.';

create table password_resets (
  id uuid primary key,
  org_id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  token_hash bytea not null constraint password_resets_token_key unique,
  created_by jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index password_resets_by_user on password_resets (user_id, created_at desc);
create index password_resets_by_age on password_resets (expires_at);
comment on table password_resets is 'Links with which users choose a new password. Only a hash of each link is stored.';

create table password_reset_requests (
  id uuid primary key,
  email text not null,
  requested_at timestamptz not null
);
comment on table password_reset_requests is
  'E-mail addresses whose owner asked for a link. Looked up in the background, so that the response does not reveal which addresses have an account.';

create table mails (
  id uuid primary key,
  org_id uuid not null,
  sealed text not null,
  created_at timestamptz not null,
  due_at timestamptz,
  lease_owner uuid,
  lease_until timestamptz,
  lease_attempts integer not null default 0
);
create index mails_due on mails (org_id, due_at, id) where due_at is not null;
comment on table mails is 'Mails of the hub itself that wait to be sent. A row is deleted when its mail was sent or given up.';
comment on column mails.sealed is 'Recipient, subject and text, encrypted: links to sign in are among them.';

do $$
declare
  owned text;
begin
  foreach owned in array array['invitations', 'password_resets', 'mails'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;
