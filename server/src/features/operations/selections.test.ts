import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import type { TestClient } from "../../testing/test-client.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { workOff } from "../../queue/work.ts";
import { removeExpiredSelections, runWork } from "./operations.ts";

const hub = await startTestHub({ settings: { maxSelectionOrders: 1_500 } });
const addTag = { type: "add_tags", params: { tags: ["done"] } };
const hold = { type: "hold", params: { reason: "operator" } };
const hour = 3_600_000;

type Result = { order_number: string; status: string; error: { code: string } | null };

/** An organization with orders and so on, the first the oldest. */
async function withOrders(orders: object[]): Promise<TestOrg> {
  const org = await hub.org();
  for (const [i, order] of orders.entries()) {
    await org.post("/orders", { number: `A-${i}`, status: "ready", ...order });
    hub.advance(1_000);
  }
  return org;
}
const many = (count: number, order: object = {}): object[] => Array.from({ length: count }, () => order);
const select = async (org: TestClient, filter: object, more: object = {}) =>
  (await org.post("/operations/selections", { filter, ...more })).body;
const outcomes = (run: { results: Result[] }): string[] =>
  run.results.map(({ order_number, status, error }) => `${order_number} ${error?.code ?? status}`);

describe("a selection", () => {
  test("contains the orders that matched at one moment, oldest first, and no later ones", async () => {
    const org = await withOrders([...many(12), { status: "new" }, { channel: "web" }]);
    const { status, body } = await org.post("/operations/selections", { filter: { channelNot: "web" } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ matched: 13, by_status: { ready: 12, new: 1 } });
    expect(body.sample.map(({ number }: { number: string }) => number)).toEqual(
      Array.from({ length: 10 }, (_, i) => `A-${i}`),
    );
    expect(Date.parse(body.expires_at) - Date.parse(body.as_of)).toBe(hour);
    await org.post("/orders", { number: "later", status: "ready" });
    expect((await org.get(`/operations/selections/${body.id}`)).body).toEqual(body);
    const { body: run } = await org.post("/operations/run", { selection_id: body.id, actions: [addTag] });
    expect(run).toMatchObject({ status: "succeeded", order_count: 13, selection_id: body.id });
    expect(run.results.map(({ order_number }: Result) => order_number)).toEqual(
      Array.from({ length: 13 }, (_, i) => `A-${i}`),
    );
  });

  test("excludes the named orders, by id or number", async () => {
    const org = await withOrders(many(4));
    const { id } = (await org.get("/orders/A-1")).body;
    const selection = await select(org, {}, { exclude_order_ids: [id, "A-3", "nobody"] });
    expect(selection.sample.map(({ number }: { number: string }) => number)).toEqual(["A-0", "A-2"]);
  });

  test("can be made of the orders of a run, all or those with a result or code", async () => {
    const org = await withOrders(many(4));
    await org.post("/operations/run", { order_ids: ["A-1", "A-2"], actions: [hold] });
    const { body: run } = await org.post("/operations/run", {
      order_ids: ["A-0", "A-1", "A-2", "A-3", "nobody"],
      actions: [{ type: "mark_shipped", params: { tracking_number: "T-{{number}}" } }],
    });
    await hub.world.db.query("delete from orders where org_id = $1 and number = $2", [org.id, "A-2"]);
    const ofRun = async (more: object, client: TestClient = org) =>
      await client.post("/operations/selections", { run: { id: run.id, ...more } });
    const numbers = async (more: object): Promise<string[]> =>
      (await ofRun(more)).body.sample.map(({ number }: { number: string }) => number);
    expect(await numbers({})).toEqual(["A-0", "A-1", "A-3"]);
    expect(await numbers({ status: "succeeded" })).toEqual(["A-0", "A-3"]);
    expect(await numbers({ code: "on_hold" })).toEqual(["A-1"]);
    expect((await ofRun({ code: "order_not_found" })).body.code).toBe("empty_selection");
    expect((await ofRun({}, await hub.org())).body.errors).toMatchObject([
      { pointer: "/run/id", code: "operation_run_not_found" },
    ]);
    const both = await org.post("/operations/selections", { run: { id: run.id }, refs: ["A-0"] });
    expect(both.body.errors).toMatchObject([{ pointer: "/filter", code: "one_of" }]);
  });

  test("can be made of named orders, without a filter", async () => {
    const org = await withOrders(many(4));
    const { id } = (await org.get("/orders/A-0")).body;
    const refs = ["A-2", id, "A-0", "nobody", "A-3"];
    const { status, body } = await org.post("/operations/selections", { refs, exclude_order_ids: ["A-3"] });
    expect([status, body.matched, body.not_found]).toEqual([201, 2, 1]);
    await org.patch("/orders/A-2", { status: "cancelled" });
    const run = await org.post("/operations/run", { selection_id: body.id, actions: [addTag] });
    expect(outcomes(run.body)).toEqual(["A-0 succeeded", "A-2 succeeded"]);
    for (const [wrong, code] of [
      [{}, "required"],
      [{ filter: {}, refs }, "one_of"],
    ] as const) {
      const refused = await org.post("/operations/selections", wrong);
      expect(refused.body.errors).toMatchObject([{ pointer: "/filter", code }]);
    }
  });

  test("that is empty or too large is rejected, with the count", async () => {
    const org = await hub.org();
    for (const path of ["/operations/selections", "/operations/preflight", "/operations/run"]) {
      const actions = path.endsWith("selections") ? {} : { actions: [addTag] };
      const none = await org.post(path, { filter: {}, ...actions });
      expect([path, none.status, none.body.code]).toEqual([path, 400, "empty_selection"]);
    }
    await org.post("/orders/bulk", { orders: many(1_501) });
    const tooMany = await org.post("/operations/selections", { filter: {} });
    expect(tooMany.body).toMatchObject({ status: 400, code: "too_many_orders", matched: 1_501, max: 1_500 });
    const merge = { actions: [{ type: "merge", params: {} }] };
    const merged = await org.post("/operations/preflight", { filter: {}, ...merge });
    expect(merged.body).toMatchObject({ code: "too_many_orders", matched: 1_501, max: 1_000 });
    const { id } = (await org.get("/orders?limit=1")).body.data[0];
    const selection = await select(org, {}, { exclude_order_ids: [id] });
    expect(selection.matched).toBe(1_500);
    const again = await org.post("/operations/run", { selection_id: selection.id, ...merge });
    expect(again.body).toMatchObject({ code: "too_many_orders", matched: 1_500, max: 1_000 });
  });

  test("expires after an hour", async () => {
    const org = await withOrders(many(1));
    const { id } = await select(org, {});
    hub.advance(hour + 1);
    expect((await org.get(`/operations/selections/${id}`)).status).toBe(404);
    const late = await org.post("/operations/run", { selection_id: id, actions: [addTag] });
    expect(late.body.errors[0]).toMatchObject({ pointer: "/selection_id", code: "selection_not_found" });
    await removeExpiredSelections(hub.world);
    expect(await hub.world.db.query("select from operation_selections where id = $1", [id])).toEqual([]);
  });

  test("belongs to its organization alone", async () => {
    const [org, other] = [await withOrders(many(1)), await withOrders(many(1))];
    const { id: selection_id } = await select(org, {});
    expect((await other.get(`/operations/selections/${selection_id}`)).status).toBe(404);
    const { body: report } = await org.post("/operations/preflight", { selection_id, actions: [addTag] });
    for (const path of ["/operations/preflight", "/operations/run"]) {
      const { status, body } = await other.post(path, { selection_id, actions: [addTag] });
      expect([path, status, body.errors[0].code]).toEqual([path, 400, "selection_not_found"]);
    }
    const own = await select(other, {});
    const { preflight_token } = report;
    const run = await other.post("/operations/run", { selection_id: own.id, actions: [addTag], preflight_token });
    expect(run.body.errors).toMatchObject([
      {
        pointer: "/preflight_token",
        code: "preflight_mismatch",
        message: "The token was not issued by this hub.",
      },
    ]);
    expect((await org.get("/orders?tag=done")).body.data).toEqual([]);
  });

  test("replaces the oldest one when there are a hundred", async () => {
    const org = await withOrders(many(1));
    const ids: string[] = [];
    for (let i = 0; i < 101; i++) {
      ids.push((await select(org, {})).id);
      hub.advance(1_000);
    }
    expect((await org.get(`/operations/selections/${ids[0]}`)).status).toBe(404);
    expect((await org.get(`/operations/selections/${ids[1]}`)).status).toBe(200);
  });

  test("can filter by personal data only with pii:read", async () => {
    const org = await withOrders([{ customer: { name: "Ada Byron" } }, { customer: { name: "Ben" }, tags: ["ada"] }]);
    const without = await org.withScopes(["operations:read", "orders:read"]);
    const filter = { search: "ada" };
    expect((await select(org, filter)).matched).toBe(2);
    expect((await select(without, filter)).matched).toBe(1);
  });
});

describe("the orders of a run", () => {
  test("are given in exactly one way", async () => {
    const org = await withOrders(many(1));
    const errorsOf = async (path: string, body: object) =>
      (await org.post(path, { actions: [addTag], ...body })).body.errors?.map(
        ({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`,
      );
    for (const path of ["/operations/preflight", "/operations/run"]) {
      expect(await errorsOf(path, {})).toEqual(["/order_ids required"]);
      expect(await errorsOf(path, { order_ids: ["A-0"], filter: {} })).toEqual(["/filter one_of"]);
      const selection_id = crypto.randomUUID();
      expect(await errorsOf(path, { filter: {}, selection_id })).toEqual(["/selection_id one_of"]);
      expect(await errorsOf(path, { filter: { statsu: "new" } })).toEqual(["/filter/statsu unknown_field"]);
      expect(await errorsOf(path, { filter: { status: ["new", "redy"] } })).toEqual(["/filter/status/1 enum"]);
      expect(await errorsOf(path, { filter: { search: "!" } })).toEqual(["/filter/search no_words"]);
    }
    const run = (body: object) => errorsOf("/operations/run", body);
    expect(await run({ filter: {}, on_drift: "skip" })).toEqual(["/on_drift preflight_required"]);
    expect(await run({ filter: {}, exclude_codes: ["x"] })).toEqual(["/exclude_codes preflight_required"]);
    expect(await run({ order_ids: ["A-0"], recheck_filter: true })).toEqual(["/recheck_filter filter_required"]);
  });
});

describe("an order that no longer matches the filter", () => {
  test("is skipped, which is no failure and not retried, unless recheck_filter is false", async () => {
    const org = await withOrders([...many(3), { status: "shipped" }]);
    const filter = { priority: "normal" };
    const { id: selection_id } = await select(org, filter);
    await org.patch("/orders/A-1", { priority: "high" });
    const run = { selection_id, actions: [hold] };
    const { body } = await org.post("/operations/run", run);
    expect(body).toMatchObject({ status: "partially_failed", summary: { succeeded: 2, failed: 1, skipped: 1 } });
    expect(outcomes(body)).toEqual(["A-0 succeeded", "A-1 no_longer_matches", "A-2 succeeded", "A-3 invalid_state"]);
    expect(body.results[1].resume_from_step).toBeNull();
    expect((await org.get("/orders?status=on_hold&sort=createdAt")).body.data).toHaveLength(2);

    await org.post("/operations/run", { order_ids: ["A-3"], actions: [{ type: "mark_unshipped", params: {} }] });
    // What failed is done again whatever the filter says by now: steps before may have changed it.
    await org.patch("/orders/A-3", { priority: "low" });
    const { body: retry } = await org.post(`/operations/runs/${body.id}/retry`);
    expect(outcomes(retry)).toEqual(["A-3 succeeded"]);
    expect((await org.post(`/operations/runs/${body.id}/retry`)).body.code).toBe("no_failed_orders");
    const { body: undone } = await org.post(`/operations/runs/${body.id}/undo`);
    expect(outcomes(undone)).toEqual(["A-0 succeeded", "A-2 succeeded"]);
    const csv = (await org.get(`/operations/runs/${body.id}/results.csv`)).text.trim().split(/\r?\n/);
    expect(csv).toHaveLength(5);
    expect(csv[2]).toContain("no_longer_matches");

    const { body: all } = await org.post("/operations/run", { ...run, recheck_filter: false });
    expect(all).toMatchObject({ status: "succeeded", summary: { succeeded: 4 } });
  });

  test("can be every order: the run changes nothing and does not fail", async () => {
    const org = await withOrders(many(2));
    const { id: selection_id } = await select(org, { status: "ready" });
    for (const number of ["A-0", "A-1"]) await org.patch(`/orders/${number}`, { status: "review_required" });
    const { body } = await org.post("/operations/run", { selection_id, actions: [addTag] });
    expect(body).toMatchObject({ status: "succeeded", summary: { succeeded: 0, skipped: 2 } });
    expect((await org.get("/orders?tag=done")).body.data).toEqual([]);
    const events = (await org.get("/audit?type=operation_run.succeeded")).body.data;
    expect(events.map(({ objectId }: { objectId: string }) => objectId)).toContain(body.id);
  });

  test("is skipped in a run of many batches, the others are not", async () => {
    const org = await hub.org();
    await org.post("/orders/bulk", { orders: many(1_300, { status: "ready", tags: ["go"] }) });
    const { body: run } = await org.post("/operations/run", { filter: { tagsAny: ["go"] }, actions: [addTag] });
    expect(run).toMatchObject({ status: "queued", order_count: 1_300 });
    await workOff(hub.world, runWork);
    const { body } = await org.get(`/operations/runs/${run.id}`);
    expect(body).toMatchObject({ status: "succeeded", summary: { succeeded: 1_300 } });
    const kept = await hub.world.db.query("select filter from operation_runs where id = $1", [run.id]);
    expect(kept).toEqual([{ filter: null }]);
  });
});

describe("orders that were changed since the preflight", () => {
  /** By a filter or by names: both are told of what changed. */
  const ways = ["filter", "order_ids"] as const;
  const askedBy = (way: (typeof ways)[number]): object =>
    way === "filter" ? { filter: { status: ["ready", "shipped"] } } : { order_ids: ["A-0", "A-1", "A-2", "A-3"] };
  const namedBy = (way: (typeof ways)[number], report: { selection_id: string }): object =>
    way === "filter" ? { selection_id: report.selection_id } : askedBy(way);

  async function prepare(way: (typeof ways)[number]) {
    const org = await withOrders([...many(3), { status: "shipped" }]);
    const actions = [hold];
    const { status, body: report } = await org.post("/operations/preflight", { ...askedBy(way), actions });
    expect([status, report.summary.ok, report.errors_by_code]).toEqual([200, 3, { invalid_state: 1 }]);
    const { preflight_token } = report;
    const run = async (more: object = {}) =>
      await org.post("/operations/run", { ...namedBy(way, report), actions, preflight_token, ...more });
    const changed = (await org.patch("/orders/A-1", { priority: "low" })).body.id;
    return { org, run, changed, report };
  }

  test.each(ways)("are processed and named by default, selected by %s", async (way) => {
    const { run, changed } = await prepare(way);
    const { body } = await run();
    expect(body.preflight).toEqual({ drifted_orders: [changed] });
    expect(outcomes(body)).toEqual(["A-0 succeeded", "A-1 succeeded", "A-2 succeeded", "A-3 invalid_state"]);
  });

  test.each(ways)("are skipped with on_drift skip, selected by %s", async (way) => {
    const { run } = await prepare(way);
    const { body } = await run({ on_drift: "skip", exclude_codes: ["invalid_state"] });
    expect(outcomes(body)).toEqual(["A-0 succeeded", "A-1 changed_since_preflight", "A-2 succeeded"]);
    expect(body).toMatchObject({ status: "succeeded", excluded_count: 1, order_count: 3, summary: { skipped: 1 } });
  });

  test.each(ways)("prevent the run with on_drift reject, selected by %s", async (way) => {
    const { org, run, changed } = await prepare(way);
    const refused = await run({ on_drift: "reject" });
    expect(refused.body).toMatchObject({ status: 409, code: "orders_drifted", drifted_orders: [changed] });
    expect((await org.get("/operations/runs")).body.data).toEqual([]);
    const { preflight_token, ...again } = (
      await org.post("/operations/preflight", { ...askedBy(way), actions: [hold] })
    ).body;
    const begun = await run({ ...namedBy(way, again), preflight_token, on_drift: "reject" });
    expect(begun.body.summary).toMatchObject({ succeeded: 3, failed: 1 });
  });

  test.each(ways)("after the start of the run are skipped with on_drift reject, selected by %s", async (way) => {
    const org = await withOrders(many(4));
    const { body: report } = await org.post("/operations/preflight", { ...askedBy(way), actions: [addTag] });
    const { preflight_token } = report;
    const wanted = { ...namedBy(way, report), actions: [addTag], preflight_token, on_drift: "reject" };
    const { body: run } = await org.post("/operations/run", wanted, { headers: { prefer: "respond-async" } });
    expect(run.status).toBe("queued");
    await org.patch("/orders/A-2", { priority: "low" });
    await workOff(hub.world, runWork);
    const { body } = await org.get(`/operations/runs/${run.id}`);
    expect(outcomes(body)).toEqual(["A-0 succeeded", "A-1 succeeded", "A-2 changed_since_preflight", "A-3 succeeded"]);
  });

  test.each(ways)("leave nothing to run if all others are excluded, selected by %s", async (way) => {
    const org = await withOrders(many(4, { status: "shipped" }));
    const { body: report } = await org.post("/operations/preflight", { ...askedBy(way), actions: [hold] });
    const wanted = { ...namedBy(way, report), actions: [hold], preflight_token: report.preflight_token };
    const refused = await org.post("/operations/run", { ...wanted, exclude_codes: ["invalid_state"] });
    expect(refused.body).toMatchObject({ status: 400, code: "empty_selection" });
    expect((await org.get("/operations/runs")).body.data).toEqual([]);
  });

  test("are compared with this preflight, not with another one of the same selection", async () => {
    const { org, run, changed, report } = await prepare("filter");
    const later = await org.post("/operations/preflight", { selection_id: report.selection_id, actions: [hold] });
    expect(later.body.selection_id).toBe(report.selection_id);
    const { body } = await run({ on_drift: "run" });
    expect(body.preflight.drifted_orders).toEqual([changed]);
  });

  test("a token is valid for its own selection and pipeline only", async () => {
    const { org, run } = await prepare("filter");
    const other = await select(org, {});
    for (const more of [{ selection_id: other.id }, { actions: [addTag] }]) {
      const { body } = await run(more);
      expect(body.errors[0]).toMatchObject({ pointer: "/preflight_token", code: "preflight_mismatch" });
    }
    const named = await run({ selection_id: undefined, order_ids: ["A-0"] });
    expect(named.body.errors[0].code).toBe("preflight_mismatch");
  });

  test("an order that was deleted before its batch fails alone", async () => {
    const org = await withOrders([{ status: "draft" }, { status: "draft" }]);
    const { id: selection_id } = await select(org, { status: "draft" });
    expect((await org.delete("/orders/A-0")).status).toBe(200);
    const { body: report } = await org.post("/operations/preflight", { selection_id, actions: [addTag] });
    expect(report.errors_by_code).toEqual({ order_not_found: 1 });
    const run = { selection_id, actions: [addTag], preflight_token: report.preflight_token };
    const { body } = await org.post("/operations/run", { ...run, on_drift: "skip" });
    expect(body.summary).toMatchObject({ succeeded: 1, failed: 1 });
    const { body: rest } = await org.post("/operations/run", { ...run, exclude_codes: ["order_not_found"] });
    expect(rest).toMatchObject({ status: "succeeded", order_count: 1, excluded_count: 1 });
  });
});

test("a preflight shows at most the requested number of orders, those with problems first", async () => {
  const org = await withOrders([...many(5), { status: "shipped" }]);
  const { body } = await org.post("/operations/preflight", { filter: {}, actions: [hold], detail_limit: 2 });
  expect(body).toMatchObject({ orders_truncated: true, summary: { orders: 6, blocked: 1, ok: 5 } });
  expect(body.orders.map(({ order_number }: Result) => order_number)).toEqual(["A-5", "A-0"]);
});
