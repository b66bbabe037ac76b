import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

async function makeOrders(count: number, fields: object = {}): Promise<string[]> {
  const orders = Array.from({ length: count }, () => ({ status: "ready", ...fields }));
  return (await org.post("/orders/bulk", { orders })).body.results.map(({ id }: { id: string }) => id);
}
const run = (order_ids: string[], actions: object[], more: object = {}) =>
  org.post("/operations/run", { order_ids, actions, ...more });
const read = async (id: string) => (await org.get(`/orders/${id}`)).body;
const note = { type: "add_note", params: { text: "counted" } };
const hold = { type: "hold", params: { reason: "operator" } };

describe("retry", () => {
  test("processes only the failed orders, from the step where each failed", async () => {
    const good = await makeOrders(2);
    const [bad] = (await makeOrders(1, { status: "shipped" })) as [string];
    const { body: first } = await run([...good, bad], [note, hold]);
    expect(first).toMatchObject({ status: "partially_failed", summary: { succeeded: 2, failed: 1 } });
    await run([bad], [{ type: "mark_unshipped", params: {} }]);
    const { status, body: retry } = await org.post(`/operations/runs/${first.id}/retry`);
    expect(status).toBe(201);
    expect(retry).toMatchObject({ retry_of: first.id, attempt: 2, order_count: 1, status: "succeeded" });
    expect(retry.results[0].steps).toMatchObject([{ status: "applied", carried_over: true }, { status: "applied" }]);
    expect((await read(bad)).notes).toHaveLength(1);
    expect((await org.get(`/operations/runs/${first.id}`)).body.retried_by).toEqual([retry.id]);
  });

  test("returns 400 when nothing failed or all has succeeded since, 404 for an unknown run", async () => {
    const { body: fine } = await run(await makeOrders(1), [note]);
    expect((await org.post(`/operations/runs/${fine.id}/retry`)).body).toMatchObject({
      status: 400,
      code: "no_failed_orders",
    });
    expect((await org.post("/operations/runs/019a0000-0000-7000-8000-000000000000/retry")).status).toBe(404);
    const [bad] = (await makeOrders(1, { status: "shipped" })) as [string];
    const { body: failed } = await run([bad], [hold]);
    await run([bad], [{ type: "mark_unshipped", params: {} }]);
    expect((await org.post(`/operations/runs/${failed.id}/retry`)).status).toBe(201);
    expect((await org.post(`/operations/runs/${failed.id}/retry`)).status).toBe(400);
  });

  test("sent many times concurrently is applied once", async () => {
    const ids = await makeOrders(50, { status: "shipped" });
    const { body: failed } = await run(ids, [hold, note]);
    await run(ids, [{ type: "mark_unshipped", params: {} }]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => org.post(`/operations/runs/${failed.id}/retry`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([201, 400, 409]).toContain(status);
    for (const id of ids) expect((await read(id)).notes).toHaveLength(1);
  });

  test("of a run that is still waiting returns 409", async () => {
    const order_ids = await makeOrders(1);
    const { body } = await org.post(
      "/operations/run",
      { order_ids, actions: [note] },
      { headers: { prefer: "respond-async" } },
    );
    expect((await org.post(`/operations/runs/${body.id}/retry`)).body.code).toBe("run_not_finished");
    expect((await org.post(`/operations/runs/${body.id}/undo`)).body.code).toBe("run_not_finished");
    const key = { headers: { "idempotency-key": `cancel-${body.id}` } };
    const cancel = () => org.post(`/operations/runs/${body.id}/cancel`, undefined, key);
    const nothing = { total: 1, succeeded: 0, failed: 0, skipped: 0, cancelled: 1, no_change: 0 };
    expect((await cancel()).body).toMatchObject({ status: "cancelled", summary: nothing });
    expect((await cancel()).body).toMatchObject({ status: "cancelled", summary: nothing });
    expect((await org.get(`/operations/runs/${body.id}/results`)).body.data[0].status).toBe("cancelled");
    expect((await org.post(`/operations/runs/${body.id}/cancel`)).status).toBe(200);
    expect((await read(order_ids[0]!)).notes).toEqual([]);
    const { body: done } = await run(await makeOrders(1), [note]);
    expect((await org.post(`/operations/runs/${done.id}/cancel`)).body).toMatchObject({
      status: 409,
      code: "run_finished",
    });
  });
});

describe("undo", () => {
  const bookkeeping = { version: 0, updatedAt: "" };

  test("restores the orders", async () => {
    const ids = await makeOrders(3, { tags: ["keep"], customFields: { a: 1 } });
    const before = await Promise.all(ids.map(read));
    const { body } = await run(ids, [
      { type: "add_tags", params: { tags: ["x"] } },
      hold,
      note,
      { type: "set_custom_field", params: { key: "b", value: "two" } },
      { type: "set_priority", params: { priority: "urgent" } },
    ]);
    const undo = await org.post(`/operations/runs/${body.id}/undo`);
    expect(undo).toMatchObject({
      status: 201,
      body: { status: "succeeded", undo_of: body.id, summary: { succeeded: 3 } },
    });
    const after = await Promise.all(ids.map(read));
    expect(after.map((order) => ({ ...order, ...bookkeeping }))).toEqual(
      before.map((order) => ({ ...order, ...bookkeeping })),
    );
    expect((await org.post(`/operations/runs/${body.id}/undo`)).body.code).toBe("nothing_to_undo");
  });

  test("keeps later changes of others, and reports what it cannot undo", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const { body } = await run(
      [id],
      [
        { type: "add_tags", params: { tags: ["run"] } },
        { type: "set_priority", params: { priority: "high" } },
      ],
    );
    await org.patch(`/orders/${id}`, { tags: ["run", "mine"], priority: "low" });
    const { body: undo } = await org.post(`/operations/runs/${body.id}/undo`);
    expect(undo.results[0]).toMatchObject({ status: "succeeded", error: { code: "changed_after_run" } });
    expect(await read(id)).toMatchObject({ tags: ["mine"], priority: "low" });
  });

  test("deletes the orders that a step created, unless they were changed", async () => {
    const [a, b] = await makeOrders(2, { lines: [{ sku: "A", quantity: 1 }] });
    const { body } = await run([a!, b!], [{ type: "duplicate", params: {} }]);
    const copies = body.results.map(
      ({ steps }: { steps: { created_order_ids: string[] }[] }) => steps[0]!.created_order_ids[0],
    );
    await org.patch(`/orders/${copies[1]}`, { priority: "high" });
    const { body: undo } = await org.post(`/operations/runs/${body.id}/undo`);
    expect(undo.results.map(({ status }: { status: string }) => status)).toEqual(["succeeded", "failed"]);
    expect((await org.get(`/orders/${copies[0]}`)).status).toBe(404);
    expect((await org.get(`/orders/${copies[1]}`)).status).toBe(200);
  });
});

describe("changes that needed operations:override (security 17)", () => {
  test("cannot be undone or restored without that scope", async () => {
    const { body: order } = await org.post("/orders", { status: "ready" });
    const actions = [{ type: "set_status", params: { status: "delivered", force: true } }];
    const { body: run } = await org.post("/operations/run", { order_ids: [order.id], actions });
    expect(run.status).toBe("succeeded");
    const operator = await org.withRole("operator");
    const refused = await operator.post(`/operations/runs/${run.id}/undo`);
    expect(refused.body).toMatchObject({ status: 403, code: "insufficient_scope", required: ["operations:override"] });
    const { body: undone } = await org.post(`/operations/runs/${run.id}/undo`);
    expect(undone.status).toBe("succeeded");
    expect((await operator.post(`/operations/runs/${undone.id}/undo`)).status).toBe(403);
    const { body: plain } = await org.post("/operations/run", {
      order_ids: [order.id],
      actions: [{ type: "add_tags", params: { tags: ["seen"] } }],
    });
    expect((await operator.post(`/operations/runs/${plain.id}/undo`)).status).toBe(201);
  });

  test("an undo restores a hold of the hub only for callers who could have released it", async () => {
    const { body: order } = await org.post("/orders", { status: "ready" });
    const hold = {
      id: crypto.randomUUID(),
      handle: "address_validation",
      reason: "incorrect_address",
      source: "system",
      note: null,
      until: null,
      by: { type: "system", name: "check" },
      placedAt: new Date().toISOString(),
    };
    await hub.world.db.query("update orders set holds = $2 where id = $1", [order.id, JSON.stringify([hold])]);
    const { body: run } = await org.post("/operations/run", {
      order_ids: [order.id],
      actions: [{ type: "release_hold", params: { all: true } }],
    });
    expect(run.results[0].steps[0].status).toBe("applied");
    const operator = await org.withRole("operator");
    const undone = await operator.post(`/operations/runs/${run.id}/undo`);
    expect(undone.body.results[0].steps[0]).toMatchObject({
      status: "undo_failed",
      error: { code: "override_required" },
    });
    expect((await org.get(`/orders/${order.id}`)).body.holds).toEqual([]);
    expect((await org.post(`/operations/runs/${run.id}/undo`)).body.status).toBe("succeeded");
    expect((await org.get(`/orders/${order.id}`)).body.holds).toHaveLength(1);
  });
});

describe("an undo with nothing left to revert", () => {
  test("leaves the order as it is, and reports that", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const { body: tagged } = await run([id], [{ type: "add_tags", params: { tags: ["vip"] } }]);
    await org.patch(`/orders/${id}`, { tags: [] });
    const before = await read(id);
    const { body: undo } = await org.post(`/operations/runs/${tagged.id}/undo`);
    expect(undo).toMatchObject({ status: "succeeded", summary: { succeeded: 1, no_change: 1 } });
    expect(undo.results[0].steps).toMatchObject([{ status: "no_change" }]);
    expect(await read(id)).toEqual(before);
  });

  test("that deletes an order created by the run has changed something", async () => {
    const [id] = (await makeOrders(1)) as [string];
    const copy = [{ type: "duplicate", params: {} }];
    const { body: first } = await run([id], copy);
    await run([id], copy);
    const { body: undo } = await org.post(`/operations/runs/${first.id}/undo`);
    expect(undo.summary).toMatchObject({ succeeded: 1, no_change: 0 });
    expect(undo.results[0].steps).toMatchObject([{ status: "applied", deleted_order_ids: [expect.any(String)] }]);
  });
});

describe("preflight", () => {
  const preflight = (order_ids: string[], actions: object[], more: object = {}) =>
    org.post("/operations/preflight", { order_ids, actions, ...more });

  test("predicts exactly what the run does", async () => {
    const ids = [...(await makeOrders(2)), ...(await makeOrders(1, { status: "shipped" }))];
    const actions = [{ type: "add_tags", params: { tags: ["p"] } }, hold];
    const { status, body: report } = await preflight([...ids, "nobody"], actions);
    expect(status).toBe(200);
    expect(report).toMatchObject({ verdict: "blocked", summary: { orders: 4, ok: 2, blocked: 2, not_found: 1 } });
    expect(report.errors_by_code).toEqual({ invalid_state: 1, order_not_found: 1 });
    const { body } = await run([...ids, "nobody"], actions, { preflight_token: report.preflight_token });
    expect(body.preflight).toEqual({ drifted_orders: [] });
    for (const shown of report.orders) {
      const result = body.results.find(({ ref }: { ref: string }) => ref === shown.ref);
      const strip = (steps: { index: number; changes?: unknown[] }[]) =>
        steps.map(({ index, changes }) => ({ index, fields: changes?.length ?? 0 }));
      expect(strip(result.steps)).toEqual(strip(shown.steps));
      expect(result.error?.code).toBe(
        shown.error?.code ?? shown.steps.find((step: { error?: { code: string } }) => step.error)?.error.code,
      );
    }
  });

  test("changes nothing in the database", async () => {
    const ids = await makeOrders(20);
    // Last-used times are written there now and then, for all requests at once.
    const noted = ["request_log", "api_keys", "user_sessions"];
    const dump = async (): Promise<Record<string, unknown[]>> => {
      const tables = await hub.world.db.query<{ name: string }>(
        "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> all($1)",
        [noted],
      );
      const rows: Record<string, unknown[]> = {};
      for (const { name } of tables)
        rows[name] = await hub.world.db.query(`select t::text, xmin::text from ${name} t order by 1`);
      return rows;
    };
    await hub.world.sealer.sealNow();
    const before = await dump();
    const { body } = await preflight(ids, [
      hold,
      note,
      { type: "duplicate", params: {} },
      { type: "cancel", params: { reason: "staff" } },
    ]);
    expect(body.summary.ok).toBe(20);
    expect(await dump()).toEqual(before);
  });

  test("warns about a step that a later one makes useless", async () => {
    const ids = await makeOrders(2);
    const { body } = await preflight(ids, [
      { type: "set_priority", params: { priority: "high" } },
      { type: "set_priority", params: { priority: "urgent" } },
      hold,
      { type: "release_hold", params: {} },
    ]);
    expect(body.verdict).toBe("ready_with_warnings");
    expect(body.pipeline.map(({ warnings }: { warnings: unknown[] }) => warnings.length)).toEqual([1, 0, 1, 0]);
  });

  test("binds a run to it: orders that changed in between are named, another pipeline or list is rejected", async () => {
    const ids = await makeOrders(3);
    const { body: report } = await preflight(ids, [note]);
    await org.patch(`/orders/${ids[1]}`, { priority: "low" });
    const { body } = await run(ids, [note], { preflight_token: report.preflight_token });
    expect(body.preflight).toEqual({ drifted_orders: [ids[1]] });
    const refused = (more: object, order_ids = ids, actions: object[] = [note]) =>
      run(order_ids, actions, { preflight_token: report.preflight_token, ...more });
    expect((await refused({}, ids.slice(1))).body.errors[0]).toMatchObject({
      pointer: "/preflight_token",
      code: "preflight_mismatch",
    });
    expect((await refused({}, ids, [hold])).status).toBe(400);
    for (const preflight_token of ["pf1.x.y", `pf1.abc.${"é".repeat(43)}`]) {
      expect((await refused({ preflight_token })).status).toBe(400);
    }
    hub.advance(2 * 3_600_000);
    expect((await refused({})).status).toBe(400);
  });

  test("shows orders with problems first if there are too many to show", async () => {
    const ids = [...(await makeOrders(5)), ...(await makeOrders(1, { status: "delivered" }))];
    const { body } = await preflight(ids, [hold], { detail_limit: 2 });
    expect(body).toMatchObject({ orders_truncated: true, summary: { orders: 6 } });
    expect(body.orders.map(({ verdict }: { verdict: string }) => verdict)).toEqual(["blocked", "ok"]);
  });
});

describe("saved pipelines", () => {
  test("are saved, changed and deleted, and rejected if they could not run", async () => {
    const created = await org.post("/operations/pipelines", { name: "Morning", actions: [note, hold] });
    expect(created.status).toBe(201);
    const path = `/operations/pipelines/${created.body.id}`;
    expect((await org.get(path)).body).toEqual(created.body);
    expect((await org.post("/operations/pipelines", { name: "morning", actions: [note] })).body.code).toBe(
      "name_taken",
    );
    expect((await org.post("/operations/pipelines", { name: "Bad", actions: [{ type: "nonsense" }] })).status).toBe(
      400,
    );
    expect((await org.patch(path, { atomic: true })).body).toMatchObject({ atomic: true, version: 2 });
    expect((await org.get("/operations/pipelines")).body.pagination.total).toBe(1);
    expect((await org.delete(path)).status).toBe(200);
  });

  test.each(["when", "assert"])("prevent the deletion of the condition sets in their %s", async (where) => {
    const { body: set } = await org.post("/condition-sets", { name: "Asked" });
    const when = { path: "number", op: "in_set", value: "asked" };
    const { body: pipeline } = await org.post("/operations/pipelines", {
      name: "Asking",
      actions: where === "when" ? [{ ...note, when }] : [{ type: "assert", params: { when } }],
    });
    expect((await org.delete(`/condition-sets/${set.id}`)).body).toMatchObject({
      status: 409,
      usedBy: [{ type: "pipeline", id: pipeline.id }],
    });
    await org.delete(`/operations/pipelines/${pipeline.id}`);
    expect((await org.delete(`/condition-sets/${set.id}`)).status).toBe(200);
  });
});

test("a split cannot be undone while its order is merged into another one: its lines would be lost", async () => {
  const about = { status: "ready", customer: { email: "ada@example.com" } };
  const lines = [{ sku: "MUG", quantity: 3, price: 10 }];
  const [a, b] = await Promise.all([
    org.post("/orders", { ...about, lines, orderedAt: "2026-03-02T00:00:00Z" }),
    org.post("/orders", { ...about, lines, orderedAt: "2026-03-01T00:00:00Z" }),
  ]);
  const step = async (order_ids: string[], type: string, params: object) =>
    (await org.post("/operations/run", { order_ids, actions: [{ type, params }] })).body;
  const undo = async (id: string) => (await org.post(`/operations/runs/${id}/undo`)).body;
  const split = await step([a.body.id], "split", { by: "value", max_value: 20 });
  const [made] = split.results[0].steps[0].created_order_ids;
  const merge = await step([a.body.id, b.body.id], "merge", {});
  expect(merge.summary).toMatchObject({ succeeded: 2, no_change: 0 });

  const refused = await undo(split.id);
  expect(refused.results[0]).toMatchObject({ status: "failed", error: { code: "merged_after_run" } });
  expect((await org.get(`/orders/${made}`)).body.lines).toMatchObject([{ quantity: 1 }]);

  expect((await undo(merge.id)).summary).toMatchObject({ succeeded: 2 });
  expect((await undo(split.id)).summary).toMatchObject({ succeeded: 1 });
  expect((await org.get(`/orders/${a.body.id}`)).body.lines).toMatchObject([{ quantity: 3 }]);
  expect((await org.get(`/orders/${made}`)).status).toBe(404);
});

test("an undo that deleted orders cannot be undone: their lines would be lost", async () => {
  const lines = [{ sku: "MUG", quantity: 3, price: 10 }];
  const [id] = (await makeOrders(1, { lines })) as [string];
  const { body: split } = await run([id], [{ type: "split", params: { by: "value", max_value: 20 } }]);
  const { created_order_ids: made } = split.results[0].steps[0];
  const { body: undo } = await org.post(`/operations/runs/${split.id}/undo`);
  expect(undo.results[0].steps).toMatchObject([{ status: "applied", deleted_order_ids: made }]);
  const { body: again } = await org.post(`/operations/runs/${undo.id}/undo`);
  expect(again.results[0]).toMatchObject({ status: "failed", error: { code: "orders_deleted" } });
  expect((await read(id)).lines).toMatchObject([{ quantity: 3 }]);
});

describe("the undo of a merge", () => {
  const undo = async (id: string) => (await org.post(`/operations/runs/${id}/undo`)).body;

  /** Two orders of three units each, merged and taken apart again. */
  async function apart(email: string) {
    const lines = [{ sku: "MUG", quantity: 3, price: 10 }];
    const about = { status: "ready", customer: { email }, lines };
    const made = [1, 2].map((day) => org.post("/orders", { ...about, orderedAt: `2026-03-0${day}T00:00:00Z` }));
    const [into, other] = (await Promise.all(made)).map(({ body }) => body.id) as [string, string];
    const { body: merge } = await run([into, other], [{ type: "merge", params: {} }]);
    return { into, other, undoId: (await undo(merge.id)).id };
  }

  test("can be undone while the orders are unchanged", async () => {
    const { into, other, undoId } = await apart("eve@example.com");
    expect((await undo(undoId)).summary).toMatchObject({ succeeded: 2 });
    expect((await read(into)).lines).toHaveLength(2);
    expect(await read(other)).toMatchObject({ status: "cancelled", mergedIntoId: into });
  });

  test("cannot be undone once an order was split: its lines would be in two orders", async () => {
    const { into, other, undoId } = await apart("eva@example.com");
    await run([other], [{ type: "split", params: { by: "value", max_value: 20 } }]);
    const { results } = await undo(undoId);
    expect(results.map(({ error }: { error: { code: string } }) => error.code).toSorted()).toEqual([
      "changed_after_run",
      "group_changed_after_run",
    ]);
    expect((await read(into)).lines).toMatchObject([{ quantity: 3 }]);
    expect(await read(other)).toMatchObject({ status: "ready", lines: [{ quantity: 2 }] });
  });
});

test("a merge cannot be undone if the merged lines were split off since", async () => {
  const about = { status: "ready", customer: { email: "ada@example.com" } };
  const lines = [{ sku: "MUG", quantity: 3, price: 10 }];
  const [into, other] = (await makeOrders(2, { ...about, lines })) as [string, string];
  const { body: merge } = await run([into, other], [{ type: "merge", params: { into } }]);
  const [own, joined] = (await read(into)).lines;
  const line_items = [{ id: joined.id, quantity: 3 }];
  await run([into], [{ type: "split", params: { by: "items", line_items } }]);
  expect((await read(into)).lines).toEqual([own]);

  const { body } = await org.post(`/operations/runs/${merge.id}/undo`);
  const codes = body.results.map(({ error }: { error: { code: string } }) => error.code);
  expect(codes.toSorted()).toEqual(["changed_after_run", "group_changed_after_run"]);
  expect((await read(into)).lines).toEqual([own]);
  expect(await read(other)).toMatchObject({ status: "cancelled", mergedIntoId: into });
});
