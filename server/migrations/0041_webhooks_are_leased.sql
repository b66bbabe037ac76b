-- A webhook is leased as a whole, and a delivery is written once, with how its last attempt went. Not breaking.
alter table webhooks
  -- An entry of the log that is for it; behind the cursor: there is something to send.
  add column found bigint not null default 0,
  -- Its place among the webhooks of its organization: who was served last comes last.
  add column due_at timestamptz not null default '-infinity',
  add column lease_owner uuid,
  add column lease_until timestamptz,
  add column lease_attempts integer not null default 0,
  -- Counts how often it was taken: who was taken for dead writes nothing any more.
  add column epoch integer not null default 0;
create index webhooks_due on webhooks (org_id, due_at, id) where due_at is not null;

-- The last attempt; those before it are in webhook_attempts.
alter table webhook_deliveries
  add column attempt_at timestamptz,
  add column duration_ms integer,
  add column headers jsonb,
  add column answer text;
update webhook_deliveries d set attempt_at = a.at, duration_ms = a.duration_ms, headers = a.headers, answer = a.answer
  from webhook_attempts a where a.delivery_id = d.id and a.number = d.attempt_count;
delete from webhook_attempts a using webhook_deliveries d where d.id = a.delivery_id and d.attempt_count = a.number;

drop index webhook_deliveries_leased;
alter table webhook_deliveries
  drop column lease_owner,
  drop column lease_until,
  drop column lease_attempts,
  drop column epoch;
create index webhook_deliveries_with_answers on webhook_deliveries (attempt_at) where answer is not null or headers is not null;
