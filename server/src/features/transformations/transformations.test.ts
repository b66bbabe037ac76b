import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { loadActiveTransformations } from "./active-transformations.ts";

let hub: TestHub;
let org: TestOrg;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
});

async function aBridge(): Promise<string> {
  return (await org.post("/bridges", { name: `Shop ${randomUUID()}`, connector: "demo" })).body.id;
}

const mappings = [{ source: "order_number", target: "number", type: "string" }];

async function aTransformation(more: object = {}) {
  const about = { name: "Orders", bridgeId: await aBridge(), taskName: "noop", direction: "inbound", mappings };
  return await org.post("/transformations", { ...about, ...more });
}

async function execute(bridgeId: string, input: object) {
  return (await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop", input })).body;
}

describe("a transformation", () => {
  test("is created, read, listed, changed and deleted", async () => {
    const created = await aTransformation();
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: "Orders",
      taskName: "noop",
      direction: "inbound",
      isActive: true,
      version: 1,
      mappings,
    });
    const { id, bridgeId } = created.body;
    expect((await org.get(`/transformations/${id}`)).body).toEqual(created.body);
    for (const [filter, total] of [
      [`bridgeId=${bridgeId}`, 1],
      [`bridgeId=${bridgeId}&taskName=noop&direction=inbound&isActive=true`, 1],
      [`bridgeId=${bridgeId}&isActive=false`, 0],
      [`bridgeId=${bridgeId}&taskName=orders.import`, 0],
      [`bridgeId=${bridgeId}&direction=outbound`, 0],
    ]) {
      expect((await org.get(`/transformations?${filter}`)).body.pagination.total, String(filter)).toBe(total);
    }
    const patched = await org.patch(`/transformations/${id}`, { name: "Shop orders" });
    expect([patched.status, patched.body.version, patched.body.mappings]).toEqual([200, 2, mappings]);
    const stale = await org.patch(`/transformations/${id}`, { name: "x" }, { headers: { "if-match": '"1"' } });
    expect(stale.status).toBe(412);
    expect((await org.delete(`/transformations/${id}`)).body).toEqual({ id, deleted: true });
    expect((await org.get(`/transformations/${id}`)).body.code).toBe("transformation_not_found");
  });

  test("is stored in its canonical form", async () => {
    const { body } = await aTransformation({ mappings: [{ from: "a", to: "b", transform: "uppercase" }] });
    expect(body.mappings).toEqual([{ source: "a", target: "b", transforms: ["upper"] }]);
  });

  test("is rejected with a pointer to every mistake", async () => {
    const wrong = await aTransformation({
      mappings: [{ target: "a" }, { source: "x", target: "y", transforms: ["trimm"] }],
    });
    expect(wrong.status).toBe(400);
    expect(wrong.body.errors).toMatchObject([
      { pointer: "/mappings/0", code: "one_of" },
      { pointer: "/mappings/1/transforms/0", code: "unknown_transform", suggestion: "trim" },
    ]);
    const task = await aTransformation({ taskName: "nop" });
    expect(task.body.errors).toMatchObject([{ pointer: "/taskName", code: "unknown_task", suggestion: "noop" }]);
    expect((await aTransformation({ bridgeId: randomUUID() })).body.code).toBe("bridge_not_found");
    expect((await aTransformation({ direction: "sideways" })).body.errors[0].pointer).toBe("/direction");
  });

  test("keeps its versions, and an earlier one can be restored", async () => {
    const { body } = await aTransformation();
    const path = `/transformations/${body.id}`;
    await org.patch(path, { mappings: [{ source: "a", target: "b" }] });
    const back = await org.post(`${path}/rollback`, { version: 1 });
    expect([back.status, back.body.version, back.body.mappings]).toEqual([200, 3, mappings]);
    const { data } = (await org.get(`${path}/versions`)).body;
    expect(
      data.map(({ version, mappings: [{ target }] }: { version: number; mappings: [{ target: string }] }) => [
        version,
        target,
      ]),
    ).toEqual([
      [3, "number"],
      [2, "b"],
      [1, "number"],
    ]);
    expect((await org.post(`${path}/rollback`, { version: 9 })).body.errors[0]).toMatchObject({ pointer: "/version" });
  });
});

describe("only one is active for a bridge, task and direction", () => {
  test("a second one is rejected with the id of the first, and replaces it with ?replace=true", async () => {
    const first = (await aTransformation()).body;
    const same = { bridgeId: first.bridgeId };
    const refused = await aTransformation(same);
    expect([refused.status, refused.body.code, refused.body.transformationId]).toEqual([
      409,
      "active_transformation_exists",
      first.id,
    ]);
    expect((await aTransformation({ ...same, direction: "outbound" })).status).toBe(201);
    const second = (await aTransformation({ ...same, isActive: false })).body;
    expect((await org.patch(`/transformations/${second.id}`, { isActive: true })).status).toBe(409);
    expect((await org.patch(`/transformations/${second.id}?replace=true`, { isActive: true })).status).toBe(200);
    expect((await org.get(`/transformations/${first.id}`)).body).toMatchObject({ isActive: false, version: 2 });
  });

  test("also with concurrent requests", async () => {
    const bridgeId = await aBridge();
    const answers = await Promise.all(Array.from({ length: 8 }, () => aTransformation({ bridgeId })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const [id] = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    for (const { status, body } of answers) {
      if (status !== 201) expect([status, body.transformationId]).toEqual([409, id]);
    }
  });

  test("concurrent replacements are applied one after the other", async () => {
    const bridgeId = await aBridge();
    await aTransformation({ bridgeId });
    const waiting = await Promise.all(Array.from({ length: 6 }, () => aTransformation({ bridgeId, isActive: false })));
    const answers = await Promise.all(
      waiting.map(({ body }) => org.patch(`/transformations/${body.id}?replace=true`, { isActive: true })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { data } = (await org.get(`/transformations?bridgeId=${bridgeId}&isActive=true`)).body;
    expect(data).toHaveLength(1);
  });
});

describe("in an execution", () => {
  test("outbound maps the input of the task, inbound its output, and the execution names the transformations", async () => {
    const bridgeId = await aBridge();
    const outbound = await aTransformation({
      bridgeId,
      direction: "outbound",
      mappings: [{ source: "a", target: "sent" }],
    });
    const inbound = await aTransformation({
      bridgeId,
      mappings: [{ source: "sent", target: "got", transforms: ["upper"] }],
    });
    const done = await execute(bridgeId, { a: "x" });
    expect(done).toMatchObject({
      status: "succeeded",
      input: { a: "x" },
      transformedInput: { sent: "x" },
      result: { got: "X" },
      transformations: { outbound: { id: outbound.body.id, version: 1 }, inbound: { id: inbound.body.id, version: 1 } },
    });
  });

  test("it is compiled once for concurrent tasks", async () => {
    const { bridgeId } = (await aTransformation()).body;
    const task = { orgId: org.id, bridgeId, taskName: "noop" };
    const loaded = await Promise.all(Array.from({ length: 5 }, () => loadActiveTransformations(hub.world, task)));
    expect(loaded[0]!.inbound).toBeDefined();
    for (const { inbound } of loaded) expect(inbound).toBe(loaded[0]!.inbound);
  });

  test("a change applies from the next execution on, and an inactive one does nothing", async () => {
    const { id, bridgeId } = (await aTransformation({ mappings: [{ source: "a", target: "v1" }] })).body;
    for (let version = 1; version <= 4; version++) {
      expect((await execute(bridgeId, { a: version })).result).toEqual({ [`v${version}`]: version });
      await org.patch(`/transformations/${id}`, { mappings: [{ source: "a", target: `v${version + 1}` }] });
    }
    await org.patch(`/transformations/${id}`, { isActive: false });
    expect((await execute(bridgeId, { a: 1 })).result).toEqual({ a: 1 });
  });

  test("a change on one node applies to the next execution on another", async () => {
    const firstNode = await startTestHub({ taskSlots: 0 });
    await firstNode.secondNode({ taskSlots: 4 });
    const there = await firstNode.org();
    const bridges = await Promise.all(
      ["One", "Two"].map(async (name) => (await there.post("/bridges", { name, connector: "demo" })).body.id as string),
    );
    const [bridgeId, otherId] = bridges as [string, string];
    const run = async (bridge = bridgeId) =>
      (await there.post("/tasks/execute-sync", { bridgeId: bridge, taskName: "noop", input: { a: 1 } })).body.result;
    const about = (target: string) => ({
      name: target,
      bridgeId,
      taskName: "noop",
      direction: "inbound",
      mappings: [{ source: "a", target }],
    });
    const patch = (id: string, more: object) => there.patch(`/transformations/${id}`, more);

    expect(await run()).toEqual({ a: 1 });
    const { id } = (await there.post("/transformations", about("created"))).body;
    expect(await run()).toEqual({ created: 1 });
    await patch(id, { mappings: [{ source: "a", target: "changed" }] });
    expect(await run()).toEqual({ changed: 1 });
    await there.post(`/transformations/${id}/rollback`, { version: 1 });
    expect(await run()).toEqual({ created: 1 });
    const next = (await there.post("/transformations?replace=true", about("replaced"))).body.id;
    expect(await run()).toEqual({ replaced: 1 });
    expect(await run(otherId)).toEqual({ a: 1 });
    await patch(next, { bridgeId: otherId });
    expect([await run(), await run(otherId)]).toEqual([{ a: 1 }, { replaced: 1 }]);
    await patch(id, { isActive: true });
    expect(await run()).toEqual({ created: 1 });
    await there.delete(`/transformations/${id}`);
    expect(await run()).toEqual({ a: 1 });
  });

  test("data that cannot be mapped fails the execution with every reason", async () => {
    const { bridgeId } = (await aTransformation({ mappings: [{ source: "a", target: "n", type: "number" }] })).body;
    const failed = await execute(bridgeId, { a: "12,50" });
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "transformation_failed", errors: [{ target: "n", code: "type_mismatch" }] },
    });
  });

  test("without mappings the data passes unchanged", async () => {
    const { bridgeId } = (await aTransformation({ mappings: [] })).body;
    expect((await execute(bridgeId, { a: 1 })).result).toEqual({ a: 1 });
  });
});

describe("condition sets in mappings", () => {
  const remote = (set: string) => [
    { target: "remote", source: "zip", transforms: [{ in_set: set }] },
    { target: "far", value: true, when: { path: "$.zip", op: "in_set", value: set } },
  ];

  test("are used with their current values, also after a rename, and cannot be deleted", async () => {
    const name = `Remote ${randomUUID()}`;
    const set = (await org.post("/condition-sets", { name })).body;
    const { id, bridgeId } = (await aTransformation({ mappings: remote(name) })).body;
    expect((await execute(bridgeId, { zip: "99501" })).result).toEqual({ remote: false });
    await org.post(`/condition-sets/${set.id}/values`, { values: ["99501"] });
    expect((await execute(bridgeId, { zip: "99501" })).result).toEqual({ remote: true, far: true });
    await org.patch(`/condition-sets/${set.id}`, { name: `${name} renamed` });
    expect((await execute(bridgeId, { zip: "99501" })).result).toEqual({ remote: true, far: true });
    expect((await org.get(`/condition-sets/${set.id}`)).body.usedBy).toEqual([
      { type: "transformation", id, name: "Orders" },
    ]);
    expect((await org.delete(`/condition-sets/${set.id}`)).body.code).toBe("condition_set_in_use");
    await org.delete(`/transformations/${id}`);
    expect((await org.delete(`/condition-sets/${set.id}`)).status).toBe(200);
  });

  test("that do not exist are rejected", async () => {
    const { body } = await aTransformation({ mappings: remote("Nowhere") });
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      "/mappings/0/transforms/0/in_set/set",
      "/mappings/1/when/value",
    ]);
  });
});

describe("a test", () => {
  const sampleData = { order_number: 1001, total: "12,50", note: "x" };

  test("of unsaved mappings returns 200 with output, errors, warnings, trace and unused paths", async () => {
    const { status, body } = await org.post("/transformations/test", {
      mappings: [...mappings, { source: "totl", target: "a" }, { source: "total", target: "b", type: "number" }],
      sampleData,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: false,
      output: { number: "1001" },
      errors: [
        {
          index: 2,
          target: "b",
          path: "/mappings/2",
          code: "type_mismatch",
          suggestion: expect.stringContaining("decimal"),
        },
      ],
      warnings: [{ index: 1, code: "source_missing", source: "totl", suggestion: "$.total" }],
      trace: [{ status: "mapped", from: 1001, to: "1001" }, { status: "skipped" }, { status: "error" }],
      unusedSource: ["$.note"],
    });
  });

  test("of a saved one returns the same", async () => {
    const { id } = (await aTransformation({ isActive: false })).body;
    const { status, body } = await org.post(`/transformations/${id}/test`, { sampleData });
    expect([status, body.ok, body.output, body.unusedSource]).toEqual([
      200,
      true,
      { number: "1001" },
      ["$.total", "$.note"],
    ]);
  });

  test("of invalid mappings reports where; only an invalid request is rejected", async () => {
    const wrong = await org.post("/transformations/test", { mappings: [{ target: "a" }], sampleData: {} });
    expect([wrong.status, wrong.body.ok, wrong.body.errors[0]]).toMatchObject([
      200,
      false,
      { index: 0, target: "a", path: "/mappings/0", code: "one_of" },
    ]);
    for (const body of [
      { mappings: "x", sampleData: {} },
      { mappings: ["x"], sampleData: {} },
      { mappings: [], sampleData: [] },
      { mappings: [] },
    ]) {
      expect((await org.post("/transformations/test", body)).status).toBe(400);
    }
  });

  test("of data that passes unchanged has the same output limit (protocol 6)", async () => {
    const test = (sampleData: object) => org.post("/transformations/test", { mappings: [], sampleData });
    const large = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`key${i}`, i]));
    const { body } = await test(large);
    expect([body.ok, body.output, body.errors[0].code]).toEqual([false, {}, "output_too_large"]);
    expect((await test({ a: "x".repeat(1_100_000) })).body.errors[0].code).toBe("output_too_large");
    expect((await test({ a: [1, { b: null }] })).body).toMatchObject({ ok: true, output: { a: [1, { b: null }] } });
  });

  test("of hostile mappings ends with an error, and the hub keeps running", async () => {
    const list = Array.from({ length: 20_000 }, (_, i) => ({ i }));
    const inner = [
      {
        target: "x",
        each: "$.list",
        mappings: [{ target: "y", each: "$.list", mappings: [{ target: "i", source: "i" }] }],
      },
    ];
    const { status, body } = await org.post("/transformations/test", { mappings: inner, sampleData: { list } });
    expect([status, body.ok, body.errors[0].code]).toEqual([200, false, "output_too_large"]);
    expect((await org.get("/transformations?limit=1")).status).toBe(200);
  });
});

describe("help with mappings", () => {
  test("the catalog lists every transform with its parameters and an example", async () => {
    const { data } = (await org.get("/transformations/transforms")).body;
    expect(data.length).toBeGreaterThanOrEqual(40);
    const round = data.find(({ name }: { name: string }) => name === "round");
    expect(round).toMatchObject({
      group: "number",
      defaultParam: "digits",
      paramsSchema: { properties: { digits: { type: "integer" } } },
    });
  });

  test("a draft is made from two examples, and can be tested as it is", async () => {
    const sampleData = { order_no: "A-1", shipping_address: { postcode: "10001" } };
    const draft = await org.post("/transformations/suggest", {
      sampleData,
      targetExample: { orderNumber: "", shipTo: { zip: "" } },
    });
    expect(draft.body.mappings).toEqual([
      { target: "orderNumber", source: "$.order_no" },
      { target: "shipTo.zip", source: "$.shipping_address.postcode" },
    ]);
    const { body } = await org.post("/transformations/test", { mappings: draft.body.mappings, sampleData });
    expect(body.output).toEqual({ orderNumber: "A-1", shipTo: { zip: "10001" } });
  });

  test("a draft knows the column names of other languages, and keeps the two addresses apart", async () => {
    const sampleData = {
      Bestellnummer: "A-1",
      Lieferadresse: { Straße: "Weg 1", PLZ: "10115", Ort: "Berlin" },
      Positionen: [{ Artikelnummer: "MUG", Menge: 2 }],
    };
    const address = { address1: "", zip: "", city: "" };
    const lines = [{ sku: "", quantity: 0 }];
    const targetExample = { number: "", shippingAddress: address, billingAddress: address, lines };
    const { body } = await org.post("/transformations/suggest", { sampleData, targetExample });
    const found = body.matches.map(({ target, source }: { target: string; source: string }) => [target, source]);
    expect(Object.fromEntries(found)).toEqual({
      number: "$.Bestellnummer",
      "shippingAddress.address1": "$.Lieferadresse.Straße",
      "shippingAddress.zip": "$.Lieferadresse.PLZ",
      "shippingAddress.city": "$.Lieferadresse.Ort",
      lines: "$.Positionen",
      "lines[].sku": "@.Artikelnummer",
      "lines[].quantity": "@.Menge",
    });
  });
});
