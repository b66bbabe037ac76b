-- Runs wait and are leased like all other work: due_at, who has them until when, and how often they were taken. Not breaking.
alter table operation_runs rename column worker to lease_owner;
alter table operation_runs add column due_at timestamptz, add column tries integer not null default 0;
update operation_runs set due_at = created_at where finished_at is null;

drop index operation_runs_unfinished;
create index operation_runs_due on operation_runs (org_id, due_at, id) where due_at is not null;
