import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
});

const mappings = [{ source: "order_number", target: "number", type: "string" }];

async function aTransformation(more: object = {}) {
  const bridgeId = (await org.post("/bridges", { name: `Shop ${randomUUID()}`, connector: "demo" })).body.id;
  const about = { name: "Orders", bridgeId, taskName: "noop", direction: "inbound", mappings };
  return await org.post("/transformations", { ...about, ...more });
}

describe("a transformation", () => {
  const wrong = [
    { source: "no", target: "nummber" },
    { source: "zip", target: "shipingAddress.zip" },
    { source: "note", target: "customFields.note" },
    { source: "rest", target: "$" },
  ];

  test("with a target that the records of its task do not have is saved only as long as it is not active", async () => {
    const created = await aTransformation({ taskName: "orders.import", mappings: wrong, isActive: false });
    expect(created.status).toBe(201);
    const warnings = [
      { index: 0, target: "nummber", path: "/mappings/0", code: "unknown_target", suggestion: "number" },
      { index: 1, target: "shipingAddress.zip", code: "unknown_target", suggestion: "shippingAddress.zip" },
    ];
    expect(created.body.warnings).toMatchObject(warnings);
    const { id } = created.body;
    const tested = await org.post(`/transformations/${id}/test`, { sampleData: { no: "1", zip: "10001", note: "a" } });
    expect(tested.body.warnings.slice(0, 2)).toMatchObject(warnings);
    expect((await org.patch(`/transformations/${id}`, { name: "Orders 2" })).body.warnings).toMatchObject(warnings);
    const refused = await org.patch(`/transformations/${id}`, { isActive: true });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      code: "validation_failed",
      detail: expect.stringContaining("save with isActive: false"),
      errors: [
        { pointer: "/mappings/0/target", code: "unknown_target", suggestion: "number" },
        { pointer: "/mappings/1/target", code: "unknown_target", suggestion: "shippingAddress.zip" },
      ],
    });
    const mended = await org.patch(`/transformations/${id}`, {
      mappings: [{ source: "no", target: "number" }],
      isActive: true,
    });
    expect(mended.status).toBe(200);
    expect(mended.body).not.toHaveProperty("warnings");
    // Back to the wrong mappings: they would be active.
    expect((await org.post(`/transformations/${id}/rollback`, { version: 1 })).status).toBe(400);
    const outbound = await aTransformation({
      taskName: "orders.import",
      direction: "outbound",
      mappings: wrong.slice(0, 1),
    });
    expect(outbound.body).not.toHaveProperty("warnings");
    expect((await aTransformation({ mappings: wrong.slice(0, 1) })).body).not.toHaveProperty("warnings");
  });

  test("that leaves out what its records need is not activated", async () => {
    const lines = { each: "items", target: "lines", mappings: [{ source: "@.code", target: "sku" }] };
    const orders = { taskName: "orders.import", mappings: [lines] };
    const refused = await aTransformation(orders);
    expect(refused.body.errors).toEqual([
      {
        pointer: "/mappings/0/mappings",
        code: "required_target",
        message: "Elements of lines need quantity, and no mapping fills it.",
      },
    ]);
    expect((await aTransformation({ ...orders, mode: "extend" })).status).toBe(400);
    const inner = [...lines.mappings, { source: "@.qty", target: "quantity" }];
    const weighed = [...inner, { source: "@.oz", target: "weight.value" }];
    const half = await aTransformation({ ...orders, mappings: [{ ...lines, mappings: weighed }] });
    expect(half.body.errors).toMatchObject([{ message: expect.stringContaining("need weight.unit") }]);
    expect((await aTransformation({ ...orders, mappings: [{ ...lines, mappings: inner }] })).status).toBe(201);
    // A whole line as it is, or merged by $: what it has is known only with the data.
    const merged = [{ ...lines, mappings: [{ source: "@", target: "$" }] }];
    expect((await aTransformation({ ...orders, mappings: merged })).status).toBe(201);
    expect((await aTransformation({ ...orders, mappings: [{ source: "items", target: "lines" }] })).status).toBe(201);
    // An inner target is checked as well.
    const misspelt = await aTransformation({
      ...orders,
      mappings: [{ ...lines, mappings: [...inner, { source: "@.x", target: "hsCod" }] }],
    });
    expect(misspelt.body.errors).toMatchObject([
      { pointer: "/mappings/0/mappings/2/target", code: "unknown_target", suggestion: "hsCode" },
    ]);
  });

  test("that was active with an unknown target before can still be renamed and deactivated", async () => {
    const { id } = (await aTransformation({ taskName: "orders.import", mappings: wrong, isActive: false })).body;
    await hub.world.db.query("update transformations set is_active = true where id = $1", [id]);
    expect((await org.patch(`/transformations/${id}`, { name: "Kept" })).body).toMatchObject({ isActive: true });
    expect((await org.patch(`/transformations/${id}`, { mappings: wrong })).status).toBe(400);
    expect((await org.patch(`/transformations/${id}`, { isActive: false })).status).toBe(200);
  });
});
