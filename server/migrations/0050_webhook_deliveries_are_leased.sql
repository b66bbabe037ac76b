-- Each webhook delivery is a row that is claimed under a lease of its own. Names of stored values follow the API. Not breaking.
drop index webhooks_due;
alter table webhooks
  drop column found,
  drop column due_at,
  drop column lease_owner,
  drop column lease_until,
  drop column lease_attempts,
  drop column epoch;
alter table webhooks rename column places to concurrency;
alter table webhooks rename column failing_told_at to failing_reported_at;
comment on column webhooks.concurrency is 'Maximum number of leased deliveries: 1 while the endpoint fails or with strict ordering.';
comment on column webhooks.cursor is 'All entries of the event log up to this one have a delivery or are of other types.';

drop index webhook_deliveries_due;
alter table webhook_deliveries
  drop constraint webhook_deliveries_status_check,
  alter column status set default 'pending',
  add column lease_owner uuid,
  add column lease_until timestamptz,
  add column lease_attempts integer not null default 0;
update webhook_deliveries set status = 'pending' where status = 'waiting';
alter table webhook_deliveries
  add constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'failed', 'skipped'));
comment on column webhook_deliveries.due_at is 'Null: ended. -infinity: strict ordering, where sequence alone orders deliveries.';

-- The due time was the sequence in microseconds; the order is that of the sequence now.
update webhook_deliveries delivery set due_at = '-infinity'
  from webhooks webhook
 where webhook.id = delivery.webhook_id and webhook.ordering = 'strict' and delivery.due_at is not null;
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, sequence) where due_at is not null;
create index webhook_deliveries_leased on webhook_deliveries (webhook_id) where lease_owner is not null;

update webhook_deliveries set last_error = jsonb_set(last_error, '{code}', '"unexpected_status"')
 where last_error ->> 'code' = 'not_taken';
update webhook_attempts set error = jsonb_set(error, '{code}', '"unexpected_status"') where error ->> 'code' = 'not_taken';
update webhooks set last_error = jsonb_set(last_error, '{code}', '"unexpected_status"') where last_error ->> 'code' = 'not_taken';
