import { randomUUID } from "node:crypto";
import type { TObject } from "typebox";
import { describe, expect, test } from "vitest";
import { totpCode, totpStep } from "../../core/totp-codes.ts";
import { fromBase32 } from "../../testing/from-base32.ts";
import { allRoutes, exampleBody, pathOf } from "../../testing/route-samples.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const minute = 60_000;
const { password } = org.admin;

async function aPerson(role: "admin" | "operator" = "admin", of = org) {
  const first = await of.withRole(role);
  const { email } = (await first.get("/me")).body.actor as { email: string };
  const signIn = (more: object = {}) => hub.anonymous.post("/auth/token", { email, password, ...more });
  return { first, email, signIn, userId: first.userId };
}

/** A user with an authenticator app; `code` returns an unused code. */
async function withApp(role: "admin" | "operator" = "admin") {
  const person = await aPerson(role);
  const { body: begun } = await person.first.post("/me/totp");
  const secret = fromBase32(begun.secret);
  const code = () => {
    hub.advance(30_000);
    return totpCode(secret, totpStep(hub.world.clock.real()));
  };
  const confirmed = await person.first.post("/me/totp/confirm", { code: code() });
  expect(confirmed.status).toBe(200);
  const enter = async () => hub.client((await person.signIn({ totpCode: code() })).body.accessToken);
  return { ...person, secret, code, enter, uri: begun.uri, recoveryCodes: confirmed.body.recoveryCodes as string[] };
}

describe("codes of an authenticator app", () => {
  test("are required at sign-in once the first one was confirmed", async () => {
    const { first, signIn, email } = await aPerson();
    const { status, body } = await first.post("/me/totp");
    expect(status).toBe(201);
    expect(body.uri).toContain(encodeURIComponent(email));
    expect((await signIn()).status).toBe(200);
    const wrong = await first.post("/me/totp/confirm", { code: "000000" });
    expect(wrong.body.errors[0]).toMatchObject({ pointer: "/code", code: "incorrect_code" });
    const person = await withApp();
    expect((await person.signIn()).body).toMatchObject({ status: 401, code: "totp_required" });
    expect((await person.signIn({ totpCode: "000000" })).body).toMatchObject({
      status: 401,
      code: "invalid_totp_code",
    });
    expect((await person.signIn({ totpCode: person.code() })).status).toBe(200);
    expect((await person.first.get("/me/totp")).body).toEqual({ isEnabled: true, recoveryCodesLeft: 10 });
    expect((await person.signIn({ totpCode: person.code(), password: "a wrong one" })).body.code).toBe(
      "invalid_credentials",
    );
  });

  test("work once each, also when used concurrently on two nodes", async () => {
    const { email, code } = await withApp();
    const other = await hub.secondNode();
    const totp = code();
    const tries = [hub, other, hub, other].map((node) =>
      node.anonymous.post("/auth/token", { email, password, totpCode: totp }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 401, 401, 401]);
  });

  test("count like wrong passwords when they are wrong", async () => {
    const { signIn } = await withApp();
    const codes: string[] = [];
    for (let i = 0; i < 14; i++) {
      codes.push((await signIn({ totpCode: "000000" })).body.code);
      codes.push((await signIn()).body.code);
    }
    expect(codes.slice(0, 4)).toEqual(["invalid_totp_code", "totp_required", "invalid_totp_code", "totp_required"]);
    expect(codes).toContain("rate_limited");
  });

  test("can be replaced by recovery codes, which work once each", async () => {
    const { signIn, recoveryCodes, first } = await withApp();
    expect(recoveryCodes).toHaveLength(10);
    const [one] = recoveryCodes;
    expect((await signIn({ totpCode: one!.toUpperCase() })).status).toBe(200);
    expect((await signIn({ totpCode: one })).body.code).toBe("invalid_totp_code");
    expect((await first.get("/me/totp")).body.recoveryCodesLeft).toBe(9);
  });

  test("are encrypted in the database, and in no event", async () => {
    const { secret, userId, recoveryCodes } = await withApp();
    const rows = await hub.world.db.query(
      `select to_jsonb(t)::text as row from user_totp t where user_id = $1
       union all select to_jsonb(c)::text from user_recovery_codes c where user_id = $1
       union all select to_jsonb(e)::text from recorded_events e where object_id = $1`,
      [userId],
    );
    const text = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThan(10);
    for (const plain of [secret.toString("base64"), secret.toString("hex"), ...recoveryCodes]) {
      expect(text).not.toContain(plain);
    }
  });

  test("can be turned off by the user after step-up, or by an administrator", async () => {
    const { code, signIn, userId } = await withApp();
    const { refreshToken } = (await signIn({ totpCode: code() })).body;
    hub.advance(16 * minute);
    const { body } = await hub.anonymous.post("/auth/refresh", { refreshToken });
    const entered = hub.client(body.accessToken);
    expect((await entered.delete("/me/totp")).body).toMatchObject({ status: 403, code: "step_up_required" });
    expect((await entered.post("/auth/step-up", { totpCode: code() })).status).toBe(200);
    expect((await entered.delete("/me/totp")).body).toEqual({ disabled: true });
    expect((await signIn()).status).toBe(200);
    const other = await withApp();
    expect((await org.delete(`/users/${other.userId}/totp`)).body).toEqual({ disabled: true });
    expect((await other.signIn()).status).toBe(200);
    expect((await org.get(`/audit?type=user.totp_disabled&objectId=${userId}`)).body.data).toHaveLength(1);
  });

  test("can be required by the organization: users without an app can then only set one up", async () => {
    const strict = await hub.org();
    const { first, signIn } = await aPerson("operator", strict);
    expect((await first.get("/orders")).status).toBe(200);
    expect((await strict.patch(`/organizations/${strict.id}`, { requiresTotp: true })).body.requiresTotp).toBe(true);
    const refused = await first.get("/orders");
    expect(refused.body).toMatchObject({ status: 403, code: "totp_enrollment_required" });
    expect((await strict.get("/orders")).status).toBe(200);
    const { body } = await first.post("/me/totp");
    const code = totpCode(fromBase32(body.secret), totpStep(hub.world.clock.real()));
    expect((await first.post("/me/totp/confirm", { code })).status).toBe(200);
    expect((await first.get("/orders")).status).toBe(200);
    expect((await signIn()).body.code).toBe("totp_required");
  });
});

test("an API key cannot turn off the requirements of an organization", async () => {
  const strict = await hub.org();
  const path = `/organizations/${strict.id}`;
  expect((await strict.patch(path, { requiresTotp: false, requiresStepUp: false })).status).toBe(200);
  expect((await strict.patch(path, { requiresTotp: true, requiresStepUp: true })).status).toBe(200);
  for (const patch of [{ requiresTotp: false }, { requiresStepUp: false, name: "Renamed" }]) {
    const refused = await strict.patch(path, patch);
    expect([refused.status, refused.body.code]).toEqual([403, "admin_required"]);
  }
  expect((await strict.patch(path, { name: "Renamed" })).body).toMatchObject({
    requiresTotp: true,
    requiresStepUp: true,
  });
});

describe("step-up authentication", () => {
  const routes = allRoutes(hub.mounts);
  const changesSecrets = routes.filter(({ route }) => {
    const { credentials } = (route.body as TObject | undefined)?.properties ?? {};
    const isForAdmins = route.scope === "admin" || route.scope === "organizations:write";
    return route.method !== "GET" && (isForAdmins || credentials !== undefined);
  });

  test("is required by every route that changes keys, users, organizations or credentials", () => {
    expect(changesSecrets.length).toBeGreaterThan(10);
    expect(changesSecrets.filter(({ route }) => route.stepUp === undefined).map(({ name }) => name)).toEqual([]);
  });

  test("is not required from users without an app, unless the organization does, and never from API keys", async () => {
    const { first } = await aPerson();
    const other = await hub.org();
    const { signIn } = await aPerson("admin", other);
    const { refreshToken } = (await signIn()).body;
    hub.advance(14 * minute);
    expect((await first.post("/api-keys", { name: "x" })).status).toBe(201);
    await other.patch(`/organizations/${other.id}`, { requiresStepUp: true });
    hub.advance(2 * minute);
    const { body } = await hub.anonymous.post("/auth/refresh", { refreshToken });
    const client = hub.client(body.accessToken);
    const refused = await client.post("/api-keys", { name: "x" });
    expect(refused.body).toMatchObject({ status: 403, code: "step_up_required", how: "POST /api/v1/auth/step-up" });
    expect((await other.post("/api-keys", { name: "by a key" })).status).toBe(201);
    expect((await client.get("/users")).status).toBe(200);
    expect((await client.post("/auth/step-up", {})).body.errors[0]).toMatchObject({ pointer: "/password" });
    const keyed = { headers: { "idempotency-key": randomUUID() } };
    const mistyped = await client.post("/auth/step-up", { password: "a wrong one" }, keyed);
    expect([mistyped.status, mistyped.body.errors[0].code]).toEqual([400, "incorrect_password"]);
    expect((await client.post("/auth/step-up", { password: "a wrong one" })).body.errors[0].code).toBe(
      "incorrect_password",
    );
    expect((await client.post("/api-keys", { name: "x" })).status).toBe(403);
    expect((await client.post("/auth/step-up", { password })).status).toBe(200);
    expect((await client.post("/api-keys", { name: "x" })).status).toBe(201);
  });

  test("takes a code from users with an app; without step-up every such route rejects them", async () => {
    const { signIn, code } = await withApp();
    const { refreshToken } = (await signIn({ totpCode: code() })).body;
    hub.advance(16 * minute);
    const { body } = await hub.anonymous.post("/auth/refresh", { refreshToken });
    const client = hub.client(body.accessToken);
    for (const mounted of routes.filter(({ route }) => route.stepUp)) {
      if (mounted.route.scope === "organizations:write") continue;
      const answer = await client.call(
        mounted.route.method,
        pathOf(mounted, () => crypto.randomUUID()),
        exampleBody(mounted.route),
      );
      expect({ name: mounted.name, code: answer.body.code }).toEqual({ name: mounted.name, code: "step_up_required" });
    }
    expect((await client.post("/auth/step-up", { password })).body.errors[0]).toMatchObject({ pointer: "/totpCode" });
    expect((await client.post("/auth/step-up", { totpCode: "000000" })).body.errors[0].code).toBe("incorrect_code");
    expect((await client.post("/auth/step-up", { totpCode: code() })).status).toBe(200);
    const there = (await hub.secondNode()).client(client.token);
    expect((await there.post("/api-keys", { name: "x" })).status).toBe(201);
  });
});
