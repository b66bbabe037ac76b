-- Repairs what 0054 left out when it renamed `resend` to `forceResend` in the input of tasks: automations go on with the saved pipelines
-- that it changed, and runs have the new name. Breaks nothing.

-- Text as JSON.stringify writes it: an automation keeps the SHA-256 of its pipeline in this form, and pauses when it changes.
create function compact_json(value jsonb) returns text language sql immutable as $$
  select case jsonb_typeof(value)
    when 'object' then (
      select '{' || coalesce(string_agg(to_jsonb(member.key)::text || ':' || compact_json(member.value), ',' order by member.position), '') || '}'
        from jsonb_each(value) with ordinality as member (key, value, position))
    when 'array' then (
      select '[' || coalesce(string_agg(compact_json(element.value), ',' order by element.position), '') || ']'
        from jsonb_array_elements(value) with ordinality as element (value, position))
    else value::text end
$$;

create function pipeline_digest_of(actions jsonb, on_error text, is_atomic boolean) returns text language sql immutable as $$
  select encode(sha256(convert_to(
    '[' || compact_json(actions) || ',' || to_jsonb(on_error)::text || ',' || is_atomic::text || ']', 'UTF8')), 'hex')
$$;

-- The actions with one member of task inputs renamed, where 0054 renamed it: the input of a task that sends orders. A task of another
-- kind may have a `resend` of its own.
create function with_renamed_inputs(actions jsonb, old_name text, new_name text) returns jsonb language sql immutable as $$
  select coalesce(
           jsonb_agg(
             case
               when action ->> 'type' = 'run_task'
                and jsonb_typeof(input -> old_name) = 'boolean'
                and (input ? 'orderIds'
                  or action -> 'params' ->> 'task_name' in
                       ('fulfillments.push', 'orders.export', 'orders.recall', 'orders.hold', 'orders.release_hold'))
               then jsonb_set(action, '{params,input}', input - old_name || jsonb_build_object(new_name, input -> old_name))
               else action
             end
             order by position),
           '[]')
    from jsonb_array_elements(actions) with ordinality as listed (action, position)
    cross join lateral (select action -> 'params' -> 'input' as input) as given
$$;

-- Only an automation that accepted its pipeline as it was before 0054 goes on with the renamed one.
update automations automation
   set pipeline_digest = pipeline_digest_of(pipeline.actions, pipeline.on_error, pipeline.is_atomic)
  from operation_pipelines pipeline
 where pipeline.id = automation.pipeline_id
   and jsonb_path_exists(pipeline.actions, '$[*].params.input.forceResend')
   and automation.pipeline_digest = pipeline_digest_of(
         with_renamed_inputs(pipeline.actions, 'forceResend', 'resend'), pipeline.on_error, pipeline.is_atomic);

-- A retry reads the params of its run again.
update operation_runs
   set actions = with_renamed_inputs(actions, 'resend', 'forceResend')
 where jsonb_path_exists(actions, '$[*].params.input.resend');

drop function with_renamed_inputs, pipeline_digest_of, compact_json;
