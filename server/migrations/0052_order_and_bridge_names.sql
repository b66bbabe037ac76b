-- Stored names of orders, imports and bridges change to those of the API, and order numbers to Unicode NFC. Breaking: a hub of an earlier version cannot use the
-- database afterwards.

alter table bridge_notices rename to inbound_webhooks;
alter table inbound_webhooks rename column notice_id to webhook_id;
alter index bridge_notices_pkey rename to inbound_webhooks_pkey;
alter index bridge_notices_once rename to inbound_webhooks_once;
alter index bridge_notices_by_execution rename to inbound_webhooks_by_execution;
alter index bridge_notices_by_age rename to inbound_webhooks_by_age;

alter table order_marks rename to order_facets;
alter table order_facets rename column mark to facet;
alter index order_marks_pkey rename to order_facets_pkey;
alter index order_marks_by_order rename to order_facets_by_order;
alter index order_marks_failed rename to order_facets_failed;
alter table order_sources rename column marks to snapshot;

update order_changes set kind = 'updated' where kind = 'patched';

-- Numbers are compared in Unicode NFC from now on. An order whose number would become that of another one keeps its spelling and
-- is found by its id.
update orders
   set number = normalize(number)
 where id in (
   select distinct on (o.org_id, o.bridge_id, normalize(o.number)) o.id
     from orders o
    where o.number is not normalized
      and not exists (
        select from orders other
         where other.org_id = o.org_id
           and other.number = normalize(o.number)
           and other.bridge_id is not distinct from o.bridge_id)
    order by o.org_id, o.bridge_id, normalize(o.number), o.id);

-- The members of an object under new names; members that `names` does not list keep theirs.
create function renamed_members(value jsonb, names jsonb) returns jsonb language sql immutable strict as $$
  select coalesce(jsonb_object_agg(coalesce(names ->> member.key, member.key), member.value), '{}')
    from jsonb_each(value) as member
$$;

update order_changes
   set changes = (
     select jsonb_agg(renamed_members(change.value, '{"kept": "keptLocal"}') order by change.position)
       from jsonb_array_elements(changes) with ordinality as change (value, position))
 where changes @> '[{"kept": true}]';

update import_presets
   set settings = renamed_members(settings, '{"decimalSign": "decimalSeparator"}')
 where settings ? 'decimalSign';

update bridges
   set settings = renamed_members(settings, '{"decimalSign": "decimalSeparator", "overlapMinutes": "lookbackMinutes"}')
 where settings ?| array['decimalSign', 'overlapMinutes'];

-- Placeholders in all texts of a value: {record.lines.0.sku} becomes {{record.lines[0].sku}}. Names of members are not templates.
create function renamed_placeholders(value jsonb) returns jsonb language plpgsql immutable strict as $$
declare
  filled text;
begin
  case jsonb_typeof(value)
    when 'string' then
      filled := regexp_replace(value #>> '{}', '\{([A-Za-z][A-Za-z0-9_.\[\]-]*)\}', '{{\1}}', 'g');
      filled := regexp_replace(filled, '\{\{sent\.externalId\}\}', '{{existing.externalId}}', 'g');
      -- One position of each placeholder at a time, until none is left.
      while filled ~ '\{\{[^{}]*\.\d+[.\[}]' loop
        filled := regexp_replace(filled, '(\{\{[^{}]*?)\.(\d+)(?=[.\[}])', '\1[\2]', 'g');
      end loop;
      return to_jsonb(filled);
    when 'array' then
      return coalesce(
        (select jsonb_agg(renamed_placeholders(item.value) order by item.position)
           from jsonb_array_elements(value) with ordinality as item (value, position)), '[]');
    when 'object' then
      return coalesce(
        (select jsonb_object_agg(member.key, renamed_placeholders(member.value)) from jsonb_each(value) as member), '{}');
    else
      return value;
  end case;
end $$;

-- `value` with the member replaced, if it has one; SQL null for `changed` means that it has none.
create function with_member(value jsonb, name text, changed jsonb) returns jsonb language sql immutable as $$
  select case when changed is null then value else value || jsonb_build_object(name, changed) end
$$;

create function renamed_exchange(value jsonb) returns jsonb language sql immutable strict as $$
  select with_member(
    with_member(
      renamed_members(value, '{"externalId": "externalIdPath"}'), 'request', renamed_placeholders(value -> 'request')),
    'failsWhen', renamed_members(value -> 'failsWhen', '{"message": "messagePath"}'))
$$;

create function renamed_rest_task(task jsonb) returns jsonb language plpgsql immutable strict as $$
declare
  renamed jsonb := renamed_members(renamed_exchange(task), '{
    "yields": "recordType", "records": "recordsPath", "updatedAt": "updatedAtPath", "total": "totalPath",
    "result": "resultPath", "paging": "pagination", "since": "updatedSince", "find": "lookup", "sendsAgainWhen": "resendPolicy"}');
begin
  renamed := with_member(renamed, 'pagination', renamed_members(renamed -> 'pagination', '{
    "start": "firstPage", "size": "pageSize", "sizeParam": "pageSizeParam", "next": "nextCursorPath"}'));
  renamed := with_member(renamed, 'lookup', renamed_exchange(renamed -> 'lookup'));
  renamed := with_member(renamed, 'update', renamed_exchange(renamed -> 'update'));
  if renamed ->> 'resendPolicy' = 'changed' then
    renamed := with_member(renamed, 'resendPolicy', '"on_change"');
  end if;
  return renamed;
end $$;

create function renamed_rest_settings(settings jsonb) returns jsonb language plpgsql immutable strict as $$
declare
  renamed jsonb := with_member(settings, 'headers', renamed_placeholders(settings -> 'headers'));
  auth jsonb := renamed_members(settings -> 'auth', '{"name": "paramName", "grant": "grantType"}');
begin
  if auth ->> 'clientAuth' = 'basic' then
    auth := with_member(auth, 'clientAuth', '"client_secret_basic"');
  elsif auth ->> 'clientAuth' = 'body' then
    auth := with_member(auth, 'clientAuth', '"client_secret_post"');
  end if;
  renamed := with_member(renamed, 'auth', auth);
  renamed := with_member(renamed, 'webhook', renamed_members(settings -> 'webhook', '{
    "signature": "signatureScheme", "header": "signatureHeader", "records": "recordsPath", "task": "taskName"}'));
  return with_member(renamed, 'tasks',
    (select jsonb_agg(renamed_rest_task(task.value) order by task.position)
       from jsonb_array_elements(settings -> 'tasks') with ordinality as task (value, position)));
end $$;

update bridges set settings = renamed_rest_settings(settings) where connector = 'rest';

-- Codes of failures that are shown until they are resolved. Executions keep the codes of their time.
create function renamed_code(code text) returns text language sql immutable as $$
  select coalesce('{
    "unexpected_answer": "unexpected_response", "invalid_answer": "unexpected_response", "outside_of_base": "outside_base_url",
    "outside_of_root": "outside_files_dir", "files_off": "files_disabled", "not_from_here": "order_not_from_bridge",
    "credentials_elsewhere": "credentials_for_other_host", "address_refused": "address_not_allowed",
    "redirect_refused": "redirect_not_allowed", "paging_repeats": "pagination_loop", "sign_in_failed": "authentication_failed",
    "task_defect": "task_error", "bad_encoding": "invalid_encoding"}'::jsonb ->> code, code)
$$;
update exceptions set code = renamed_code(code) where code <> renamed_code(code);
update bridges
   set last_error = jsonb_set(last_error, '{code}', to_jsonb(renamed_code(last_error ->> 'code')))
 where last_error ->> 'code' <> renamed_code(last_error ->> 'code');

drop function renamed_code, renamed_rest_settings, renamed_rest_task, renamed_exchange, with_member, renamed_placeholders,
  renamed_members;
