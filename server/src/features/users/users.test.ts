import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

describe("users", () => {
  test("are created, read, changed and deleted by administrators", async () => {
    const created = await org.post("/users", {
      email: "kim@org.example",
      name: "Kim",
      role: "viewer",
      password: "a long passphrase",
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      email: "kim@org.example",
      role: "viewer",
      status: "active",
      hasPassword: true,
    });
    expect(created.text).not.toMatch(/argon|passphrase/);
    const path = `/users/${created.body.id}`;
    expect((await org.get(path)).body).toEqual(created.body);
    expect((await org.patch(path, { name: "Kim B." })).body).toMatchObject({ name: "Kim B.", version: 2 });
    expect((await org.patch(path, { name: "x" }, { headers: { "if-match": '"v1"' } })).status).toBe(412);
    expect((await org.get("/users?role=viewer")).body.data.map((user: { email: string }) => user.email)).toContain(
      "kim@org.example",
    );
    expect((await org.delete(path)).body).toEqual({ id: created.body.id, deleted: true });
    expect((await org.delete(path)).status).toBe(404);
  });

  test("have an address that is unique in the organization; other organizations are not revealed (security 16)", async () => {
    const given = { email: "taken@org.example", role: "viewer" };
    expect((await org.post("/users", given)).status).toBe(201);
    const twice = await org.post("/users", { ...given, email: "TAKEN@org.example" });
    expect(twice.body).toMatchObject({ status: 409, code: "email_taken" });
    const elsewhere = await hub.org();
    expect((await elsewhere.post("/users", { ...given, email: "TAKEN@org.example" })).status).toBe(201);
  });

  test("with one address in several organizations sign in where the password matches", async () => {
    const email = `${crypto.randomUUID()}@org.example`;
    const elsewhere = await hub.org();
    await org.post("/users", { email, role: "viewer", password: "the one in the first" });
    const { body: second } = await elsewhere.post("/users", { email, role: "viewer", password: "and another there" });
    const signIn = (password: string, more = {}) => hub.anonymous.post("/auth/token", { email, password, ...more });
    const me = async (password: string, more = {}) =>
      (await hub.client((await signIn(password, more)).body.accessToken).get("/me")).body.organization.id;
    expect(await me("the one in the first")).toBe(org.id);
    expect(await me("and another there")).toBe(elsewhere.id);
    expect((await signIn("neither of the two")).status).toBe(401);
    expect((await signIn("the one in the first", { organizationId: elsewhere.id })).status).toBe(401);
    await elsewhere.patch(`/users/${second.id}`, { password: "the one in the first" });
    const unclear = await signIn("the one in the first");
    expect(unclear.body).toMatchObject({ status: 401, code: "organization_required" });
    const ids = unclear.body.organizations.map(({ id }: { id: string }) => id);
    expect(ids.toSorted()).toEqual([org.id, elsewhere.id].toSorted());
    expect(await me("the one in the first", { organizationId: elsewhere.id })).toBe(elsewhere.id);
  });

  test("need a valid address, a known role, and a long enough password", async () => {
    const refused = await org.post("/users", { email: "no address", role: "boss", password: "short" });
    expect(refused.body.errors.map((error: { pointer: string }) => error.pointer).toSorted()).toEqual([
      "/email",
      "/password",
      "/role",
    ]);
  });

  test("always include one active administrator, also when two remove each other concurrently", async () => {
    const small = await hub.org();
    const { data } = (await small.get("/users")).body;
    expect((await small.patch(`/users/${data[0].id}`, { role: "viewer" })).body.code).toBe("last_admin");
    expect((await small.patch(`/users/${data[0].id}`, { status: "disabled" })).body.code).toBe("last_admin");
    expect((await small.delete(`/users/${data[0].id}`)).body.code).toBe("last_admin");
    const second = await small.withRole("admin");
    const answers = await Promise.all([
      small.patch(`/users/${data[0].id}`, { role: "viewer" }),
      small.patch(`/users/${second.userId}`, { role: "viewer" }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test("can be changed concurrently", async () => {
    const admins = await Promise.all(Array.from({ length: 8 }, () => org.withRole("admin")));
    const demote = ({ userId }: { userId: string }) => org.patch(`/users/${userId}`, { role: "viewer" });
    const disable = ({ userId }: { userId: string }) => org.patch(`/users/${userId}`, { status: "disabled" });
    const answers = await Promise.all([...admins.map(demote), ...admins.map(disable)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("cannot delete themselves", async () => {
    const admin = await org.withRole("admin");
    expect((await admin.delete(`/users/${admin.userId}`)).body.code).toBe("self_lockout");
  });
});

describe("callers cannot grant more than they have (security 8)", () => {
  test("an admin key of the hub operator's organization cannot create a user with more permissions", async () => {
    const { body: narrow } = await hub.operator.post("/api-keys", { name: "narrow", scopes: ["admin"] });
    const key = hub.client(narrow.key);
    const person = { email: `${crypto.randomUUID()}@hub.example`, password: "a long passphrase" };
    const refused = await key.post("/users", { ...person, role: "admin" });
    expect(refused.body.errors).toEqual([expect.objectContaining({ pointer: "/role", code: "scope_not_held" })]);
    expect(refused.body.errors[0].message).toContain("organizations:write");
    const made = await key.post("/users", { ...person, role: "operator" });
    expect(made.status).toBe(201);
    const promoted = await key.patch(`/users/${made.body.id}`, { role: "admin" });
    expect(promoted.body.errors[0]).toMatchObject({ pointer: "/role", code: "scope_not_held" });
    expect((await key.patch(`/users/${made.body.id}`, { name: "Renamed", role: "viewer" })).status).toBe(200);
  });

  test("nor take over the account of a user with more permissions", async () => {
    const { body: narrow } = await hub.operator.post("/api-keys", { name: "narrow", scopes: ["admin"] });
    const key = hub.client(narrow.key);
    const email = `${crypto.randomUUID()}@hub.example`;
    const { body: boss } = await hub.operator.post("/users", { email, role: "admin", password: "a long passphrase" });
    const taken = await key.patch(`/users/${boss.id}`, { password: "known to the key" });
    expect(taken.body.errors[0]).toMatchObject({ pointer: "/password", code: "scope_not_held" });
    expect((await key.patch(`/users/${boss.id}`, { status: "disabled" })).status).toBe(200);
    const back = await key.patch(`/users/${boss.id}`, { status: "active" });
    expect(back.body.errors[0]).toMatchObject({ pointer: "/status", code: "scope_not_held" });
  });

  test("an administrator can create other administrators", async () => {
    const admin = await org.withRole("admin");
    const email = `${crypto.randomUUID()}@org.example`;
    expect((await admin.post("/users", { email, role: "admin" })).status).toBe(201);
  });
});

test("a guessable password is rejected wherever one is set (security 15)", async () => {
  const person = await org.withRole("admin");
  const { email } = (await person.get("/me")).body.actor;
  const codes = async (answer: Promise<{ body: { errors: { pointer: string; code: string }[] } }>) =>
    (await answer).body.errors.map(({ pointer, code }) => `${pointer} ${code}`);
  const request = { email: "kim.possible@org.example", role: "viewer" };
  expect(await codes(org.post("/users", { ...request, password: "1234567890" }))).toEqual([
    "/password password_too_common",
  ]);
  expect(await codes(org.post("/users", { ...request, password: "kimpossible1" }))).toEqual([
    "/password password_from_account",
  ]);
  expect(await codes(org.patch(`/users/${person.userId}`, { password: "P4ssw0rd p4ssw0rd" }))).toEqual([
    "/password password_too_common",
  ]);
  const change = { currentPassword: org.admin.password, newPassword: email };
  expect(await codes(person.post("/me/password", change))).toEqual(["/newPassword password_from_account"]);
  const admin = { email: "boss@umbrella.example", password: "umbrella2024" };
  expect(await codes(hub.operator.post("/organizations", { name: "Umbrella", admin }))).toEqual([
    "/admin/password password_from_account",
  ]);
});

describe("organizations", () => {
  test("are created by operators of the hub, with an administrator who can sign in", async () => {
    const admin = { email: "boss@new.example", password: "a long passphrase" };
    const created = await hub.operator.post("/organizations", { name: "New", admin });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: "New", isHubOperator: false });
    const { body } = await hub.anonymous.post("/auth/token", admin);
    expect((await hub.client(body.accessToken).get("/me")).body.organization.id).toBe(created.body.id);
    expect((await org.post("/organizations", { name: "Mine", admin })).body.code).toBe("insufficient_scope");
    expect((await hub.operator.post("/organizations", { name: "Twice", admin })).status).toBe(201);
  });

  test("see only themselves, except the hub operator", async () => {
    expect((await org.get("/organizations")).body.data.map(({ id }: { id: string }) => id)).toEqual([org.id]);
    expect((await hub.operator.get("/organizations")).body.pagination.total).toBeGreaterThan(1);
    expect((await org.get(`/organizations/${org.id}`)).status).toBe(200);
    expect((await hub.operator.get(`/organizations/${org.id}`)).status).toBe(200);
  });

  test("are renamed by their administrators", async () => {
    expect((await org.patch(`/organizations/${org.id}`, { name: "Renamed" })).body).toMatchObject({
      name: "Renamed",
      version: 2,
    });
    const viewer = await org.withRole("viewer");
    expect((await viewer.patch(`/organizations/${org.id}`, { name: "No" })).status).toBe(403);
  });
});
