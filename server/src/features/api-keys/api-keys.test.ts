import { describe, expect, test } from "vitest";
import type { HubError } from "../../core/errors.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { authenticate } from "../auth/authenticate.ts";
import { isWellFormedKey, newKeyValue, withChecksum } from "./key-value.ts";

const hub = await startTestHub();
const org = await hub.org();
const minute = 60_000;

describe("API keys", () => {
  test("are created, listed and deleted; the value is shown once, at creation", async () => {
    const created = await org.post("/api-keys", { name: "Screen", scopes: ["condition_sets:read"] });
    expect(created.status).toBe(201);
    expect(created.body.key).toMatch(/^ooh_live_[0-9A-Za-z]{46}$/);
    expect(created.body.key.startsWith(created.body.prefix)).toBe(true);
    const list = await org.get("/api-keys");
    expect(list.status).toBe(200);
    expect(list.body.data[0]).toMatchObject({ id: created.body.id, name: "Screen", status: "active", expiresAt: null });
    expect(list.text).not.toContain(created.body.key);
    const holder = hub.client(created.body.key);
    expect((await holder.get("/condition-sets")).status).toBe(200);
    expect((await org.delete(`/api-keys/${created.body.id}`)).body).toEqual({ id: created.body.id, deleted: true });
    expect((await holder.get("/condition-sets")).body).toMatchObject({ status: 401, code: "invalid_token" });
    expect((await org.delete(`/api-keys/${created.body.id}`)).status).toBe(404);
  });

  test("are created and deleted by administrators only", async () => {
    for (const role of ["viewer", "operator"] as const) {
      const person = await org.withRole(role);
      expect((await person.post("/api-keys", { name: "x" })).body.code).toBe("admin_required");
      expect((await person.get("/api-keys")).status).toBe(200);
    }
    const admin = await org.withRole("admin");
    expect((await admin.post("/api-keys", { name: "x" })).status).toBe(201);
  });

  test("have the scopes of their creator by default, and never more", async () => {
    const { body } = await org.post("/api-keys", { name: "all" });
    expect(body.scopes).toEqual(expect.arrayContaining(["orders:write", "tasks:execute", "pii:read"]));
    // What only administrators have is handed out by name.
    for (const scope of ["admin", "operations:override", "audit:read"]) {
      expect(body.scopes).not.toContain(scope);
      expect((await org.post("/api-keys", { name: scope, scopes: [scope] })).body.scopes).toEqual([scope]);
    }
    const byAdminKey = await (await org.withScopes(["admin"])).post("/api-keys", { name: "by a key" });
    expect(byAdminKey.body.scopes).toEqual(body.scopes);
    expect(body.scopes).not.toContain("gateway:global");
    const refused = await org.post("/api-keys", { name: "too much", scopes: ["gateway:global"] });
    expect(refused.body.errors).toEqual([expect.objectContaining({ pointer: "/scopes", code: "scope_not_held" })]);
    const unknown = await org.post("/api-keys", { name: "typo", scopes: ["condition_set:read"] });
    expect(unknown.body.errors[0]).toMatchObject({ pointer: "/scopes/0", suggestion: "condition_sets:read" });
    expect((await org.post("/api-keys", { name: "none", scopes: [] })).status).toBe(400);
    const twice = await org.post("/api-keys", { name: "twice", scopes: ["orders:read", "rates:read", "orders:read"] });
    expect(twice.body.errors[0]).toMatchObject({
      code: "uniqueItems",
      message: "Entries 0 and 2 are the same, counted from 0.",
    });
  });

  test("expire at the given time, which must be in the future", async () => {
    const past = await org.post("/api-keys", { name: "late", expiresAt: new Date(Date.now() - 1000).toISOString() });
    expect(past.body.errors).toEqual([expect.objectContaining({ pointer: "/expiresAt", code: "date_in_past" })]);
    expect((await org.post("/api-keys", { name: "odd", expiresAt: "tomorrow" })).status).toBe(400);
    expect((await org.post("/api-keys", { name: "leap", expiresAt: "9999-12-31T23:59:60Z" })).status).toBe(400);
    const { body } = await org.post("/api-keys", {
      name: "short",
      expiresAt: new Date(Date.now() + minute).toISOString(),
    });
    const holder = hub.client(body.key);
    expect((await holder.get("/me")).status).toBe(200);
    hub.advance(2 * minute);
    expect((await holder.get("/me")).body).toMatchObject({ status: 401, code: "expired_token" });
    const listed = (await org.get("/api-keys")).body.data.find((key: { id: string }) => key.id === body.id);
    expect(listed.status).toBe("expired");
  });

  test("are rotated: both values work during the grace period, then only the new one", async () => {
    const { body: old } = await org.post("/api-keys", { name: "rotating", scopes: ["condition_sets:read"] });
    const rotated = await org.post(`/api-keys/${old.id}/rotate`, { graceSeconds: 60 });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toMatchObject({ replaces: old.id, name: "rotating", scopes: ["condition_sets:read"] });
    const [before, after] = [hub.client(old.key), hub.client(rotated.body.key)];
    expect((await before.get("/me")).status).toBe(200);
    expect((await after.get("/me")).status).toBe(200);
    hub.advance(2 * minute);
    expect((await before.get("/me")).body.code).toBe("expired_token");
    expect((await after.get("/me")).status).toBe(200);
    const atOnce = await org.post(`/api-keys/${rotated.body.id}/rotate`, { graceSeconds: 0 });
    expect((await after.get("/me")).body.code).toBe("expired_token");
    expect((await hub.client(atOnce.body.key).get("/me")).status).toBe(200);
  });

  test("cannot be rotated once they were replaced or have expired", async () => {
    const { body: old } = await org.post("/api-keys", { name: "once", scopes: ["condition_sets:read"] });
    const { body: next } = await org.post(`/api-keys/${old.id}/rotate`, { graceSeconds: 60 });
    const again = await org.post(`/api-keys/${old.id}/rotate`);
    expect(again.body).toMatchObject({ status: 409, code: "invalid_state", replacedBy: next.id });
    const expiresAt = new Date(hub.world.clock.real().getTime() + minute).toISOString();
    const { body: brief } = await org.post("/api-keys", { name: "brief", expiresAt });
    hub.advance(2 * minute);
    expect((await org.post(`/api-keys/${brief.id}/rotate`)).body).toMatchObject({ status: 409, code: "invalid_state" });
  });

  test("that were deleted on one node are rejected by the other on the next request", async () => {
    const other = await hub.secondNode();
    for (let round = 0; round < 20; round++) {
      const { body } = await org.post("/api-keys", { name: "shared" });
      const there = other.client(body.key);
      expect((await there.get("/me")).status).toBe(200);
      await org.delete(`/api-keys/${body.id}`);
      expect((await there.get("/me")).status).toBe(401);
    }
  });

  test("record when they were last used", async () => {
    const { body } = await org.post("/api-keys", { name: "used" });
    const used = async () =>
      (await org.get("/api-keys")).body.data.find((key: { id: string }) => key.id === body.id).lastUsedAt;
    expect(await used()).toBeNull();
    await hub.client(body.key).get("/me");
    expect(Date.parse(await used())).toBeGreaterThan(0);
  });
});

describe("keys of a disabled or deleted creator (security 14)", () => {
  async function maker() {
    const admin = await org.withRole("admin");
    const { scopes } = (await admin.get("/me")).body;
    const wide = (await admin.post("/api-keys", { name: "wide", scopes })).body;
    const narrow = (await admin.post("/api-keys", { name: "narrow", scopes: ["orders:read"] })).body;
    const child = (await hub.client(wide.key).post("/api-keys", { name: "child", scopes: ["admin"] })).body;
    const statuses = async () =>
      await Promise.all([wide, narrow, child].map(async ({ key }) => (await hub.client(key).get("/me")).status));
    return { admin, wide, narrow, child, statuses };
  }
  const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);

  test.each(["disabled", "deleted"])(
    "end when the creator is %s, including keys created with these keys, on every node",
    async (how) => {
      const { admin, wide, statuses } = await maker();
      const there = (await hub.secondNode()).client(wide.key);
      expect((await there.get("/me")).status).toBe(200);
      expect(await statuses()).toEqual([200, 200, 200]);
      const path = `/users/${admin.userId}`;
      const { body } = how === "deleted" ? await org.delete(path) : await org.patch(path, { status: "disabled" });
      expect(body.apiKeys.toSorted(byName)).toMatchObject([
        { name: "child", outcome: "deleted", scopes: [] },
        { name: "narrow", outcome: "deleted" },
        { name: "wide", outcome: "deleted" },
      ]);
      expect(await statuses()).toEqual([401, 401, 401]);
      expect((await there.get("/me")).status).toBe(401);
    },
  );

  test("lose only the scopes that the creator loses with a lesser role", async () => {
    const { admin, wide, statuses } = await maker();
    const { body } = await org.patch(`/users/${admin.userId}`, { role: "viewer" });
    expect(body.apiKeys.toSorted(byName)).toMatchObject([
      { name: "child", outcome: "deleted" },
      { name: "wide", outcome: "scopes_reduced" },
    ]);
    expect(await statuses()).toEqual([200, 200, 401]);
    const key = hub.client(wide.key);
    expect((await key.get("/orders")).status).toBe(200);
    expect((await key.post("/orders", {})).status).toBe(403);
    expect((await key.get("/users")).status).toBe(403);
    expect((await org.patch(`/users/${admin.userId}`, { role: "operator" })).body.apiKeys).toBeUndefined();
  });

  test("stay valid if another administrator rotated them before", async () => {
    const { admin, wide } = await maker();
    const { body: kept } = await org.post(`/api-keys/${wide.id}/rotate`, { graceSeconds: 0 });
    await org.delete(`/users/${admin.userId}`);
    expect((await hub.client(kept.key).get("/me")).status).toBe(200);
  });
});

test("a key created without scopes or expiry gets a warning (security 14)", async () => {
  const codes = ({ body }: { body: { warnings: { code: string }[] } }) => body.warnings.map(({ code }) => code);
  expect(codes(await org.post("/api-keys", { name: "x" }))).toEqual(["all_scopes", "never_expires"]);
  const expiresAt = new Date(hub.world.clock.real().getTime() + minute).toISOString();
  expect(codes(await org.post("/api-keys", { name: "x", scopes: ["orders:read"], expiresAt }))).toEqual([]);
});

describe("agent keys", () => {
  const hour = 60 * minute;
  const inHours = (hours: number): string => new Date(hub.world.clock.real().getTime() + hours * hour).toISOString();

  test("read by default, expire after a day, and say what they are", async () => {
    const { status, body } = await org.post("/api-keys", { name: "assistant", agent: {} });
    expect(status).toBe(201);
    expect(body).toMatchObject({ agent: { maxOrdersPerRun: 100 }, warnings: [] });
    expect(body.scopes).toContain("orders:read");
    expect(body.scopes.filter((scope: string) => !scope.endsWith(":read"))).toEqual([]);
    for (const scope of ["pii:read", "audit:read"]) expect(body.scopes).not.toContain(scope);
    expect(Math.abs(Date.parse(body.expiresAt) - Date.parse(inHours(24)))).toBeLessThan(minute);
    const { data } = (await org.get("/api-keys")).body;
    expect(data.find(({ id }: { id: string }) => id === body.id).agent).toEqual({ maxOrdersPerRun: 100 });
    expect(data.find(({ name }: { name: string }) => name === "everything").agent).toBeNull();
    const holder = hub.client(body.key);
    expect((await holder.get("/orders")).status).toBe(200);
    hub.advance(25 * hour);
    expect((await holder.get("/orders")).body.code).toBe("expired_token");
  });

  test.each<[{ scopes?: string[]; expiresAt?: string; agent?: object }, string, string]>([
    [{ scopes: ["admin"] }, "/scopes", "scope_not_allowed"],
    [{ scopes: ["orders:read", "operations:override"] }, "/scopes", "scope_not_allowed"],
    [{ expiresAt: "in 8 days" }, "/expiresAt", "date_too_late"],
    [{ agent: { maxOrdersPerRun: 0 } }, "/agent/maxOrdersPerRun", "minimum"],
    [{ agent: { maxOrders: 5 } }, "/agent/maxOrders", "unknown_field"],
  ])("%j is refused", async (given, pointer, code) => {
    const expiry = given.expiresAt === undefined ? {} : { expiresAt: inHours(8 * 24) };
    const { body } = await org.post("/api-keys", { name: "assistant", agent: {}, ...given, ...expiry });
    expect(body.errors[0]).toMatchObject({ pointer, code });
  });

  test("keep their limits and their end when they are rotated", async () => {
    const { body } = await org.post("/api-keys", { name: "assistant", agent: { maxOrdersPerRun: 7 } });
    const rotated = (await org.post(`/api-keys/${body.id}/rotate`)).body;
    expect(rotated).toMatchObject({ agent: { maxOrdersPerRun: 7 }, expiresAt: body.expiresAt });
    const refused = await hub.client(rotated.key).post("/views", { name: "mine" });
    expect(refused.body).toMatchObject({ status: 403, code: "agent_key_restricted" });
  });
});

describe("unknown keys", () => {
  test("100,000 malformed keys cost no query", async () => {
    let queries = 0;
    const { db } = hub.world;
    const query = db.query;
    db.query = (...args) => {
      queries++;
      return query(...args);
    };
    const good = newKeyValue("live");
    let refused = 0;
    for (let i = 0; i < 100_000; i++) {
      const at = 9 + (i % 46);
      const wrong = good.slice(0, at) + (good[at] === "A" ? "B" : "A") + good.slice(at + 1);
      await authenticate(hub.world, { authorization: `Bearer ${wrong}` }).catch((error: HubError) => {
        if (error.code === "malformed_token") refused++;
      });
    }
    expect(refused).toBe(100_000);
    db.query = query;
    expect(queries).toBe(0);
  });

  test("a well-formed key that does not exist is rejected", async () => {
    expect((await hub.client(newKeyValue("live")).get("/me")).body).toMatchObject({
      status: 401,
      code: "invalid_token",
    });
  });

  test("a known prefix with another secret is rejected", async () => {
    const { body } = await org.post("/api-keys", { name: "target" });
    const forged = withChecksum(body.prefix + newKeyValue("live").slice(body.prefix.length, -6));
    expect(isWellFormedKey(forged)).toBe(true);
    expect((await hub.client(forged).get("/me")).body).toMatchObject({ status: 401, code: "invalid_token" });
    expect((await hub.client(body.key).get("/me")).status).toBe(200);
  });

  test.each([
    "Bearer",
    "Basic abc",
    "Bearer a b",
    `Bearer ${"x".repeat(9_000)}`,
    "Bearer ooh_live_short",
    "Bearer a.b",
  ])("%s is malformed", async (authorization) => {
    const answer = await hub.anonymous.get("/me", { headers: { authorization } });
    expect(answer.body).toMatchObject({ status: 401, code: "malformed_token" });
  });

  test("every new key is well formed; a key with one changed character is not", () => {
    for (let i = 0; i < 200; i++) {
      const key = newKeyValue(i % 2 === 0 ? "live" : "preview");
      expect(isWellFormedKey(key)).toBe(true);
      const at = 9 + (i % 46);
      expect(isWellFormedKey(key.slice(0, at) + (key[at] === "x" ? "y" : "x") + key.slice(at + 1))).toBe(false);
    }
  });
});
