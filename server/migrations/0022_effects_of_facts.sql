-- An effect belongs to a fact (an order, or one of its shipments, at a bridge) and no longer to an execution, so that what
-- has arrived is not sent again by another one. Breaks nothing: what was sent before keeps its key and counts as sent.
alter table task_effects
  add column bridge_id uuid references bridges,
  add column task_name text,
  -- Of the order: the id of a shipment; empty for the order as a whole.
  add column part text not null default '',
  -- Each is a key of its own. The highest one counts.
  add column generation integer not null default 1,
  -- The first execution of the chain that began this generation.
  add column opened_by uuid,
  -- Something has made the fact a new one: an order that was asked back can be sent again.
  add column is_closed boolean not null default false,
  -- Whose side it is on. Empty: not known, as for everything from before this migration.
  add column site text,
  -- A digest of what was sent, the version of the order it was made of, and the shipment as it was then.
  add column content text,
  add column order_version integer,
  add column shipment jsonb,
  -- Of the execution that holds it.
  add column attempt integer not null default 0;

update task_effects f set bridge_id = e.bridge_id, task_name = e.task_name, opened_by = e.effect_root
  from task_executions e where e.id = f.execution_id;

-- Shipments were sent together with their order. Those that were there then (an id begins with its time) have been sent;
-- of several the first one keeps the key.
with sent as (
  select f.effect_key, f.org_id, s.id, row_number() over (partition by f.org_id, f.effect_key order by s.position) as position
    from task_effects f join orders o on o.org_id = f.org_id and o.id = f.order_id,
         lateral (select shipment ->> 'id' as id, position from jsonb_array_elements(o.shipments) with ordinality as l (shipment, position)) s
   where f.task_name = 'fulfillments.push' and s.id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7'
     and ('x' || substr(replace(s.id, '-', ''), 1, 12))::bit(48)::bigint <= extract(epoch from f.created_at) * 1000),
others as (
  insert into task_effects (org_id, effect_key, execution_id, order_id, status, sent, error, created_at, updated_at,
                            bridge_id, task_name, opened_by, part)
  select f.org_id, f.effect_key || '-' || s.position, f.execution_id, f.order_id, f.status, f.sent, f.error, f.created_at,
         f.updated_at, f.bridge_id, f.task_name, f.opened_by, s.id
    from sent s join task_effects f using (org_id, effect_key) where s.position > 1)
update task_effects f set part = s.id from sent s
 where s.org_id = f.org_id and s.effect_key = f.effect_key and s.position = 1;

-- Of several executions that sent the same, one that arrived counts, else one that may have arrived.
update task_effects f set generation = n.generation
  from (select org_id, effect_key, row_number() over (
          partition by org_id, bridge_id, task_name, order_id, part
          order by case status when 'done' then 2 when 'failed' then 0 else 1 end, updated_at, effect_key) as generation
          from task_effects) n
 where n.org_id = f.org_id and n.effect_key = f.effect_key and n.generation > 1;

update task_effects f set is_closed = true
 where f.task_name in ('orders.export', 'orders.recall') and exists (
   select from task_effects o
    where o.org_id = f.org_id and o.bridge_id = f.bridge_id and o.order_id = f.order_id and o.status = 'done'
      and o.task_name = case f.task_name when 'orders.export' then 'orders.recall' else 'orders.export' end
      and o.updated_at > f.updated_at);

alter table task_effects alter column bridge_id set not null, alter column task_name set not null,
  alter column opened_by set not null;
create unique index task_effects_by_fact on task_effects (org_id, order_id, bridge_id, task_name, part, generation);
