import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

type Group = { step: number | null; code: string; count: number; verdict?: string; message: string; fix?: string };
type Named = { id: string; number: string };

async function orders(count: number, more: object = {}): Promise<Named[]> {
  const list = Array.from({ length: count }, () => ({ lines: [{ sku: "MUG-01", quantity: 1 }], ...more }));
  const { body } = await org.post("/orders/bulk", { orders: list });
  return Promise.all(
    body.results.map(async ({ id }: { id: string }) => (await org.get(`/orders/${id}`)).body as Named),
  );
}
const idsOf = (list: Named[]): string[] => list.map(({ id }) => id);
const tag = { type: "add_tags", params: { tags: ["vip"] } };
const release = { type: "release_hold", params: { all: true } };
const cancel = { type: "cancel", params: { reason: "customer" } };

async function cancelled(count: number): Promise<Named[]> {
  const made = await orders(count);
  await org.post("/operations/run", { order_ids: idsOf(made), actions: [cancel] });
  return made;
}

describe("a preflight", () => {
  test("groups blocked orders by reason, with the step, the count and the first orders", async () => {
    const [open, closed] = [await orders(3), await cancelled(7)];
    const order_ids = [...idsOf(open), ...idsOf(closed), "NO-SUCH-ORDER"];
    const actions = [tag, { type: "set_priority", params: { priority: "high" } }];
    const { body } = await org.post("/operations/preflight", { order_ids, actions });
    const groups = body.groups as (Group & { sample: { order_number: string }[] })[];
    expect(groups.map(({ step, code, count, verdict }) => ({ step, code, count, verdict }))).toEqual([
      { step: 1, code: "invalid_state", count: 7, verdict: "blocked" },
      { step: null, code: "order_not_found", count: 1, verdict: "blocked" },
    ]);
    expect(groups[0]!.message).toContain("cancelled");
    expect(groups[0]!.fix).toContain("Allowed while");
    expect(groups[0]!.sample.map(({ order_number }) => order_number)).toEqual(
      closed.slice(0, 5).map(({ number }) => number),
    );
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(body.summary.blocked);
  });

  test("shows the orders of one group page by page, each once", async () => {
    const [open, closed] = [await orders(2), await cancelled(5)];
    const order_ids = [...idsOf(closed), ...idsOf(open)];
    const actions = [tag, { type: "set_priority", params: { priority: "high" } }];
    const seen: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const show = { code: "invalid_state", step: 1, page };
      const { body } = await org.post("/operations/preflight", {
        order_ids,
        actions,
        detail_limit: 2,
        report_filter: show,
      });
      expect(body.report_page).toEqual({ total: 5, page, pages: 3 });
      expect(body.orders_truncated).toBe(page < 3);
      expect(body.summary.orders).toBe(7);
      seen.push(...body.orders.map(({ order_id }: { order_id: string }) => order_id));
    }
    expect(seen).toEqual(idsOf(closed));
    const shown = async (show: object) =>
      (await org.post("/operations/preflight", { order_ids, actions, report_filter: show })).body.orders.length;
    expect(await shown({ verdict: "ok" })).toBe(2);
    expect(await shown({ step: 0 })).toBe(0);
    expect(await shown({ code: "nothing_like_it" })).toBe(0);
    expect(await shown({})).toBe(7);
  });

  test("of a selection is grouped as well", async () => {
    const made = await orders(3, { tags: ["in-selection"] });
    await org.post("/operations/run", { order_ids: [made[0]!.id], actions: [cancel] });
    const { body } = await org.post("/operations/preflight", {
      filter: { tag: "in-selection" },
      actions: [{ type: "set_priority", params: { priority: "high" } }],
      report_filter: { verdict: "blocked" },
    });
    expect(body.groups).toMatchObject([{ step: 0, code: "invalid_state", count: 1 }]);
    expect(body.orders).toMatchObject([{ order_id: made[0]!.id }]);
  });
});

describe("a run", () => {
  async function mixedRun() {
    const [open, closed] = [await orders(2), await cancelled(3)];
    const order_ids = [...idsOf(open), ...idsOf(closed), "NO-SUCH-ONE"];
    const actions = [{ type: "set_priority", params: { priority: "high" } }];
    const run = (await org.post("/operations/run", { order_ids, actions })).body;
    return { run, open, closed };
  }

  test("can be polled without its results", async () => {
    const { run } = await mixedRun();
    const { body } = await org.get(`/operations/runs/${run.id}?results_limit=0`);
    expect(body).toMatchObject({
      summary: { failed: 4, succeeded: 2 },
      errors_by_code: { invalid_state: 3 },
      results: [],
    });
    expect((await org.get(`/operations/runs/${run.id}?results_limit=2`)).body.results).toHaveLength(2);
    expect((await org.get(`/operations/runs/${run.id}`)).body.results).toHaveLength(6);
    expect((await org.get(`/operations/runs/${run.id}?results_limit=101`)).status).toBe(400);
  });

  test("groups failed orders by reason, and one group can be retried", async () => {
    const { run, closed } = await mixedRun();
    const { data } = (await org.get(`/operations/runs/${run.id}/result-groups`)).body;
    expect(data).toMatchObject([
      { step: 0, type: "set_priority", code: "invalid_state", status: "failed", count: 3, retryable: true },
      { step: null, code: "order_not_found", count: 1, retryable: true },
    ]);
    expect(data[0].sample.map(({ order_id }: { order_id: string }) => order_id)).toEqual(idsOf(closed));
    const retry = async (body?: object) => await org.post(`/operations/runs/${run.id}/retry`, body);
    expect((await retry({ codes: ["order_not_found"] })).body).toMatchObject({ order_count: 1, retry_of: run.id });
    const none = await retry({ codes: ["bridge_timeout"] });
    expect(none.body).toMatchObject({ status: 400, code: "no_failed_orders" });
    expect(none.body.detail).toContain("bridge_timeout");
    expect((await retry()).body.order_count).toBe(4);
  });

  test("tells the same code at two steps apart: groups, results, selection and retry have the orders of one step", async () => {
    const [early, late] = [await orders(2), await orders(1, { tags: ["first"] })];
    const asserting = (value: string) => ({
      type: "assert",
      params: { when: { path: "tags", op: "has_tag", value } },
    });
    const actions = [asserting("first"), { type: "add_note", params: { text: "checked" } }, asserting("second")];
    const run = (await org.post("/operations/run", { order_ids: idsOf([...early, ...late]), actions })).body;
    const { data, labels } = (await org.get(`/operations/runs/${run.id}/result-groups`)).body;
    expect(data).toMatchObject([
      { step: 0, code: "assertion_failed", count: 2 },
      { step: 2, code: "assertion_failed", count: 1 },
    ]);
    expect(labels).toEqual({ bought: 0, unknown: 0 });
    const code = "assertion_failed";
    const matched = async (step?: number | null) =>
      (await org.post("/operations/selections", { run: { id: run.id, code, ...(step !== undefined && { step }) } }))
        .body;
    expect((await matched(0)).sample.map(({ id }: Named) => id)).toEqual(idsOf(early));
    expect((await matched(2)).sample.map(({ id }: Named) => id)).toEqual(idsOf(late));
    expect((await matched()).matched).toBe(3);
    expect((await matched(null)).code).toBe("empty_selection");
    const listed = (await org.get(`/operations/runs/${run.id}/results?code=${code}&step=2`)).body.data;
    expect(listed.map(({ order_id }: { order_id: string }) => order_id)).toEqual(idsOf(late));
    const retry = async (step: number) =>
      (await org.post(`/operations/runs/${run.id}/retry`, { codes: [code], step })).body;
    expect((await retry(0)).order_count).toBe(2);
    expect((await retry(2)).order_count).toBe(1);
    expect(await retry(1)).toMatchObject({ code: "no_failed_orders" });
  });

  test("that was cancelled groups the orders it did not process", async () => {
    const made = await orders(2);
    const body = { order_ids: idsOf(made), actions: [tag] };
    const queued = await org.post("/operations/run", body, { headers: { prefer: "respond-async" } });
    await org.post(`/operations/runs/${queued.body.id}/cancel`);
    const { data } = (await org.get(`/operations/runs/${queued.body.id}/result-groups`)).body;
    expect(data).toMatchObject([{ status: "cancelled", code: "cancelled", count: 2, step: null }]);
    const again = await org.post(`/operations/runs/${queued.body.id}/retry`, { codes: ["cancelled"] });
    expect(again.body).toMatchObject({ status: "succeeded", order_count: 2 });
  });
});

describe("an undo", () => {
  test("previews what it will undo and what not, and does exactly that", async () => {
    const made = await orders(4, { priority: "normal" });
    const actions = [{ type: "set_priority", params: { priority: "high" } }, tag];
    const run = (await org.post("/operations/run", { order_ids: idsOf(made), actions })).body;
    const path = `/operations/runs/${run.id}/undo`;
    expect((await org.post(`${path}/preflight`)).body.summary).toMatchObject({
      orders: 4,
      reversible: 4,
      irreversible: 0,
    });
    await org.patch(`/orders/${made[0]!.id}`, { priority: "low" });
    await org.patch(`/orders/${made[1]!.id}`, { priority: "low", tags: [] });
    const { body } = await org.post(`${path}/preflight`);
    const before = (await org.get(`/orders/${made[2]!.id}`)).body;
    expect(body.groups).toMatchObject([{ step: 0, type: "set_priority", code: "changed_after_run", count: 2 }]);
    expect(
      body.orders
        .slice(0, 2)
        .map(({ order_id }: { order_id: string }) => order_id)
        .toSorted(),
    ).toEqual(idsOf(made.slice(0, 2)).toSorted());
    expect((await org.get(`/orders/${made[2]!.id}`)).body).toEqual(before);
    const undone = (await org.post(path)).body;
    const { reversible, no_change, partially_reversible, irreversible } = body.summary;
    expect(undone.summary).toMatchObject({
      total: 4,
      succeeded: reversible + no_change + partially_reversible,
      failed: irreversible,
    });
    expect(partially_reversible + irreversible).toBe(2);
    expect((await org.post(`${path}/preflight`)).body.summary).toMatchObject({ orders: 2, irreversible: 2 });
  });

  test("cannot be previewed for a run without changes or a running one", async () => {
    const [one] = await orders(1, { tags: ["vip"] });
    const run = (await org.post("/operations/run", { order_ids: [one!.id], actions: [tag] })).body;
    expect((await org.post(`/operations/runs/${run.id}/undo/preflight`)).body.code).toBe("nothing_to_undo");
    const queued = await org.post(
      "/operations/run",
      { order_ids: [one!.id], actions: [tag] },
      { headers: { prefer: "respond-async" } },
    );
    expect((await org.post(`/operations/runs/${queued.body.id}/undo/preflight`)).body.code).toBe("run_not_finished");
  });

  test("masks the personal data it would restore for callers without pii:read", async () => {
    const [one] = await orders(1, { shippingAddress: { name: "Ada Byron", address1: "1 Main St", countryCode: "US" } });
    const actions = [{ type: "update_address", params: { address: { name: "Somebody Else" } } }];
    const { body: run } = await org.post("/operations/run", { order_ids: [one!.id], actions });
    const reader = await org.withScopes(["operations:read"]);
    const { status, text } = await reader.post(`/operations/runs/${run.id}/undo/preflight`);
    expect(status).toBe(200);
    expect(text).not.toMatch(/Byron|Somebody Else/);
  });
});

describe("presets", () => {
  const save = (body: object, client: Pick<typeof org, "post"> = org) =>
    client.post("/operations/pipelines", { actions: [tag], ...body });

  test("have one of nine keys each", async () => {
    const { body } = await save({ name: "First", hotkey: 1 });
    expect(body).toMatchObject({ hotkey: 1, is_shared: true, is_own: true });
    expect((await save({ name: "Also first", hotkey: 1 })).body).toMatchObject({ status: 409, code: "hotkey_taken" });
    expect((await save({ name: "Tenth", hotkey: 10 })).status).toBe(400);
    const other = (await save({ name: "Second", hotkey: 2 })).body;
    expect((await org.patch(`/operations/pipelines/${other.id}`, { hotkey: 1 })).body.code).toBe("hotkey_taken");
    expect((await org.patch(`/operations/pipelines/${body.id}`, { hotkey: null })).body.hotkey).toBeNull();
    expect((await org.patch(`/operations/pipelines/${other.id}`, { hotkey: 1 })).body.hotkey).toBe(1);
  });

  test("that are private are invisible to others, cannot be run by them, and reserve no name", async () => {
    const [ann, bob] = [await org.withRole("operator"), await org.withRole("operator")];
    const own = { name: "Mine", is_shared: false, hotkey: 3 };
    const [anns, bobs] = [await save(own, ann), await save(own, bob)];
    expect([anns.status, bobs.status]).toEqual([201, 201]);
    const path = `/operations/pipelines/${anns.body.id}`;
    expect((await ann.get(path)).body).toMatchObject({ is_own: true, is_shared: false });
    for (const answer of [await bob.get(path), await bob.patch(path, { name: "Bob's" }), await bob.delete(path)]) {
      expect(answer.body).toMatchObject({ status: 404, code: "pipeline_not_found" });
    }
    const names = (await bob.get("/operations/pipelines?limit=100")).body.data as { id: string }[];
    expect(names.map(({ id }) => id)).not.toContain(anns.body.id);
    const [order] = await orders(1);
    const run = await bob.post("/operations/run", { order_ids: [order!.id], pipeline_id: anns.body.id });
    expect(run.body.errors).toMatchObject([{ pointer: "/pipeline_id", code: "pipeline_not_found" }]);
    // Shared by Ann, it is not Bob's to take back.
    await ann.patch(path, { is_shared: true, name: "Ours", hotkey: null });
    expect((await bob.patch(path, { is_shared: false })).body.errors).toMatchObject([{ code: "not_owner" }]);
    expect((await ann.patch(path, { is_shared: false })).body.is_shared).toBe(false);
  });

  test("are preflighted and run by their id, which the run records", async () => {
    const { body: preset } = await save({ name: `Preset ${crypto.randomUUID()}`, atomic: true });
    const [order] = await orders(1);
    const asked = { order_ids: [order!.id], pipeline_id: preset.id };
    const { body: report } = await org.post("/operations/preflight", asked);
    expect(report).toMatchObject({ pipeline_id: preset.id, summary: { ok: 1 } });
    const { body: run } = await org.post("/operations/run", { ...asked, preflight_token: report.preflight_token });
    expect(run).toMatchObject({ pipeline_id: preset.id, atomic: true, actions: [{ type: "add_tags" }] });
    expect((await org.get(`/operations/runs/${run.id}`)).body.pipeline_id).toBe(preset.id);
    // Changed in between, the preflight is one of another pipeline.
    const { body: later } = await org.post("/operations/preflight", asked);
    await org.patch(`/operations/pipelines/${preset.id}`, { actions: [release] });
    const late = await org.post("/operations/run", { ...asked, preflight_token: later.preflight_token });
    expect(late.body.errors).toMatchObject([{ code: "preflight_mismatch" }]);
    const neither = await org.post("/operations/run", { order_ids: [order!.id] });
    expect(neither.body.errors).toMatchObject([{ pointer: "/actions", code: "required" }]);
  });
});
