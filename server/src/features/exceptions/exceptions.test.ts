import { describe, expect, test } from "vitest";
import { aBrokenRecord as broken, aRecord as record, exceptionFixture } from "../../testing/exception-fixture.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const { db } = hub.world;
const { floor, aShop, ended } = exceptionFixture(hub);

describe("a rejected record", () => {
  test("is one exception however often it is received, and resolved when it is accepted", async () => {
    const { importing, list, one, org, fix } = await aShop();
    const first = await importing(record("A"), broken("B"));
    expect(first).toMatchObject({ status: "completed_with_errors", result: { created: 1, failed: 1 } });
    // Twice on one page it is one, too.
    await importing(broken("B"), broken("B"));
    const row = await one();
    expect(row).toMatchObject({
      kind: "rejected_record",
      code: "validation_failed",
      status: "open",
      timesSeen: 2,
      subject: { type: "record", name: "B" },
      details: { record: { externalId: "B", raw: { ref: "B" }, canonical: { currency: "Xyzzy dollars" } } },
    });
    expect(row.availableActions.map(({ action }) => action)).toEqual(["retry", "edit_and_retry", "dismiss"]);
    expect((await fix(row.id, "retry")).body.exception.lastAction).toMatchObject({
      action: "retry",
      executionId: null,
    });
    expect(await importing(record("B"))).toMatchObject({ status: "succeeded", result: { created: 1 } });
    expect(await list()).toEqual([]);
    expect(await one("&status=resolved")).toMatchObject({
      id: row.id,
      resolution: "auto_resolved",
      availableActions: [],
    });
    // A new failure opens the same exception again, without an attempt.
    await importing(broken("B"));
    const again = await one();
    expect(again).toMatchObject({ id: row.id, timesSeen: 4, resolvedAt: null, resolution: null, lastAction: null });
    expect([again.firstSeenAt, again.openedAt > row.openedAt]).toEqual([row.firstSeenAt, true]);
    await hub.world.sealer.sealNow();
    const types = (await org.get("/events?types=exception.*&limit=100")).body.data.map(
      (event: { type: string }) => event.type,
    );
    expect(types).toEqual(["exception.opened", "exception.resolved", "exception.opened"]);
  });

  test("is imported as a user corrects it, with the same rules; remaining mistakes are reported", async () => {
    const { importing, one, fix, order, list } = await aShop();
    const wrong = broken("C");
    await importing(wrong);
    const { id } = await one();
    const still = await fix(id, "retry");
    expect([still.status, still.body]).toMatchObject([
      200,
      {
        status: "failed",
        error: { code: "validation_failed" },
        exception: { status: "open", lastAction: { action: "retry" } },
      },
    ]);
    // The external id of a record cannot be corrected.
    const { canonical } = record("C", { currency: "EUR", number: "C-1" });
    expect((await fix(id, "edit_and_retry")).body.errors[0].pointer).toBe("/record");
    expect((await fix(id, "edit_and_retry", { record: { raw: {} } })).body.errors[0].pointer).toBe("/record/raw");
    const done = await fix(id, "edit_and_retry", { record: { canonical } });
    expect(done.body).toMatchObject({
      status: "resolved",
      exception: { resolution: "edit_and_retry", lastAction: { action: "retry" } },
    });
    expect(await order("C-1")).toMatchObject({ currency: "EUR", externalId: "C" });
    // The source says the same again: that was decided about. What it says later on is news.
    await importing(wrong, broken("another"));
    expect(await list()).toMatchObject([{ subject: { name: "another" } }]);
    await importing(record("C", { number: "C-1" }));
    expect(await list("&status=resolved")).toMatchObject([{ id, resolution: "edit_and_retry" }]);
    const again = await fix(id, "edit_and_retry", { record: { canonical } });
    expect([again.status, again.body.code]).toEqual([409, "exception_closed"]);
  });

  test("is imported once when two users correct it concurrently", async () => {
    const { importing, one, fix, order } = await aShop();
    await importing(broken("D"));
    const { id } = await one();
    const currencies = ["EUR", "CHF", "SEK"];
    const answers = await Promise.all(
      currencies.map((currency) =>
        fix(id, "edit_and_retry", { record: { canonical: record("D", { currency }).canonical } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const winner = currencies[answers.findIndex(({ status }) => status === 200)];
    expect(await order("D")).toMatchObject({ currency: winner, version: 1 });
  });

  test("is corrected in the stored record; a record that is not stored must be sent", async () => {
    const { importing, list, one, fix, mapping } = await aShop();
    await mapping(
      [
        { source: "ref", target: "number" },
        { source: "money", target: "currency" },
      ],
      "replace",
    );
    await importing(record("S", { money: "Xyzzy dollars" }), record("T", { money: "x".repeat(70_000) }));
    const rows = await list();
    const [small, large] = ["S", "T"].map((name) => rows.find(({ subject }) => subject.name === name)!);
    const wrongPart = await fix(small!.id, "edit_and_retry", { record: { canonical: {} } });
    expect(wrongPart.body.errors[0]).toMatchObject({ pointer: "/record/canonical", code: "record_part_ignored" });
    expect(large!.availableActions.map(({ action }) => action)).toEqual(["edit_and_retry", "dismiss"]);
    expect((await fix(large!.id, "retry")).body.allowed).toEqual(["edit_and_retry", "dismiss"]);
    const sent = await fix(large!.id, "edit_and_retry", { record: { raw: { ref: "T", money: "USD" } } });
    expect(sent.body).toMatchObject({ status: "resolved" });
    // Its key is gone.
    await db.query("update exceptions set sealed_record = 'nothing' where id = $1", [small!.id]);
    expect((await fix(small!.id, "retry")).body).toMatchObject({
      status: "failed",
      error: { code: "record_not_stored" },
    });
    expect((await one()).details).toEqual({ errors: expect.any(Array) });
  });

  test("that was dismissed is resolved when it is accepted; a later failure is a new exception", async () => {
    const { importing, list, one, fix } = await aShop();
    await importing(broken("V"));
    const { id } = await one();
    expect((await fix(id, "dismiss")).body).toMatchObject({ status: "dismissed", exception: { availableActions: [] } });
    await importing(record("V"));
    expect(await list("&status=resolved")).toMatchObject([{ id, resolution: "auto_resolved" }]);
  });

  test("is shown without personal data to callers without pii:read", async () => {
    const { importing, org, one, mapping } = await aShop();
    // What is wrong is said by quoting the record.
    const lookup = { lookup: { map: { somebody: "USD" } } };
    await mapping([{ source: "who", target: "currency", transforms: [lookup] }]);
    await importing(record("E"));
    expect((await one()).reason).toContain("Ada Xyzzy");
    const { id } = await one();
    const stranger = await org.withScopes(["exceptions:read", "exceptions:write", "tasks:execute"]);
    const seen = [
      await stranger.get("/exceptions"),
      await stranger.get(`/exceptions/${id}`),
      await stranger.post(`/exceptions/${id}/resolve`, { action: "retry" }),
    ];
    expect(seen[2]!.body).toMatchObject({ status: "failed", error: { code: "transformation_failed" } });
    expect(seen.map(({ text }) => /xyzzy/i.test(text))).toEqual([false, false, false]);
    expect((await org.get(`/exceptions/${id}`)).text).toMatch(/Xyzzy/);
    const kept = await db.query("select from exceptions where id = $1 and exceptions::text ilike '%street%'", [id]);
    expect(kept).toEqual([]);
  });

  test("is the only record that a retry of its import processes", async () => {
    const { importing, org, list, mapping } = await aShop();
    await importing(broken("other"));
    const { id } = await importing(record("F"), broken("G"), broken("H"));
    const map = { lookup: { map: { "Xyzzy dollars": "USD" } } };
    await mapping([{ source: "currency", target: "currency", transforms: [map] }]);
    // Its source has nothing to say any more.
    floor.pages = [];
    const retry = await org.post(`/tasks/executions/${id}/retry`, {});
    expect([retry.status, retry.body.isPartial, retry.body.retryOf]).toEqual([202, true, id]);
    expect(await ended(org, retry.body.id)).toMatchObject({ status: "succeeded", result: { fetched: 2, created: 2 } });
    expect(await list()).toMatchObject([{ subject: { name: "other" } }]);
    const none = await org.post(`/tasks/executions/${id}/retry`, {});
    expect([none.status, none.body.code]).toEqual([409, "execution_not_failed"]);
  });

  test("names the value that a table has no entry for, and is grouped and retried by its cause", async () => {
    const { importing, org, bridgeId, list, mapping } = await aShop();
    const lookup = (map: object) => [{ source: "currency", target: "currency", transforms: [{ lookup: { map } }] }];
    await mapping(lookup({ euro: "EUR" }));
    await importing(
      record("T-1", { currency: "dollars" }),
      record("T-2", { currency: "dollars" }),
      record("T-3", { currency: "euro", lines: [{ sku: "MUG", quantity: "many" }] }),
    );
    const cause = { kind: "rejected_record", bridgeId, taskName: "orders.import" };
    const missed = { ...cause, code: "transformation_failed", errorCode: "lookup_missed", field: "currency" };
    const { groups } = (await org.get("/exceptions/counts")).body;
    expect(groups).toMatchObject([
      { ...missed, count: 2 },
      { ...cause, code: "validation_failed", field: "/lines/*/quantity", count: 1 },
    ]);
    const [first] = await list("&field=currency&errorCode=lookup_missed");
    const { details, reason } = (await org.get(`/exceptions/${first!.id}`)).body;
    expect(details.errors).toMatchObject([{ code: "lookup_missed", target: "currency", value: "dollars" }]);
    expect(reason).toBe('currency: The table has no entry for "dollars".');
    // The value may be personal data.
    const viewer = await org.withScopes(["exceptions:read"]);
    expect((await viewer.get(`/exceptions/${first!.id}`)).text).not.toContain("dollars");
    const [{ id }] = (await org.get("/transformations")).body.data;
    await org.patch(`/transformations/${id}`, { mappings: lookup({ euro: "EUR", dollars: "USD" }) });
    const tried = await org.post("/exceptions/resolve", { action: "retry", filter: missed });
    expect(tried.body.summary).toMatchObject({ matched: 2, processed: 2, failed: 0 });
    expect(await list()).toMatchObject([{ subject: { name: "T-3" } }]);
  });

  test("of many: they are counted, listed by pages and resolved by a filter; dismissed ones stay dismissed", async () => {
    const { importing, org, list } = await aShop();
    const many = Array.from({ length: 600 }, (_, i) => broken(`M-${i}`));
    expect(await importing(...many)).toMatchObject({ status: "failed" });
    const counts = (await org.get("/exceptions/counts")).body;
    expect(counts).toMatchObject({ total: 600, byKind: { rejected_record: 600, push: 0 } });
    expect(counts.groups).toMatchObject([
      { kind: "rejected_record", count: 600, availableActions: ["retry", "dismiss"] },
    ]);
    const filter = { kind: "rejected_record", isAttempted: false };
    const dry = await org.post("/exceptions/resolve", { action: "dismiss", filter, dryRun: true });
    expect(dry.body).toEqual({
      dryRun: true,
      summary: { matched: 600, processed: 0, failed: 0, remaining: 600 },
      results: [],
    });
    const tried = await org.post("/exceptions/resolve", { action: "retry", filter });
    expect(tried.body.summary).toEqual({ matched: 600, processed: 0, failed: 500, remaining: 100 });
    const rest = await org.post("/exceptions/resolve", { action: "dismiss", filter });
    expect(rest.body.summary).toEqual({ matched: 100, processed: 100, failed: 0, remaining: 0 });
    const others = await org.post("/exceptions/resolve", { action: "dismiss", filter: { code: "validation_failed" } });
    expect(others.body.summary).toMatchObject({ matched: 500, processed: 500 });
    await importing(...many);
    expect(await list()).toEqual([]);
    // Another fault of the same record is news.
    await importing(record("M-1", { currency: "neither" }));
    expect(await list()).toMatchObject([{ subject: { name: "M-1" }, timesSeen: expect.any(Number) }]);
  });
});

describe("an order that differs from its source", () => {
  async function aSentOrder(number: string) {
    const shop = await aShop();
    await shop.importing(record(number, { status: "ready" }));
    await db.query("update orders set status = 'sent' where org_id = $1", [shop.org.id]);
    return shop;
  }
  const moved = { shippingAddress: { name: "Ada Xyzzy", address1: "1 New Road", city: "Troy", zip: "12180" } };

  test("follows the source when a user accepts it, and its hold is released", async () => {
    const { importing, one, fix, order, list, org } = await aSentOrder("N-1");
    await importing(record("N-1", { status: "ready", ...moved }));
    const row = await one();
    expect(row).toMatchObject({
      kind: "import_conflict",
      code: "source_address_changed",
      subject: { type: "order", name: "N-1" },
      details: { theirs: moved },
    });
    expect((await order("N-1")).holds).toHaveLength(1);
    const stranger = await org.withScopes(["exceptions:read"]);
    expect((await stranger.get(`/exceptions/${row.id}`)).text).not.toMatch(/xyzzy|new road/i);
    expect((await fix(row.id, "accept_source")).body).toMatchObject({ status: "resolved" });
    expect(await order("N-1")).toMatchObject({ holds: [], shippingAddress: { city: "Troy" } });
    expect(await list("&status=resolved")).toMatchObject([{ id: row.id, resolution: "accept_source" }]);
  });

  test("stays as it is when a user keeps it, and the same report opens no exception again", async () => {
    const { importing, one, fix, order, list } = await aSentOrder("N-2");
    await importing(record("N-2", { status: "ready", ...moved }));
    const { id } = await one();
    expect((await fix(id, "keep_local")).body).toMatchObject({ status: "resolved" });
    expect(await order("N-2")).toMatchObject({ holds: [], shippingAddress: { city: "Albany" } });
    await importing(record("N-2", { status: "ready", ...moved }));
    expect(await list()).toEqual([]);
    expect((await order("N-2")).holds).toEqual([]);
    await importing(record("N-2", { status: "ready", shippingAddress: { ...moved.shippingAddress, zip: "12182" } }));
    expect(await one()).toMatchObject({ id, timesSeen: 2 });
    // A change that was withdrawn and made again opens it too: the order is on hold, and a user must know why.
    expect((await fix(id, "keep_local")).body).toMatchObject({ status: "resolved" });
    await importing(record("N-2", { status: "ready" }));
    await importing(record("N-2", { status: "ready", shippingAddress: { ...moved.shippingAddress, zip: "12182" } }));
    expect([(await order("N-2")).holds.length, await list()]).toMatchObject([1, [{ id, status: "open" }]]);
  });

  test("is resolved when its hold is released, or when the source withdraws the change", async () => {
    const { importing, list, run, org } = await aSentOrder("N-3");
    /** The transaction that wrote the order last is the one that wrote the exception. */
    const isOfOneTransaction = async (): Promise<boolean> => {
      const both =
        "select distinct xmin::text from (select xmin, org_id from orders union all select xmin, org_id from exceptions)";
      return (await db.query(`${both} of_all where org_id = $1`, [org.id])).length === 1;
    };
    await importing(record("N-3", { status: "ready", ...moved }));
    expect([(await list()).length, await isOfOneTransaction()]).toEqual([1, true]);
    await importing(record("N-3", { status: "ready" }));
    expect([await list(), await isOfOneTransaction()]).toEqual([[], true]);
    await importing(record("N-3", { status: "ready", ...moved }));
    expect(await list()).toHaveLength(1);
    await run("N-3", "release_hold", { handles: ["source_address_changed"] });
    expect([await list(), await isOfOneTransaction()]).toEqual([[], true]);
    expect(await list("&status=resolved")).toMatchObject([{ resolution: "auto_resolved" }]);
  });

  test("is resolved when a user changes the order to what the source reports", async () => {
    const { importing, one, run, list, org } = await aSentOrder("N-5");
    const turnOut = async (status: string) =>
      await db.query("update orders set status = $2 where org_id = $1", [org.id, status]);
    await turnOut("shipped");
    await importing(record("N-5", { status: "cancelled" }));
    const { id } = await one();
    // It had not left after all.
    await turnOut("ready");
    await run("N-5", "cancel", { reason: "customer" });
    expect(await list("&status=resolved")).toMatchObject([{ id, resolution: "auto_resolved" }]);
  });

  test("names the rule that forbids the change; for shipped orders it is reported without a hold", async () => {
    const { importing, one, fix, order, org, list } = await aSentOrder("N-4");
    await db.query("update orders set status = 'shipped' where org_id = $1", [org.id]);
    await importing(record("N-4", { status: "cancelled" }));
    const row = await one();
    expect(row).toMatchObject({ code: "source_cancelled", message: expect.stringContaining("has been shipped") });
    expect((await order("N-4")).holds).toEqual([]);
    const refused = await fix(row.id, "accept_source");
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"]);
    expect(await list()).toHaveLength(1);
    await importing(record("N-4", { status: "ready" }));
    expect(await list()).toEqual([]);
    // Kept as it is, it is not asked about again.
    await importing(record("N-4", { status: "cancelled" }));
    expect((await fix(row.id, "keep_local")).body).toMatchObject({ status: "resolved" });
    await importing(record("N-4", { status: "cancelled" }));
    expect(await list()).toEqual([]);
  });
});

test("ten thousand are counted, listed by pages and closed five hundred at a time", async () => {
  const { org, importing, one } = await aShop();
  await importing(broken("Z"));
  const { id } = await one();
  await db.query(
    `insert into exceptions select many.* from exceptions x, generate_series(1, 10000) n,
       jsonb_populate_record(x, jsonb_build_object('id', gen_random_uuid(), 'dedup_key', 'many:' || n)) many where x.id = $1`,
    [id],
  );
  expect((await org.get("/exceptions/counts")).body).toMatchObject({ total: 10_001 });
  expect((await org.get("/exceptions?limit=10&page=2")).body.pagination).toMatchObject({ total: 10_001, pages: 1_001 });
  const bulk = await org.post("/exceptions/resolve", { action: "dismiss", filter: {} });
  expect(bulk.body.summary).toEqual({ matched: 10_001, processed: 500, failed: 0, remaining: 9_501 });
});
