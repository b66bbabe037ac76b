-- Plain names for operations, automations and exceptions, and how many orders an undo could undo only in part. Breaking for
-- clients: CHANGELOG.md lists the renamed fields and values. Sealed events keep the names of their time.

alter table operation_run_chunks rename to operation_run_batches;
alter table operation_selection_chunks rename to operation_selection_batches;
alter table operation_preflight_chunks rename to operation_preflight_batches;
alter table operation_selections rename column missing to not_found;
alter table operation_runs rename column left_out to excluded_count;
alter table operation_runs add column partially_undone integer not null default 0;

alter table automations rename column made_by to owner;
alter table automations rename column max_per_hour to max_orders_per_hour;
alter table automations rename column last_fired_at to last_invoked_at;
alter table automations rename column seen_count to evaluated_count;
alter table automation_firings rename to automation_invocations;
alter table automation_invocations rename column fired_at to invoked_at;
alter table automation_invocations rename column verdicts to preflight_summary;
alter index automation_firings_by_automation rename to automation_invocations_by_automation;
alter index automation_firings_by_age rename to automation_invocations_by_age;
alter table automation_invocations rename constraint automation_firings_once to automation_invocations_once;

alter table exceptions rename column fact_key to dedup_key;
alter table exceptions rename column about_type to subject_type;
alter table exceptions rename column about_id to subject_id;
alter table exceptions rename column about_name to subject_name;
alter table exceptions rename column last_fix to last_action;
alter index exceptions_fact_key rename to exceptions_dedup_key;

-- Actions of saved pipelines and of runs, whose params a retry reads again.
create function renamed_action(action jsonb) returns jsonb language plpgsql immutable as $$
declare
  params jsonb := action -> 'params';
  renamed record;
begin
  if jsonb_typeof(params) is distinct from 'object' then
    return action;
  end if;
  for renamed in
    select * from (values
      ('hold', 'for_days', 'duration_days'),
      ('require_review', 'assignee', 'assignee_id'),
      ('choose_rate', 'within_days', 'max_transit_days'),
      ('correct_tracking', 'from', 'current_tracking_number'),
      ('mark_paid', 'at', 'paid_at'),
      ('duplicate', 'as', 'purpose')) as r (type, old_name, new_name)
     where r.type = action ->> 'type' and params ? r.old_name
  loop
    params := params - renamed.old_name || jsonb_build_object(renamed.new_name, params -> renamed.old_name);
  end loop;
  if action ->> 'type' = 'validate_address' and params ->> 'mode' = 'validate_and_clean' then
    params := params || '{"mode": "validate_and_normalize"}';
  end if;
  return action || jsonb_build_object('params', params);
end $$;

create function renamed_actions(actions jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(renamed_action(a.action) order by a.position), '[]')
    from jsonb_array_elements(actions) with ordinality as a (action, position)
$$;

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

-- Only an automation that accepts its pipeline as it is now goes on with the renamed one.
update automations automation
   set pipeline_digest = pipeline_digest_of(renamed_actions(pipeline.actions), pipeline.on_error, pipeline.is_atomic)
  from operation_pipelines pipeline
 where pipeline.id = automation.pipeline_id
   and renamed_actions(pipeline.actions) <> pipeline.actions
   and automation.pipeline_digest = pipeline_digest_of(pipeline.actions, pipeline.on_error, pipeline.is_atomic);
update operation_pipelines set actions = renamed_actions(actions) where renamed_actions(actions) <> actions;
update operation_runs set actions = renamed_actions(actions) where renamed_actions(actions) <> actions;

drop function pipeline_digest_of, compact_json, renamed_actions, renamed_action;

-- The automations that led to a run or task.
update operation_runs set cause = cause - 'through' || jsonb_build_object('automation_path', cause -> 'through')
 where cause ? 'through';
update automation_invocations set cause = cause - 'through' || jsonb_build_object('automation_path', cause -> 'through')
 where cause ? 'through';
update task_executions set cause = cause - 'through' || jsonb_build_object('automationPath', cause -> 'through')
 where cause ? 'through';

update automations set mode = case mode when 'shadow' then 'preflight' when 'active' then 'run' else mode end;
update automations set pause_reason = pause_reason || jsonb_build_object('code', case pause_reason ->> 'code'
    when 'by_hand' then 'manual'
    when 'maker_gone' then 'owner_inactive'
    when 'max_per_hour' then 'hourly_limit_reached' end)
 where pause_reason ->> 'code' in ('by_hand', 'maker_gone', 'max_per_hour');
update automation_invocations set kind = 'depth_exceeded' where kind = 'too_deep';

-- Steps of retries carry over earlier ones, and only undos have steps that could not be undone.
update operation_results result
   set steps = (
     select jsonb_agg(
              case
                when step.value ? 'carried' then step.value - 'carried' || jsonb_build_object('carried_over', step.value -> 'carried')
                when step.value ->> 'status' = 'not_undone' then step.value || '{"status": "undo_failed"}'
                else step.value
              end order by step.position)
       from jsonb_array_elements(result.steps) with ordinality as step (value, position))
  from operation_runs run
 where run.id = result.run_id
   and (run.retry_of is not null or run.undo_of is not null)
   and jsonb_path_exists(result.steps, '$[*] ? (exists(@.carried) || @.status == "not_undone")');

-- A retry of a run can be limited to error codes.
update operation_results result
   set error_code = code.new_name, error = result.error || jsonb_build_object('code', code.new_name)
  from (values
    ('several_packages', 'multiple_packages'),
    ('several_currencies', 'multiple_currencies'),
    ('unit_exceeds_limit', 'item_exceeds_limit'),
    ('changed_since', 'changed_after_run'),
    ('merged_since', 'merged_after_run'),
    ('group_changed_since', 'group_changed_after_run')) as code (old_name, new_name)
 where result.error_code = code.old_name;

update operation_runs run
   set partially_undone = counted.orders
  from (select run_id, count(*) as orders from operation_results
         where status = 'succeeded' and error_code is not null group by run_id) counted
 where run.id = counted.run_id and run.undo_of is not null;

update exceptions set resolution = case resolution
    when 'accept_theirs' then 'accept_source'
    when 'keep_ours' then 'keep_local'
    when 'cause_gone' then 'auto_resolved'
    else resolution end
 where resolution in ('accept_theirs', 'keep_ours', 'cause_gone');
update exceptions set last_action = last_action || jsonb_build_object('action', case last_action ->> 'action'
    when 'accept_theirs' then 'accept_source' else 'keep_local' end)
 where last_action ->> 'action' in ('accept_theirs', 'keep_ours');

update webhooks set types = array_replace(types, 'operation_run.carrier_refused', 'operation_run.carrier_rejected')
 where 'operation_run.carrier_refused' = any(types);
