-- What shops were not told of yet, so that a push can find it by itself; access tokens of bridges; what shops send by themselves.
-- Not breaking: adds tables, and a trigger that fills one of them.

-- Orders of a bridge with shipments that its shop may not know. Whoever has told them takes the row away.
create table unsent_shipments (
  order_id uuid primary key references orders on delete cascade,
  org_id uuid not null,
  bridge_id uuid not null,
  -- Of the order, when its shipments were changed last: who has read an earlier one has not told all.
  order_version integer not null,
  -- What was refused waits, longer each time.
  due_at timestamptz not null,
  tries integer not null default 0,
  tried_at timestamptz
);
create index unsent_shipments_by_bridge on unsent_shipments (org_id, bridge_id, order_id);

create function note_unsent_shipments() returns trigger language plpgsql as $$
begin
  insert into unsent_shipments (order_id, org_id, bridge_id, order_version, due_at)
  values (new.id, new.org_id, new.bridge_id, new.version, new.updated_at)
  on conflict (order_id) do update set bridge_id = excluded.bridge_id, order_version = excluded.order_version,
    due_at = excluded.due_at, tries = 0, tried_at = null;
  return null;
end $$;
create trigger orders_shipped after insert on orders
  for each row when (new.bridge_id is not null and new.shipments <> '[]') execute function note_unsent_shipments();
create trigger orders_shipments_changed after update of shipments, bridge_id on orders
  for each row when (new.bridge_id is not null and new.shipments <> '[]'
    and (old.shipments is distinct from new.shipments or old.bridge_id is distinct from new.bridge_id))
  execute function note_unsent_shipments();

-- What was changed longer ago is sent when somebody names it: a shop that has known it for months may write to its customers.
insert into unsent_shipments (order_id, org_id, bridge_id, order_version, due_at)
select o.id, o.org_id, o.bridge_id, o.version, o.updated_at from orders o
 where o.bridge_id is not null and o.shipments <> '[]' and o.updated_at > now() - interval '30 days'
   and exists (
     select from jsonb_array_elements(o.shipments) s where not exists (
       select from task_effects f
        where f.org_id = o.org_id and f.order_id = o.id and f.bridge_id = o.bridge_id
          and f.task_name = 'fulfillments.push' and f.part = s ->> 'id' and f.status = 'done'));

-- The access token of a bridge, and what the next one is asked for with where that changes each time.
create table bridge_tokens (
  bridge_id uuid primary key references bridges,
  org_id uuid not null,
  -- With the credentials and the address that it was given for: with others it counts no more.
  sealed text,
  renew_at timestamptz,
  -- Who is asking for another one; a second one would make the first useless at some servers.
  lease_owner uuid,
  lease_until timestamptz
);

-- What a shop has said by itself, and which execution takes it in.
create table bridge_notices (
  id uuid primary key,
  org_id uuid not null references organizations (id),
  bridge_id uuid not null references bridges,
  -- The same when the shop says it again.
  notice_id text not null,
  topic text not null,
  -- Null: it was taken in.
  payload jsonb,
  execution_id uuid references task_executions on delete cascade,
  received_at timestamptz not null
);
create unique index bridge_notices_once on bridge_notices (bridge_id, notice_id);
create index bridge_notices_by_execution on bridge_notices (execution_id, received_at, id);
create index bridge_notices_by_age on bridge_notices (received_at);

do $$
declare
  named regclass;
begin
  foreach named in array array['unsent_shipments', 'bridge_tokens', 'bridge_notices']::regclass[] loop
    execute format('alter table %s enable row level security', named);
    execute format('create policy own_organization on %s using (org_id = (select current_org()))', named);
  end loop;
end $$;
