import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { change, systemContext } from "../../context.ts";
import { aSmallCard } from "../carrier-accounts/carrier-accounts.schemas.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { recordConditionSetUses } from "./condition-sets.ts";
import { lockWaits } from "../../testing/lock-waits.ts";

const hub = await startTestHub();
const org = await hub.org();

async function aSet(more: object = {}): Promise<string> {
  return (await org.post("/condition-sets", { name: `Set ${randomUUID()}`, ...more })).body.id;
}

describe("a condition set", () => {
  test("is created, read, changed and deleted", async () => {
    const created = await org.post("/condition-sets", { name: "Remote ZIPs", description: "slow" });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: "Remote ZIPs",
      matching: "case_insensitive",
      valueCount: 0,
      usedBy: [],
      version: 1,
    });
    const path = `/condition-sets/${created.body.id}`;
    expect((await org.get(path)).body).toEqual(created.body);
    const changed = await org.patch(path, { description: "slower" });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ name: "Remote ZIPs", description: "slower", version: 2 });
    const deleted = await org.delete(path);
    expect(deleted).toMatchObject({ status: 200, body: { id: created.body.id, deleted: true } });
    expect((await org.get(path)).status).toBe(404);
    expect((await org.delete(path)).body.code).toBe("condition_set_not_found");
  });

  test("has a name that is unique in the organization, ignoring case", async () => {
    await org.post("/condition-sets", { name: "Hazmat" });
    expect((await org.post("/condition-sets", { name: "HAZMAT" })).body.code).toBe("name_taken");
    const other = await aSet();
    expect((await org.patch(`/condition-sets/${other}`, { name: "hazmat" })).status).toBe(409);
    const elsewhere = await hub.org();
    expect((await elsewhere.post("/condition-sets", { name: "Hazmat" })).status).toBe(201);
  });

  test("is listed newest first, in pages that link to each other", async () => {
    const fresh = await hub.org();
    for (const name of ["a", "b", "c", "d", "e"]) await fresh.post("/condition-sets", { name });
    const page = await fresh.get("/condition-sets?limit=2&page=2");
    expect(page.body.data.map((set: { name: string }) => set.name)).toEqual(["c", "b"]);
    expect(page.body.pagination).toEqual({ page: 2, limit: 2, total: 5, pages: 3, hasMore: true });
    expect(page.headers.get("link")).toBe(
      '</api/v1/condition-sets?limit=2&page=1>; rel="first", </api/v1/condition-sets?limit=2&page=1>; rel="prev", ' +
        '</api/v1/condition-sets?limit=2&page=3>; rel="next", </api/v1/condition-sets?limit=2&page=3>; rel="last"',
    );
    expect((await fresh.get("/condition-sets?page=9")).body).toMatchObject({
      data: [],
      pagination: { total: 5, hasMore: false },
    });
  });

  test("rejects a change that is based on an older version", async () => {
    const id = await aSet();
    const { headers } = await org.get(`/condition-sets/${id}`);
    expect(headers.get("etag")).toBe('W/"v1"');
    const ifMatch = { headers: { "if-match": headers.get("etag")! } };
    expect((await org.patch(`/condition-sets/${id}`, { description: "first" }, ifMatch)).status).toBe(200);
    const stale = await org.patch(`/condition-sets/${id}`, { description: "second" }, ifMatch);
    expect(stale.body).toMatchObject({ status: 412, code: "version_mismatch", version: 2 });
    expect((await org.delete(`/condition-sets/${id}`, undefined, ifMatch)).status).toBe(412);
    expect((await org.get(`/condition-sets/${id}`)).body.description).toBe("first");
  });

  test("is not sent again to a client that has the current version", async () => {
    const id = await aSet();
    const again = await org.get(`/condition-sets/${id}`, { headers: { "if-none-match": 'W/"v1"' } });
    expect(again).toMatchObject({ status: 304, text: "" });
    const changed = await org.patch(
      `/condition-sets/${id}`,
      { description: "x" },
      { headers: { "if-none-match": "*" } },
    );
    expect(changed.status).toBe(200);
  });

  test("rejects an empty patch", async () => {
    expect((await org.patch(`/condition-sets/${await aSet()}`, {})).body.code).toBe("empty_patch");
  });

  test("cannot be deleted while it is in use; the error names the users", async () => {
    const id = await aSet();
    const use = { type: "transformation", id: randomUUID(), name: "Order import" };
    const ctx = systemContext(hub.world, org.id, "test");
    await change(ctx, (tx) => recordConditionSetUses(tx, ctx, use, [id]));
    const refused = await org.delete(`/condition-sets/${id}`);
    expect(refused.body).toMatchObject({ status: 409, code: "condition_set_in_use", usedBy: [use] });
    expect((await org.get(`/condition-sets/${id}`)).body.usedBy).toEqual([use]);
    await change(ctx, (tx) => recordConditionSetUses(tx, ctx, use, []));
    expect((await org.delete(`/condition-sets/${id}`)).status).toBe(200);
  });

  test("cannot be renamed while a rate card names it, so that no surcharge is lost", async () => {
    const { body: set } = await org.post("/condition-sets", { name: "Far away" });
    const path = `/condition-sets/${set.id}`;
    const { body: account } = await org.post("/carrier-accounts", { name: "Far", carrier: "rate-card" });
    const when = { destinationSet: "far AWAY" };
    const card = { ...aSmallCard, surcharges: [{ code: "FAR", kind: "fixed", amount: 3, when }] };
    const uploaded = await org.post(`/carrier-accounts/${account.id}/rate-cards`, { card });
    const refused = await org.patch(path, { name: "Remote" });
    expect(refused.body).toMatchObject({ status: 409, code: "condition_set_in_use" });
    expect(refused.body.usedBy).toMatchObject([{ type: "rate_card", id: uploaded.body.id }]);
    expect((await org.patch(path, { name: "FAR AWAY", description: "x" })).status).toBe(200);
    await org.delete(`/carrier-accounts/${account.id}`);
    expect((await org.patch(path, { name: "Remote" })).status).toBe(200);
  });
});

describe("the values of a set", () => {
  test("are added, listed in order, removed and cleared, with counts", async () => {
    const values = `/condition-sets/${await aSet()}/values`;
    expect((await org.post(values, { values: ["b", "a", "c"] })).body).toEqual({
      added: 3,
      alreadyPresent: 0,
      valueCount: 3,
    });
    expect((await org.post(values, { values: ["a", "d", "d"] })).body).toEqual({
      added: 1,
      alreadyPresent: 2,
      valueCount: 4,
      present: ["a"],
    });
    expect((await org.get(values)).body).toMatchObject({ data: ["b", "a", "c", "d"], pagination: { total: 4 } });
    expect((await org.delete(values, { values: ["a", "x"] })).body).toEqual({
      removed: 1,
      notFound: ["x"],
      valueCount: 3,
    });
    expect((await org.post(`${values}/remove`, { values: ["b"] })).body).toEqual({
      removed: 1,
      notFound: [],
      valueCount: 2,
    });
    expect((await org.delete(`${values}/all`)).body).toEqual({ removed: 2, valueCount: 0 });
    expect((await org.get(values)).body.data).toEqual([]);
  });

  test("are compared ignoring case, padding and Unicode form, unless the set matches exactly", async () => {
    const loose = `/condition-sets/${await aSet()}/values`;
    const twins = ["Straße", "STRASSE", " straße ", "Café", "Cafe\u0301", "CAFÉ"];
    expect((await org.post(loose, { values: twins })).body).toMatchObject({ added: 2, alreadyPresent: 4 });
    expect((await org.get(loose)).body.data, "as they were written first").toEqual(["Straße", "Café"]);
    const exact = `/condition-sets/${await aSet({ matching: "exact" })}/values`;
    expect((await org.post(exact, { values: twins })).body).toMatchObject({ added: 5, alreadyPresent: 1 });
    expect((await org.get(`${loose}?value=caf%C3%A9`)).body.pagination.total).toBe(1);
    expect((await org.get(`${exact}?value=caf%C3%A9`)).body.pagination.total).toBe(0);
    expect((await org.get(`${exact}?search=CAF`)).body.pagination.total).toBe(2);
  });

  test("stay when another request starts to use the set at the same time", async () => {
    for (const verb of ["patch", "delete"] as const) {
      const id = await aSet();
      const { db } = hub.world;
      const changing = await db.transaction(async (tx) => {
        const use = { type: "pipeline", id: randomUUID(), name: "Just saved" } as const;
        await recordConditionSetUses(tx, systemContext(hub.world, org.id, "test"), use, [id]);
        const asked =
          verb === "patch"
            ? org.patch(`/condition-sets/${id}`, { name: `New ${id}` })
            : org.delete(`/condition-sets/${id}`);
        await lockWaits(db);
        return { asked };
      });
      expect((await changing.asked).body).toMatchObject({ status: 409, code: "condition_set_in_use" });
    }
  });

  test("the matching can be changed only while the set is empty", async () => {
    const id = await aSet();
    await org.post(`/condition-sets/${id}/values`, { values: ["a"] });
    expect((await org.patch(`/condition-sets/${id}`, { matching: "exact" })).body.code).toBe("condition_set_not_empty");
    await org.delete(`/condition-sets/${id}/values/all`);
    expect((await org.patch(`/condition-sets/${id}`, { matching: "exact" })).status).toBe(200);
  });

  test("are rejected with their pointers when blank, too long, missing or not a list", async () => {
    const values = `/condition-sets/${await aSet()}/values`;
    const answer = await org.post(values, { values: ["ok", "   ", "\t"] });
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(["/values/1", "/values/2"]);
    for (const body of [
      {},
      { values: [] },
      { values: "a" },
      { values: [1] },
      { values: ["x".repeat(513)] },
      { values: [""] },
    ]) {
      expect((await org.post(values, body)).status).toBe(400);
      expect((await org.delete(values, body)).status).toBe(400);
    }
    expect((await org.delete(values)).body.detail).toContain("/remove");
    expect((await org.get(values)).body.pagination.total).toBe(0);
  });

  test("are limited to 100,000", async () => {
    const values = `/condition-sets/${await aSet()}/values`;
    const many = Array.from({ length: 100_000 }, (_, i) => `value-${i}`);
    expect((await org.post(values, { values: many })).body).toEqual({
      added: 100_000,
      alreadyPresent: 0,
      valueCount: 100_000,
    });
    const refused = await org.post(values, { values: ["one more"] });
    expect(refused.body.errors).toEqual([expect.objectContaining({ pointer: "/values", code: "too_many_values" })]);
    expect((await org.get(`${values}?page=100&limit=1000`)).body.data.at(-1)).toBe("value-99999");
    expect((await org.get(`${values}?value=VALUE-77777`)).body.data).toEqual(["value-77777"]);
    expect((await org.delete(values, { values: many })).body).toEqual({
      removed: 100_000,
      notFound: [],
      valueCount: 0,
    });
  });

  test("are counted exactly when many callers add the same ones at once", async () => {
    const values = `/condition-sets/${await aSet()}/values`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => org.post(values, { values: ["same", `own-${i}`] })),
    );
    const added = answers.reduce((sum, { body }) => sum + body.added, 0);
    expect(added).toBe(21);
    expect((await org.get(values)).body.pagination.total).toBe(21);
  });
});
