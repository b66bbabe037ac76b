-- Requests that callers made, for those who look for one later. Not breaking: adds a table only.
create table request_log (
  id uuid primary key,
  org_id uuid not null,
  at timestamptz not null,
  request_id text not null,
  method text not null,
  -- As the API calls it: neither what was asked for nor who it was about is kept.
  route text not null,
  object_id uuid,
  status smallint not null,
  code text,
  duration_ms integer not null,
  actor_type text not null,
  actor_id uuid not null,
  left_out integer not null
);
create index request_log_by_org on request_log (org_id, id desc);
create index request_log_by_request on request_log (org_id, request_id);
-- They come in the order of time, and are only removed by it.
create index request_log_old on request_log using brin (at);
alter table request_log enable row level security;
create policy own_organization on request_log using (org_id = (select current_org()));
