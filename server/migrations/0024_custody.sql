-- Which secret keys are in use, the end of each audit log kept in a second place, hosts an organization may call. Stop all processes before the upgrade.

-- Every key that a hub on this database was started with. A hub that lacks one of them could not read what is sealed.
create table secret_keys (
  key_id text primary key,
  first_used_at timestamptz not null
);

-- Where the log of an organization ends, signed: written with every seal, so that a log that was cut short, or written
-- anew from somewhere on, is found. Those of now are signed by the hub that runs this migration.
create table audit_heads (
  org_id uuid primary key references organizations (id),
  sequence bigint not null,
  hash bytea not null,
  signed_at timestamptz,
  key_id text,
  signature bytea
);
insert into audit_heads (org_id, sequence, hash)
select o.id, last.sequence, last.hash from organizations o
  cross join lateral (select sequence, hash from events e where e.org_id = o.id order by sequence desc limit 1) last;

-- Triggers for updates and deletions do not hear of a TRUNCATE. Only a reset of the preview may.
create function refuse_event_truncation() returns trigger language plpgsql as $$
begin
  if current_setting('hub.is_resetting', true) = 'yes' then
    return null;
  end if;
  raise exception 'events are append-only';
end $$;
create trigger events_not_truncated before truncate on events
  for each statement execute function refuse_event_truncation();
create trigger unsealed_events_not_truncated before truncate on unsealed_events
  for each statement execute function refuse_event_truncation();

-- Hosts that bridges and carriers of the organization may call; none: every public one.
alter table organizations add column outbound_hosts text[] not null default '{}';
