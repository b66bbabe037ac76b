-- Missed runs of a schedule wait for each other, and orders are listed by their tags without regard to case. Not breaking:
-- adds a column, and converts the tags that orders are listed by. What orders say themselves stays as it is written.

-- The last of the runs that wait; the first is waiting_for, and those between come in turn.
alter table schedules add column waiting_until timestamptz;

-- What server/src/features/orders/list/order-marks.ts does, for the tags there are.
with written as (delete from order_tags where tag <> lower(tag) returning *)
insert into order_tags (org_id, is_archived, tag, created_at, order_id)
select distinct org_id, is_archived, lower(tag), created_at, order_id from written on conflict do nothing;
