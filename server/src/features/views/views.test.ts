import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const [ann, bob] = [await org.withRole("operator"), await org.withRole("viewer")];
const late = { list: "orders", name: "Late", settings: { filter: { status: ["ready"], tag: "rush" }, sort: "shipBy" } };
type Listed = { id: string; name: string; isOwn: boolean };
const listed = async (client: { get: typeof org.get }, query = ""): Promise<Listed[]> =>
  (await client.get(`/views?limit=100${query}`)).body.data;

test("a view is private until it is shared, and each user may have one with the same name", async () => {
  const { status, body } = await ann.post("/views", late);
  expect(status).toBe(201);
  expect(body).toMatchObject({ ...late, isShared: false, isOwn: true, version: 1 });
  expect((await ann.post("/views", { ...late, name: "LATE" })).body.code).toBe("name_taken");
  expect((await bob.post("/views", late)).status).toBe(201);
  const path = `/views/${body.id}`;
  expect((await bob.get(path)).body.code).toBe("view_not_found");
  expect((await listed(bob)).map(({ id }) => id)).not.toContain(body.id);
  expect((await ann.patch(path, { isShared: true })).body.isShared).toBe(true);
  expect(await listed(bob)).toContainEqual(expect.objectContaining({ id: body.id, isOwn: false }));
  expect((await bob.patch(path, { name: "Bob's" })).body).toMatchObject({ status: 403, code: "admin_required" });
  expect((await bob.delete(path)).body.code).toBe("admin_required");
  const changed = await org.patch(path, { name: "Late, by the admin" }, { headers: { "if-match": 'W/"v2"' } });
  expect(changed.body).toMatchObject({ name: "Late, by the admin", version: 3 });
  expect((await ann.delete(path, undefined, { headers: { "if-match": 'W/"v2"' } })).status).toBe(412);
  expect((await ann.delete(path)).body).toEqual({ id: body.id, deleted: true });
});

test("shared names are unique, separately for each list", async () => {
  const shared = { ...late, name: "Everybody's", isShared: true };
  expect((await ann.post("/views", shared)).status).toBe(201);
  expect((await bob.post("/views", shared)).body.code).toBe("name_taken");
  expect((await bob.post("/views", { ...shared, list: "shipments" })).status).toBe(201);
  expect((await listed(ann, "&list=shipments")).map(({ name }) => name)).toEqual(["Everybody's"]);
});

test("the settings of a view and the number of views are limited", async () => {
  const long = await ann.post("/views", { ...late, settings: { text: "x".repeat(16_400) } });
  expect(long.body.errors).toMatchObject([{ pointer: "/settings", code: "too_large" }]);
  const hoarder = await org.withRole("viewer");
  for (let from = 0; from < 100; from += 10) {
    const some = Array.from({ length: 10 }, (_, i) => hoarder.post("/views", { ...late, name: `View ${from + i}` }));
    for (const { status } of await Promise.all(some)) expect(status).toBe(201);
  }
  expect((await hoarder.post("/views", { ...late, name: "One more" })).body.code).toBe("invalid_state");
});

test("search words of others are shown only with pii:read", async () => {
  const settings = {
    search: "Zelda Quux",
    filter: { q: ["zelda@quux.example"], status: ["ready"], when: { path: "customer.name", op: "eq", value: "Quux" } },
    sort: "shipBy",
  };
  const { body } = await ann.post("/views", { list: "orders", name: "Hers", settings, isShared: true });
  expect(body.settings).toEqual(settings);
  expect((await org.get(`/views/${body.id}`)).body.settings).toEqual(settings);
  const hidden = {
    search: "***",
    filter: { q: ["***"], status: ["ready"], when: { path: "customer.name", op: "eq", value: "***" } },
    sort: "shipBy",
  };
  expect((await bob.get(`/views/${body.id}`)).body.settings).toEqual(hidden);
  expect((await bob.get("/views?limit=100")).text).not.toMatch(/zelda|quux/i);
  const { body: own } = await bob.post("/views", { list: "orders", name: "Mine", settings, isShared: true });
  expect(own.settings).toEqual(settings);
});
