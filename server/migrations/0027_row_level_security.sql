-- A second line behind the organization filter of every statement: whoever is not the owner of these tables sees and writes
-- rows of the organization in the setting hub.org only. The role that this binds is made when the hub starts, since roles
-- belong to the server and not to the database; see server/src/db/row-security.ts. Not breaking.

-- Empty is what a setting reads after a transaction that had it: nobody's.
create function current_org() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('hub.org', true), '')::uuid;

do $$
declare
  named record;
begin
  for named in
    select c.oid::regclass as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
       and a.attname = 'org_id' and not a.attisdropped
  loop
    execute format('alter table %s enable row level security', named.name);
    -- In a select of its own it is looked up once for a statement, not for every row.
    execute format('create policy own_organization on %s using (org_id = (select current_org()))', named.name);
  end loop;
end $$;

-- A view looks with the eyes of its owner, unless it says so.
alter view recorded_events set (security_invoker = true);
