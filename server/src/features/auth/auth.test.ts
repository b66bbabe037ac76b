import { createHook } from "node:async_hooks";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { signInLimiter } from "./sign-in-limiter.ts";
import { lockWaits } from "../../testing/lock-waits.ts";

const hub = await startTestHub();
const org = await hub.org();

async function signIn(email = org.admin.email, password = org.admin.password) {
  return await hub.anonymous.post("/auth/token", { email, password });
}

describe("signing in", () => {
  test("returns a valid access token and the user", async () => {
    const { status, body } = await signIn();
    expect(status).toBe(200);
    expect(body).toMatchObject({ tokenType: "Bearer", expiresIn: 900 });
    const me = await hub.client(body.accessToken).get("/me");
    expect(me.body).toMatchObject({
      actor: { type: "user", email: org.admin.email },
      organization: { id: org.id, isHubOperator: false },
      role: "admin",
      environment: "live",
    });
    expect(me.body.scopes).toContain("admin");
  });

  test("ignores the case of the e-mail address", async () => {
    expect((await signIn(org.admin.email.toUpperCase())).status).toBe(200);
  });

  test("has the same response for a wrong password and an unknown address", async () => {
    const [wrong, unknown] = [await signIn(org.admin.email, "wrong password"), await signIn("nobody@org.example")];
    expect(wrong.status).toBe(401);
    expect(wrong.body.code).toBe("invalid_credentials");
    expect({ ...wrong.body, requestId: "", instance: "" }).toEqual({ ...unknown.body, requestId: "", instance: "" });
  });

  test("is rejected for a disabled user, whose tokens end at once", async () => {
    const person = await org.withRole("operator");
    expect((await person.get("/me")).status).toBe(200);
    const { body } = await org.patch(`/users/${person.userId}`, { status: "disabled" });
    expect((await person.get("/me")).body.code).toBe("invalid_token");
    expect((await signIn(body.email)).status).toBe(401);
  });

  test("needs no choice of organization if all but one account is disabled", async () => {
    const other = await hub.org();
    const account = { email: "both@org.example", role: "viewer", password: org.admin.password };
    const { id } = (await org.post("/users", account)).body;
    await other.post("/users", account);
    expect((await signIn(account.email)).body.code).toBe("organization_required");
    await org.patch(`/users/${id}`, { status: "disabled" });
    const { body } = await signIn(account.email);
    expect((await hub.client(body.accessToken).get("/me")).body.organization.id).toBe(other.id);
  });

  test("computes the same number of hashes for every address, so that the response time reveals nothing", async () => {
    const { password } = org.admin;
    const others = [await hub.org(), await hub.org(), await hub.org(), await hub.org()];
    const account = (nth: number) => ({ email: `in-${nth}@org.example`, role: "viewer", password });
    for (const nth of [1, 2, 5]) {
      for (const one of [org, ...others].slice(0, nth)) await one.post("/users", account(nth));
    }
    const disabledId = (await org.post("/users", { email: "disabled@org.example", role: "viewer", password })).body.id;
    await org.patch(`/users/${disabledId}`, { status: "disabled" });
    await signIn("warm-up@org.example");
    const emails = ["unknown@org.example", "disabled@org.example", ...[1, 2, 5].map((nth) => account(nth).email)];
    const counts: number[] = [];
    for (const email of emails) {
      for (const given of [password, "a wrong password"]) {
        let count = 0;
        const hook = createHook({ init: (_id, type) => void (count += type === "ARGON2REQUEST" ? 1 : 0) }).enable();
        await signIn(email, given);
        hook.disable();
        counts.push(count);
      }
    }
    expect(new Set(counts)).toEqual(new Set([4]));
    // More than that many accounts are told apart by the organization.
    const last = { email: account(5).email, password, organizationId: others[3]!.id };
    expect((await hub.anonymous.post("/auth/token", last)).status).toBe(200);
  });

  test("is rejected for a user who is deleted during the sign-in, like for an unknown one", async () => {
    const person = await org.withRole("operator");
    const { email } = (await person.get("/me")).body.actor;
    const { db } = hub.world;
    const answer = await db.transaction(async (tx) => {
      await tx.query("delete from users where id = $1", [person.userId]);
      const signingIn = signIn(email);
      await lockWaits(db);
      return { signingIn };
    });
    expect((await answer.signingIn).body).toMatchObject({ status: 401, code: "invalid_credentials" });
  });

  test("a changed role applies from the next request on", async () => {
    const person = await org.withRole("viewer");
    expect((await person.post("/condition-sets", { name: "by viewer" })).status).toBe(403);
    await org.patch(`/users/${person.userId}`, { role: "operator" });
    expect((await person.post("/condition-sets", { name: "by operator" })).status).toBe(201);
  });

  test("an access token expires after 15 minutes", async () => {
    const { body } = await signIn();
    hub.advance(14 * 60_000);
    expect((await hub.client(body.accessToken).get("/me")).status).toBe(200);
    hub.advance(2 * 60_000);
    expect((await hub.client(body.accessToken).get("/me")).body.code).toBe("expired_token");
  });
});

describe("refresh tokens", () => {
  const refresh = (refreshToken: string) => hub.anonymous.post("/auth/refresh", { refreshToken });

  test("work once each; a second use ends the whole session", async () => {
    const first = (await signIn()).body;
    const second = await refresh(first.refreshToken);
    expect(second.status).toBe(200);
    expect((await hub.client(second.body.accessToken).get("/me")).status).toBe(200);
    expect((await refresh(first.refreshToken)).body).toMatchObject({ status: 401, code: "refresh_token_reused" });
    expect((await refresh(second.body.refreshToken)).body).toMatchObject({ status: 401, code: "invalid_token" });
  });

  test("used twice concurrently give at most one new token", async () => {
    const { refreshToken } = (await signIn()).body;
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(refreshToken)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("issued during a password change end with it", async () => {
    const person = await org.withRole("operator");
    const { email } = (await person.get("/me")).body.actor;
    let { password } = org.admin;
    for (let round = 0; round < 4; round++) {
      const old = password;
      const tokens = await Promise.all(Array.from({ length: 6 }, async () => (await signIn(email, old)).body));
      password = `another one, number ${round}`;
      const changing = org.patch(`/users/${person.userId}`, { password });
      const answers = await Promise.all([
        ...tokens.map(({ refreshToken }) => refresh(refreshToken)),
        ...Array.from({ length: 3 }, () => signIn(email, old)),
      ]);
      expect((await changing).status).toBe(200);
      for (const { status, body } of answers.filter(({ status: given }) => given === 200)) {
        expect({ status, again: (await refresh(body.refreshToken)).status }).toEqual({ status: 200, again: 401 });
      }
    }
  });

  test("end with a sign-out, with a new password and after 30 days", async () => {
    const out = (await signIn()).body.refreshToken;
    expect((await hub.anonymous.post("/auth/sign-out", { refreshToken: out })).body).toEqual({ signedOut: true });
    expect((await hub.anonymous.post("/auth/sign-out", { refreshToken: out })).body).toEqual({ signedOut: false });
    expect((await refresh(out)).status).toBe(401);

    const person = await org.withRole("viewer");
    const { email } = (await person.get("/me")).body.actor;
    const before = (await signIn(email)).body.refreshToken;
    const change = { currentPassword: org.admin.password, newPassword: "an entirely new one" };
    expect((await person.post("/me/password", { ...change, currentPassword: "wrong" })).body.errors[0].code).toBe(
      "incorrect_password",
    );
    expect((await person.post("/me/password", change)).body).toEqual({ changed: true });
    expect((await refresh(before)).status).toBe(401);
    expect((await signIn(email)).status).toBe(401);
    expect((await signIn(email, change.newPassword)).status).toBe(200);

    const old = (await signIn()).body.refreshToken;
    hub.advance(31 * 24 * 3_600_000);
    expect((await refresh(old)).status).toBe(401);
  });

  test("that do not exist are rejected", async () => {
    expect((await refresh("oohr_nonsense")).status).toBe(401);
  });
});

describe("forged tokens", () => {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: "order-operations-hub",
    aud: "live",
    sub: crypto.randomUUID(),
    org: org.id,
    role: "admin",
    iat: now,
    exp: now + 600,
  };
  const stranger = generateKeyPairSync("ed25519");

  const forged: Record<string, () => string> = {
    "no signature at all": () => `${part({ alg: "none" })}.${part(claims)}.x`,
    "another key": () => {
      const text = `${part({ alg: "EdDSA", typ: "JWT" })}.${part(claims)}`;
      return `${text}.${sign(null, Buffer.from(text), stranger.privateKey).toString("base64url")}`;
    },
    "the public key as a shared secret": () => {
      const text = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
      const secret = stranger.publicKey.export({ type: "spki", format: "pem" });
      return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
    },
    "a key inside the token": () => {
      const jwk = stranger.publicKey.export({ format: "jwk" });
      const text = `${part({ alg: "EdDSA", typ: "JWT", jwk })}.${part(claims)}`;
      return `${text}.${sign(null, Buffer.from(text), stranger.privateKey).toString("base64url")}`;
    },
    "a key id that is a path": () => `${part({ alg: "EdDSA", kid: "../../dev/null" })}.${part(claims)}.AAAA`,
    "an audience that is no text": () =>
      `${part({ alg: "EdDSA" })}.${part({ ...claims, aud: { toString: 1, valueOf: 1 } })}.AAAA`,
    "claims that are no object": () => `${part({ alg: "EdDSA" })}.${part("claims")}.AAAA`,
    "no JSON inside": () => "e30.%%%.AAAA".replace("%%%", Buffer.from("{").toString("base64url")),
  };

  test.each(Object.entries(forged))("%s is refused", async (_, make) => {
    const answer = await hub.client(make()).get("/me");
    expect(answer.status).toBe(401);
    expect(["invalid_token", "malformed_token"]).toContain(answer.body.code);
  });

  test("a valid token with one changed character is rejected", async () => {
    const { accessToken } = (await signIn()).body;
    const [header, payload, signature] = accessToken.split(".");
    const otherThanFirst = signature.startsWith("A") ? "B" : "A";
    for (const broken of [
      `${header}.${payload}.${otherThanFirst}${signature.slice(1)}`,
      `${header}.${part(claims)}.${signature}`,
      `${part({ alg: "EdDSA", typ: "JWT", crit: ["x"] })}.${payload}.${signature}`,
    ]) {
      expect((await hub.client(broken).get("/me")).status).toBe(401);
    }
  });
});

describe("too many wrong passwords", () => {
  test("from one address get 429 with the time to wait, until that time has passed", async () => {
    const strict = await startTestHub({ settings: { maxSignInFailures: 3 } });
    const attempt = (password: string) =>
      strict.anonymous.post("/auth/token", { email: "admin@hub.example", password });
    for (let i = 0; i < 3; i++) expect((await attempt("wrong")).status).toBe(401);
    const refused = await attempt("correct horse battery");
    expect(refused.body).toMatchObject({ status: 429, code: "rate_limited", retryable: true });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(200);
    strict.advance(6 * 60_000);
    expect((await attempt("correct horse battery")).status).toBe(200);
    // A right one in between takes none of the wrong ones back.
    for (const [password, status] of [
      ["wrong", 401],
      ["wrong", 401],
      ["correct horse battery", 200],
      ["wrong", 401],
      ["correct horse battery", 429],
    ] as const) {
      expect((await attempt(password)).status).toBe(status);
    }
  });

  test("count for the whole network of an IPv6 address", async () => {
    const { world } = await startTestHub({ settings: { maxSignInFailures: 3 } });
    const attempt = (address: string) => () => signInLimiter(world).start(address);
    for (const address of ["2001:db8::1", "2001:db8::ab:1", "2001:db8:0:0:f::"]) attempt(address)();
    expect(attempt("2001:db8::2")).toThrow("Too many failed sign-ins");
    for (const other of ["2001:db8:0:1::2", "::1", "::ffff:192.0.2.1", "192.0.2.1"]) attempt(other)();
  });
});
