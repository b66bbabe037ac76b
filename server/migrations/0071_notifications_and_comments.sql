-- Notifications of users, comments, and exceptions that are assigned to users. Not breaking: older processes ignore them.

alter table exceptions add column assignee_id uuid;
create index exceptions_assigned on exceptions (org_id, assignee_id, opened_at desc) where assignee_id is not null;
comment on column exceptions.assignee_id is 'The user who takes care of it; null: unassigned.';

create table exception_comments (
  id uuid primary key,
  org_id uuid not null,
  exception_id uuid not null references exceptions (id) on delete cascade,
  text text not null,
  mentions uuid[] not null,
  created_by jsonb not null,
  created_at timestamptz not null
);
create index exception_comments_by_exception on exception_comments (exception_id, created_at, id);
comment on table exception_comments is 'What users write about exceptions. Free text, so it is in no event.';
comment on column exception_comments.mentions is 'Users who are notified.';

create table notifications (
  id uuid primary key,
  org_id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  kind text not null,
  object_type text not null,
  object_id uuid not null,
  data jsonb not null,
  sequence bigint not null,
  created_at timestamptz not null,
  read_at timestamptz,
  mail_due boolean not null default false,
  constraint notifications_once unique (user_id, kind, sequence, object_id)
);
create index notifications_by_user on notifications (org_id, user_id, created_at desc, id desc);
create index notifications_unread on notifications (org_id, user_id) where read_at is null;
create index notifications_mail_due on notifications (user_id) where mail_due;
create index notifications_by_age on notifications (created_at);
comment on table notifications is 'What users should know, made from the audit log.';
comment on column notifications.sequence is 'The event it was made from: a repeated pass makes no second notification.';
comment on column notifications.mail_due is 'It waits for the next e-mail to its user.';

create table notification_settings (
  user_id uuid primary key references users (id) on delete cascade,
  org_id uuid not null,
  settings jsonb not null,
  mailed_at timestamptz
);
comment on table notification_settings is 'Which notifications a user gets, in the console and by e-mail. Missing kinds have their default.';
comment on column notification_settings.mailed_at is 'When the last e-mail was queued: there is at most one in ten minutes.';

create table notification_cursors (
  org_id uuid primary key,
  sequence bigint not null
);
insert into notification_cursors (org_id, sequence) select org_id, sequence from audit_heads;
comment on table notification_cursors is 'The last event that notifications were made from. Users are not notified of events before this migration.';

do $$
declare
  owned text;
begin
  foreach owned in array array['exception_comments', 'notifications', 'notification_settings', 'notification_cursors'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_organization on %I using (org_id = (select current_org()))', owned);
  end loop;
end $$;
