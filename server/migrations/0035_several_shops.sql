-- Several shops in one organization: numbers are unique per bridge, a bridge may put a prefix before the numbers of its
-- orders, and a transformation says whether it extends what its connector makes of a record. Not breaking: what is there stays.

-- Among the orders of a bridge, and among those of none.
drop index orders_number_key;
create unique index orders_number_key on orders (org_id, number, bridge_id) nulls not distinct;

alter table bridges add column number_prefix text;

alter table transformations add column mode text not null default 'replace';
alter table transformations alter column mode drop default;
alter table transformation_versions add column mode text not null default 'replace';
alter table transformation_versions alter column mode drop default;
