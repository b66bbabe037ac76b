-- What is old enough to be removed is found by its end. Nothing that exists is changed.
create index operation_runs_ended on operation_runs (finished_at) where retry_of is null and undo_of is null;
create index task_executions_ended on task_executions (finished_at);
