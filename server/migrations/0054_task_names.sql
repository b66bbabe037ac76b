-- Stored names of tasks, transformations and effects as the API has them from this version on. Breaking for clients that read the old
-- names; see "Renamed before the first release" in CHANGELOG.md. Changes rows of executions, transformations and schedules.

create function renamed_code(code text) returns text language sql immutable as $$
  select coalesce(
    jsonb_build_object(
      'unexpected_answer', 'unexpected_response',
      'task_defect', 'task_error',
      'sign_in_failed', 'authentication_failed',
      'bad_encoding', 'invalid_encoding',
      'address_refused', 'address_not_allowed',
      'redirect_refused', 'redirect_not_allowed',
      'credentials_elsewhere', 'credentials_for_other_host'
    ) ->> code,
    code)
$$;

-- Input of a task that sends orders: `resend` is `forceResend`. A task of another kind may have a `resend` of its own.
create function renamed_input(task_name text, input jsonb) returns jsonb language sql immutable as $$
  select case
    when jsonb_typeof(input -> 'resend') = 'boolean'
     and (input ? 'orderIds'
       or task_name in ('fulfillments.push', 'orders.export', 'orders.recall', 'orders.hold', 'orders.release_hold'))
    then input - 'resend' || jsonb_build_object('forceResend', input -> 'resend')
    else input
  end
$$;

-- An execution that runs during the migration keeps its progress: `processedBefore` is compared with it after a crash.
create function renamed_attempt(attempt jsonb) returns jsonb language sql immutable as $$
  select attempt - 'doneBefore'
      || case when attempt ? 'doneBefore' then jsonb_build_object('processedBefore', attempt -> 'doneBefore') else '{}' end
      || case when attempt ->> 'status' = 'lost' then '{"status": "worker_lost"}'::jsonb else '{}' end
$$;

update task_executions
   set trigger = case when trigger = 'manual_schedule' then 'manual' else trigger end,
       input = renamed_input(task_name, input),
       progress = case
         when progress ? 'done' then progress - 'done' || jsonb_build_object('processed', progress -> 'done')
         else progress
       end,
       error = case
         when error ? 'code' then jsonb_set(error, '{code}', to_jsonb(renamed_code(error ->> 'code')))
         else error
       end,
       attempts = coalesce(
         (select jsonb_agg(renamed_attempt(attempt) order by position)
            from jsonb_array_elements(attempts) with ordinality as listed (attempt, position)),
         '[]')
 where trigger = 'manual_schedule'
    or input ? 'resend'
    or progress ? 'done'
    or attempts @> '[{"status": "lost"}]'
    or jsonb_path_exists(attempts, '$[*].doneBefore')
    or renamed_code(error ->> 'code') <> error ->> 'code';

update schedules
   set input = renamed_input(task_name, input)
 where input ? 'resend';

update operation_pipelines
   set actions = (
     select jsonb_agg(
              case
                when action ->> 'type' = 'run_task' and action -> 'params' -> 'input' ? 'resend' then jsonb_set(
                  action,
                  '{params,input}',
                  renamed_input(action -> 'params' ->> 'task_name', action -> 'params' -> 'input'))
                else action
              end
              order by position)
       from jsonb_array_elements(actions) with ordinality as listed (action, position))
 where jsonb_path_exists(actions, '$[*].params.input.resend');

update bridges
   set last_error = jsonb_set(last_error, '{code}', to_jsonb(renamed_code(last_error ->> 'code')))
 where renamed_code(last_error ->> 'code') <> last_error ->> 'code';

update exceptions
   set code = renamed_code(code)
 where renamed_code(code) <> code;

update saved_views
   set settings = replace(settings::text, 'manual_schedule', 'manual')::jsonb
 where settings::text like '%manual_schedule%';

-- Transforms stand in the list `transforms` of a mapping, and in that of the transform `map`, as a name or as an object with one key.
create function renamed_transforms(node jsonb, is_list_of_transforms boolean) returns jsonb language plpgsql immutable as $$
declare
  names constant jsonb := '{"squish": "normalize_spaces", "unit": "convert_unit"}';
begin
  case jsonb_typeof(node)
    when 'array' then
      return coalesce(
        (select jsonb_agg(
                  case
                    when is_list_of_transforms and jsonb_typeof(element) = 'string' then coalesce(names -> (element #>> '{}'), element)
                    when is_list_of_transforms and jsonb_typeof(element) = 'object' then (
                      select coalesce(jsonb_object_agg(coalesce(names ->> key, key), renamed_transforms(params, false)), '{}')
                        from jsonb_each(element) as step (key, params))
                    else renamed_transforms(element, false)
                  end
                  order by position)
           from jsonb_array_elements(node) with ordinality as listed (element, position)),
        '[]');
    when 'object' then
      return coalesce(
        (select jsonb_object_agg(key, renamed_transforms(member, key = 'transforms')) from jsonb_each(node) as members (key, member)),
        '{}');
    else
      return node;
  end case;
end
$$;

update transformations
   set mappings = renamed_transforms(mappings, false)
 where mappings::text ~ '"(squish|unit)"';
update transformation_versions
   set mappings = renamed_transforms(mappings, false)
 where mappings::text ~ '"(squish|unit)"';

-- An effect has revisions: each is sent under a key of its own, and the highest one counts.
alter table task_effects rename column generation to revision;
alter index task_effects_by_fact rename to task_effects_by_revision;

drop function renamed_code(text);
drop function renamed_input(text, jsonb);
drop function renamed_attempt(jsonb);
drop function renamed_transforms(jsonb, boolean);

alter table schedules rename column waiting_for to deferred_run_at;
alter table schedules rename column waiting_until to deferred_until;
alter index schedules_waiting rename to schedules_deferred;
