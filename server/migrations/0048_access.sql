-- Schedules have an owner, and every table is under row-level security or closed to requests. Not breaking.

-- With whose rights a schedule runs. Those that exist have none, and run on until a caller changes or resumes them.
alter table schedules add column owner jsonb, add column pause_reason jsonb;
