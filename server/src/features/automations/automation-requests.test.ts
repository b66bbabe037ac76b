import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "../../testing/test-client.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
let org: TestOrg;
beforeAll(async () => void (org = await hub.org()));

async function createPipeline(by: TestClient): Promise<string> {
  const actions = [{ type: "add_note", params: { text: "seen" } }];
  return (await by.post("/operations/pipelines", { name: `P ${crypto.randomUUID()}`, actions })).body.id;
}

describe("a rejected automation", () => {
  test("gets an error with the field and the allowed values", async () => {
    const pipeline_id = await createPipeline(org);
    const refused = async (more: object) => {
      const about = { name: "Refused", trigger: { types: ["order.created"] }, pipeline_id };
      const { status, body } = await org.post("/automations", { ...about, ...more });
      expect(status, JSON.stringify(more)).toBe(400);
      return body.errors[0];
    };
    expect(await refused({ trigger: {} })).toMatchObject({ pointer: "/trigger", code: "required" });
    expect(await refused({ trigger: { types: ["order.created"], cron: "@daily", filter: {} } })).toMatchObject({
      code: "one_of",
    });
    const misspelled = await refused({ trigger: { types: ["order.creatd"] } });
    expect(misspelled).toMatchObject({
      pointer: "/trigger/types/0",
      code: "unknown_type",
      suggestion: "order.created",
    });
    expect(misspelled.allowed).toContain("orders.updated");
    expect(await refused({ trigger: { types: ["bridge.updated"] } })).toMatchObject({ code: "not_about_orders" });
    expect(await refused({ trigger: { types: ["order.deleted"] } })).toMatchObject({ code: "not_about_orders" });
    expect(await refused({ trigger: { cron: "@daily" } })).toMatchObject({
      pointer: "/trigger/filter",
      code: "required",
    });
    expect(await refused({ trigger: { cron: "61 * * * *", filter: {} } })).toMatchObject({ pointer: "/trigger/cron" });
    expect(await refused({ trigger: { cron: "@daily", timezone: "Mars", filter: {} } })).toMatchObject({
      pointer: "/trigger/timezone",
    });
    expect(await refused({ trigger: { types: ["order.created"], timezone: "UTC" } })).toMatchObject({
      code: "cron_required",
    });
    expect(await refused({ when: { path: "colour", op: "eq", value: 1 } })).toMatchObject({ pointer: "/when/path" });
    expect(await refused({ pipeline_id: crypto.randomUUID() })).toMatchObject({
      pointer: "/pipeline_id",
      code: "pipeline_not_found",
    });
    expect(await refused({ max_orders_per_hour: 0 })).toMatchObject({ pointer: "/max_orders_per_hour" });
    const foreign = await createPipeline(await hub.org());
    expect(await refused({ pipeline_id: foreign })).toMatchObject({ code: "pipeline_not_found" });
  });

  test("an automation cannot do more than its owner", async () => {
    const pipeline_id = await createPipeline(org);
    const about = { name: "By a narrow key", trigger: { types: ["order.created"] }, pipeline_id };
    const narrow = await org.withScopes(["automations:write", "automations:read", "operations:read", "orders:read"]);
    expect((await narrow.post("/automations", { ...about, mode: "run" })).body).toMatchObject({
      status: 403,
      code: "insufficient_scope",
      required: ["operations:run"],
    });
    const created = await narrow.post("/automations", about);
    expect(created.status).toBe(201);
    expect((await narrow.patch(`/automations/${created.body.id}`, { mode: "run" })).status).toBe(403);
    const asksForPerson = { path: "customer.email", op: "eq", value: "ada@example.com" };
    const asked = await narrow.patch(`/automations/${created.body.id}`, { when: asksForPerson });
    expect(asked.body.errors).toMatchObject([{ pointer: "/when/path", code: "pii_scope_required" }]);
    // A change of name or description does not change the owner.
    const renamed = await org.patch(`/automations/${created.body.id}`, { description: "Preview only" });
    expect(renamed.body.owner.name).toBe("some scopes");
    const taken = await org.patch(`/automations/${created.body.id}`, { when: asksForPerson, mode: "run" });
    expect(taken.body).toMatchObject({ owner: { name: "everything" }, when: asksForPerson });
    expect((await narrow.get(`/automations/${created.body.id}`)).body.when).toEqual({ ...asksForPerson, value: "***" });
    await org.delete(`/automations/${created.body.id}`);
  });

  test("a duplicate name, a stale version and a fifty-first automation are rejected", async () => {
    const tenant = await hub.org();
    const pipeline_id = await createPipeline(tenant);
    const create = (nth: number) =>
      tenant.post("/automations", { name: `Number ${nth}`, trigger: { types: ["order.created"] }, pipeline_id });
    const first = (await create(0)).body;
    expect((await create(0)).body).toMatchObject({ status: 409, code: "name_taken" });
    await tenant.patch(`/automations/${first.id}`, { name: "Renamed" });
    const headers = { "if-match": '"1"' };
    expect((await tenant.patch(`/automations/${first.id}`, { name: "Again" }, { headers })).status).toBe(412);
    for (let nth = 1; nth < 49; nth++) await create(nth);
    const last = await Promise.all([create(49), create(50), create(51)]);
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect(last.find(({ status }) => status === 409)!.body.code).toBe("too_many_automations");
  });
});
