import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { openOldDatabase } from "../../testing/old-database.ts";
import { startTestHub } from "../../testing/test-hub.ts";

test("the upgrade renames the tasks of stored executions, schedules and transformations", async () => {
  const hub = await startTestHub();
  const { old, ctx, upgradeTo } = await openOldDatabase(hub.world, 54);
  const [bridgeId, executionId, transformationId] = [hub.world.newId(), hub.world.newId(), hub.world.newId()];
  await old.query(
    `insert into bridges (id, org_id, name, connector, settings, is_active, last_error, created_at, updated_at)
     values ($1, $2, 'Shop', 'demo', '{}', true, '{"code": "sign_in_failed", "message": "No token."}', now(), now())`,
    [bridgeId, ctx.orgId],
  );
  const attempts = [
    { number: 1, status: "lost", doneBefore: 0, error: null },
    { number: 2, status: "failed", doneBefore: 20, error: null },
  ];
  await old.query(
    `insert into task_executions (id, org_id, bridge_id, task_name, status, mode, trigger, effect_root, input, error, progress,
       attempts, attempt, max_attempts, retry_delay_ms, timeout_ms, bridge_limit, created_by, request_id, created_at)
     values ($1, $2, $3, 'orders.export', 'failed', 'async', 'manual_schedule', $1, '{"orderIds": ["A-1"], "resend": true}',
       '{"code": "task_defect", "message": "It broke.", "retryable": false}', '{"done": 20, "total": 40}', $4, 2, 3, 1000, 1000, 1,
       '{"type": "system", "name": "test"}', 'request', now())`,
    [executionId, ctx.orgId, bridgeId, JSON.stringify(attempts)],
  );
  const steps = (squish: string, unit: string): object[] => [
    { target: "name", source: "unit", transforms: [squish, "trim"] },
    { target: "notes", value: "squish" },
    {
      target: "weight",
      source: "w",
      transforms: [{ map: { source: "@.w", transforms: [{ [unit]: { from: "lb", to: "g" } }] } }],
    },
    { target: "lines", each: "lines", mappings: [{ target: "unit", source: "@.unit", transforms: [squish] }] },
  ];
  await old.query(
    `insert into transformations (id, org_id, name, bridge_id, task_name, direction, mode, mappings, set_ids, is_active, created_at, updated_at)
     values ($1, $2, 'Mapping', $3, 'orders.import', 'inbound', 'replace', $4, '{}', true, now(), now())`,
    [transformationId, ctx.orgId, bridgeId, JSON.stringify(steps("squish", "unit"))],
  );
  await upgradeTo(54);
  const [execution] = await old.query("select trigger, input, error, progress, attempts from task_executions");
  expect(execution).toMatchObject({
    trigger: "manual",
    input: { orderIds: ["A-1"], forceResend: true },
    error: { code: "task_error" },
    progress: { processed: 20, total: 40 },
    attempts: [
      { number: 1, status: "worker_lost", processedBefore: 0 },
      { number: 2, status: "failed", processedBefore: 20 },
    ],
  });
  expect(execution).not.toHaveProperty("input.resend");
  expect(execution).not.toHaveProperty("progress.done");
  const [transformation] = await old.query<{ mappings: unknown }>("select mappings from transformations");
  expect(transformation!.mappings).toEqual(steps("normalize_spaces", "convert_unit"));
  const [bridge] = await old.query<{ code: string }>("select last_error ->> 'code' as code from bridges");
  expect(bridge!.code).toBe("authentication_failed");
});

test("automations go on with a pipeline whose task input was renamed; runs of it get the new name", async () => {
  const hub = await startTestHub();
  const { old, ctx, upgradeTo } = await openOldDatabase(hub.world, 54);
  const { newId } = hub.world;
  const [pipelineId, acceptedId, otherId, runId] = [newId(), newId(), newId(), newId()];
  const exportTask = { bridge_id: newId(), task_name: "orders.export", input: { resend: true, note: '\u00e9\n"' } };
  const ownTask = { bridge_id: newId(), task_name: "mails.send", input: { resend: true } };
  const actions = [exportTask, ownTask].map((params) => ({ type: "run_task", params }));
  await old.query(
    `insert into operation_pipelines (id, org_id, name, description, actions, on_error, is_atomic, created_at, updated_at, version)
     values ($1, $2, 'Send again', '', $3, 'skip_order', false, now(), now(), 1)`,
    [pipelineId, ctx.orgId, JSON.stringify(actions)],
  );
  const readActions = async (table: string): Promise<unknown> =>
    (await old.query<{ actions: unknown }>(`select actions from ${table}`))[0]!.actions;
  const digestOf = (stored: unknown): string =>
    createHash("sha256")
      .update(JSON.stringify([stored, "skip_order", false]))
      .digest("hex");
  const accepted = digestOf(await readActions("operation_pipelines"));
  for (const [id, digest] of [
    [acceptedId, accepted],
    [otherId, "of an earlier pipeline"],
  ]) {
    await old.query(
      `insert into automations (id, org_id, name, description, trigger, pipeline_id, pipeline_digest, mode, max_orders_per_hour, owner,
         is_active, cursor, counted_since, created_at, updated_at, version)
       values ($1, $2, 'A ' || $4, '', '{}', $3, $4, 'run', 10, '{}', true, 0, now(), now(), now(), 1)`,
      [id, ctx.orgId, pipelineId, digest],
    );
  }
  await old.query(
    `insert into operation_runs (id, org_id, status, actions, on_error, is_atomic, may_override, created_by, root_run_id, attempt,
       order_count, duplicates_removed, created_at)
     values ($1, $2, 'failed', $3, 'skip_order', false, false, '{}', $1, 1, 1, 0, now())`,
    [runId, ctx.orgId, JSON.stringify(actions)],
  );
  await upgradeTo(57);
  const renamed = await readActions("operation_pipelines");
  expect(renamed).toMatchObject([
    { params: { input: { forceResend: true, note: exportTask.input.note } } },
    { params: { input: { resend: true } } },
  ]);
  expect(renamed).not.toHaveProperty("0.params.input.resend");
  expect(await readActions("operation_runs")).toEqual(renamed);
  expect(await old.query("select id, pipeline_digest as digest from automations order by id")).toEqual([
    { id: acceptedId, digest: digestOf(renamed) },
    { id: otherId, digest: "of an earlier pipeline" },
  ]);
});
