import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { openDatabase } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { readMigrations } from "../../db/read-migrations.ts";
import { afterFile } from "../../testing/after-file.ts";
import { cloneDatabase } from "../../testing/test-database.ts";
import { actionsByType } from "./action-catalog.ts";
import { findErrorsIn } from "../../core/validation.ts";

const oldActions = [
  { type: "hold", params: { for_days: 2, note: "for_days" } },
  { type: "require_review", params: { assignee: "0199f0a0-0000-7000-8000-000000000001" } },
  { type: "choose_rate", params: { within_days: 3 } },
  { type: "correct_tracking", params: { tracking_number: "T2", from: "T1" } },
  { type: "mark_paid", params: { at: "2026-03-01T00:00:00Z" } },
  { type: "duplicate", params: { as: "reshipment" } },
  { type: "validate_address", params: { mode: "validate_and_clean" } },
  { type: "add_note", params: { text: '\u00e9\n"' }, when: { path: "total", op: "lt", value: 50.5 } },
];

test("a database of an earlier version keeps its pipelines, automations, runs and exceptions under the new names", async () => {
  const { connection, drop } = await cloneDatabase();
  const db = openDatabase({ connection, maxConnections: 2, onError: () => {} });
  afterFile(async () => {
    await db.close();
    await drop();
  });
  await db.query("drop schema public cascade");
  await db.query("create schema public");
  const migrations = await readMigrations();
  await migrate(
    connection,
    db,
    migrations.filter(({ version }) => version < 51),
  );
  const id = (nth: number): string => `0199f0a0-0000-7000-8000-00000000000${nth}`;
  const org = id(0);
  const now = "2026-11-01T00:00:00Z";
  const digestOf = (actions: unknown): string =>
    createHash("sha256")
      .update(JSON.stringify([actions, "skip_order", false]))
      .digest("hex");
  await db.query("insert into organizations (id, name, created_at, updated_at) values ($1, 'Acme', $2, $2)", [
    org,
    now,
  ]);
  await db.query(
    `insert into operation_pipelines (id, org_id, name, description, actions, on_error, is_atomic, created_at, updated_at, version)
     values ($1, $2, 'P', '', $3, 'skip_order', false, $4, $4, 1)`,
    [id(1), org, JSON.stringify(oldActions), now],
  );
  const [stored] = await db.query<{ actions: unknown }>("select actions from operation_pipelines");
  for (const [nth, digest] of [digestOf(stored!.actions), "of an earlier pipeline"].entries()) {
    await db.query(
      `insert into automations (id, org_id, name, description, trigger, pipeline_id, pipeline_digest, mode, max_per_hour, made_by,
         is_active, pause_reason, cursor, counted_since, created_at, updated_at, version)
       values ($1, $2, $3, '', '{}', $4, $5, 'shadow', 10, '{}', false, '{"code": "maker_gone", "message": "Gone"}', 0, $6, $6, $6, 1)`,
      [id(2 + nth), org, `A${nth}`, id(1), digest, now],
    );
  }
  const cause = { automation_id: id(2), depth: 1, through: [id(2)] };
  for (const [run, undoOf] of [
    [id(4), null],
    [id(5), id(4)],
  ] as const) {
    await db.query(
      `insert into operation_runs (id, org_id, status, actions, on_error, is_atomic, may_override, created_by, undo_of, root_run_id,
         attempt, order_count, duplicates_removed, succeeded, cause, created_at)
       values ($1, $2, 'succeeded', $3, 'skip_order', false, false, '{}', $4, $5, 1, 1, 0, 1, $6, $7)`,
      [run, org, JSON.stringify(oldActions), undoOf, id(4), JSON.stringify(cause), now],
    );
  }
  const steps = [
    { index: 1, type: "hold", status: "not_undone" },
    { index: 0, type: "hold", status: "applied", carried: true },
  ];
  await db.query(
    `insert into operation_results (run_id, position, ref, status, is_unchanged, todo, error_code, error, steps, finished_at)
     values ($1, 0, 'ORD-1', 'succeeded', false, 0, 'changed_since', '{"code": "changed_since", "message": "Changed"}', $2, $3)`,
    [id(5), JSON.stringify(steps), now],
  );
  await db.query(
    `insert into exceptions (id, org_id, fact_key, kind, code, status, message, about_type, details, digest, opening, times_seen,
       first_seen_at, opened_at, last_seen_at, last_fix, resolution)
     values ($1, $2, 'k', 'push', 'rejected', 'resolved', '', 'order', '{}', '', $1, 1, $3, $3, $3, '{"action": "keep_ours"}', 'cause_gone')`,
    [id(6), org, now],
  );
  await migrate(connection, db, migrations);

  const [pipeline] = await db.query<{ actions: { type: string; params: Record<string, unknown> }[] }>(
    "select actions from operation_pipelines",
  );
  expect(pipeline!.actions.map(({ params }) => params)).toEqual([
    { duration_days: 2, note: "for_days" },
    { assignee_id: "0199f0a0-0000-7000-8000-000000000001" },
    { max_transit_days: 3 },
    { tracking_number: "T2", current_tracking_number: "T1" },
    { paid_at: "2026-03-01T00:00:00Z" },
    { purpose: "reshipment" },
    { mode: "validate_and_normalize" },
    { text: '\u00e9\n"' },
  ]);
  for (const { type, params } of pipeline!.actions)
    expect(findErrorsIn(actionsByType.get(type)!.params, structuredClone(params)), type).toEqual([]);
  // The automation that had accepted the pipeline still does; the other one stays blocked.
  const automations = await db.query<object>("select mode, pause_reason, pipeline_digest from automations order by id");
  expect(automations).toEqual([
    {
      mode: "preflight",
      pause_reason: { code: "owner_inactive", message: "Gone" },
      pipeline_digest: digestOf(pipeline!.actions),
    },
    {
      mode: "preflight",
      pause_reason: { code: "owner_inactive", message: "Gone" },
      pipeline_digest: "of an earlier pipeline",
    },
  ]);
  const runs = await db.query<object>("select actions, cause, partially_undone from operation_runs order by id");
  expect(runs).toEqual(
    [0, 1].map((partially_undone) => ({
      actions: pipeline!.actions,
      cause: { automation_id: id(2), depth: 1, automation_path: [id(2)] },
      partially_undone,
    })),
  );
  expect(await db.query<object>("select error_code, error, steps from operation_results")).toEqual([
    {
      error_code: "changed_after_run",
      error: { code: "changed_after_run", message: "Changed" },
      steps: [
        { index: 1, type: "hold", status: "undo_failed" },
        { index: 0, type: "hold", status: "applied", carried_over: true },
      ],
    },
  ]);
  expect(await db.query<object>("select dedup_key, resolution, last_action from exceptions")).toEqual([
    { dedup_key: "k", resolution: "auto_resolved", last_action: { action: "keep_local" } },
  ]);
});
