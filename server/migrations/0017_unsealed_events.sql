-- Events wait for their seal in a table of their own, in the order in which they were recorded. Processes of before must not run beside it.

-- Sealing moves a row from here into `events`, where nothing is ever changed. Ids do not tell the order: those of one
-- moment are random, and clocks of nodes differ. Whoever changes an object holds its lock until COMMIT, so that its
-- events get their positions in the order of its versions.
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
  primary key (org_id, position)
);

drop trigger events_append_only on events;
drop function refuse_event_change();

with unsealed as (delete from events where sequence is null returning *)
insert into unsealed_events (org_id, id, type, object_type, object_id, actor, request_id, data, occurred_at)
select org_id, id, type, object_type, object_id, actor, request_id, data, occurred_at from unsealed order by id;

-- The organization was checked when the event was recorded.
drop index events_by_sequence;
drop index events_unsealed;
alter table events
  drop constraint events_pkey,
  drop constraint events_org_id_fkey,
  alter column sequence set not null,
  alter column previous_hash set not null,
  alter column hash set not null,
  add primary key (org_id, sequence);

create function refuse_event_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'unsealed_events' and tg_op = 'DELETE' and current_setting('hub.is_sealing', true) = 'yes' then
    return null;
  end if;
  raise exception 'events are append-only';
end $$;
create trigger events_append_only before update or delete on events
  for each statement execute function refuse_event_change();
create trigger unsealed_events_append_only before update or delete on unsealed_events
  for each statement execute function refuse_event_change();

-- For whoever asks whether something was recorded, sealed or not.
create view recorded_events as
  select org_id, id, type, object_type, object_id, actor, request_id, data, occurred_at from events
  union all
  select org_id, id, type, object_type, object_id, actor, request_id, data, occurred_at from unsealed_events;
