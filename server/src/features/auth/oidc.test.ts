import { afterEach, describe, expect, test } from "vitest";
import { startStandInIssuer } from "../../testing/stand-in-issuer.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const client = { id: "the hub", secret: "s3cret: with ümlaut" };
const issuer = await startStandInIssuer(client);
const token = issuer.sign;
const hub = await startTestHub({ settings: { oidc: { issuer: issuer.url, audience: "hub", client } } });
const org = await hub.org();
await hub.operator.patch(`/organizations/${org.id}`, { emailDomains: ["org.example"] });
const { body: person } = await org.post("/users", { email: "sso@org.example", role: "operator" });

test("a token of the issuer signs in the user with its verified address, later by subject alone", async () => {
  const first = await hub
    .client(await token({ sub: "s-1", email: "SSO@org.example", email_verified: true }))
    .get("/me");
  expect(first.body).toMatchObject({ actor: { id: person.id }, organization: { id: org.id }, role: "operator" });
  expect((await hub.client(await token({ sub: "s-1" })).get("/me")).status).toBe(200);
});

test("the first sign-in of a user through the issuer is in the audit log (security 18)", async () => {
  const { data } = (await org.get(`/audit?type=user.oidc_linked&objectId=${person.id}`)).body;
  expect(data).toMatchObject([{ actor: { type: "user", id: person.id }, data: { email: "sso@org.example" } }]);
});

test("an organization cannot capture sign-ins of another one by creating accounts for its addresses (security 16)", async () => {
  const [squatter, owner] = [await hub.org(), await hub.org()];
  const email = "victim@owner.example";
  await squatter.post("/users", { email, role: "viewer" });
  const client = hub.client(await token({ sub: "victim", email, email_verified: true }));
  expect((await client.get("/me")).status).toBe(401);
  const { body: wanted } = await owner.post("/users", { email, role: "operator" });
  expect((await client.get("/me")).status).toBe(401);
  const path = `/organizations/${owner.id}`;
  expect((await owner.patch(path, { emailDomains: ["owner.example"] })).body.code).toBe("insufficient_scope");
  expect((await hub.operator.patch(path, { emailDomains: ["owner.example"] })).body.emailDomains).toEqual([
    "owner.example",
  ]);
  expect((await client.get("/me")).body.actor.id).toBe(wanted.id);
  const taken = await hub.operator.patch(`/organizations/${squatter.id}`, { emailDomains: ["owner.example"] });
  expect(taken.body).toMatchObject({ status: 409, code: "name_taken" });
});

test("users of the hub operator's organization need no domain", async () => {
  const { body: colleague } = await hub.operator.post("/users", { email: "colleague@any.example", role: "viewer" });
  const claims = { sub: "colleague", email: "colleague@any.example", email_verified: true };
  expect((await hub.client(await token(claims)).get("/me")).body.actor.id).toBe(colleague.id);
});

test("an unverified or unknown address cannot sign in", async () => {
  for (const claims of [
    { sub: "s-2", email: org.admin.email },
    { sub: "s-3", email: org.admin.email, email_verified: false },
    { sub: "s-4", email: "nobody@org.example", email_verified: true },
    { sub: "s-5", email: "sso@org.example", email_verified: true },
  ]) {
    expect((await hub.client(await token(claims)).get("/me")).body.code).toBe("invalid_token");
  }
});

test("a subject that is no text, a time in the future and tokens for other uses are rejected (protocol 11)", async () => {
  const now = Math.floor(Date.now() / 1000);
  const code = async (claims: object, typ?: string) =>
    (await hub.client(await token({ sub: "s-1", ...claims }, typ === undefined ? {} : { typ })).get("/me")).body.code;
  for (const sub of ["s\0-1", "\0"]) expect(await code({ sub })).toBe("invalid_token");
  expect(await code({ iat: now + 3_600 })).toBe("invalid_token");
  expect(await code({ iat: now + 20 })).toBeUndefined();
  for (const typ of ["logout+jwt", "dpop+jwt", "secevent+jwt"]) expect(await code({}, typ)).toBe("invalid_token");
  for (const typ of ["JWT", "at+jwt", "application/at+jwt"]) expect(await code({}, typ)).toBeUndefined();
});

test("another audience, an expired token and an unknown key are rejected, without flooding the issuer", async () => {
  for (const signing of [{ audience: "other" }, { expires: null }]) {
    expect((await hub.client(await token({ sub: "s-1" }, signing)).get("/me")).body.code).toBe("invalid_token");
  }
  expect((await hub.client(await token({ sub: "s-1" }, { expires: "-1m" })).get("/me")).body.code).toBe(
    "expired_token",
  );
  const before = issuer.calls.keys;
  for (let i = 0; i < 20; i++) {
    expect((await hub.client(await token({ sub: "s-1" }, { kid: `unknown-${i}` })).get("/me")).status).toBe(401);
  }
  expect(issuer.calls.keys - before).toBeLessThanOrEqual(1);
});

test.each(["silent", "keyless", "impostor", "misled"])(
  "while the issuer fails (%s), tokens get 503 instead of 401",
  async (tenant) => {
    const broken = `${issuer.url}/${tenant}`;
    const other = await startTestHub({ settings: { oidc: { issuer: broken, audience: "hub", client } } });
    for (let i = 0; i < 2; i++) {
      const answer = await other.client(await token({ sub: "s-1" }, { issuer: broken })).get("/me");
      expect(answer).toMatchObject({ status: 503, body: { code: "identity_provider_unavailable", retryable: true } });
    }
    if (tenant === "keyless") return;
    expect((await other.anonymous.post("/auth/oidc/sign-in")).body.code).toBe("identity_provider_unavailable");
  },
);

describe("signing in through the issuer with a browser", () => {
  afterEach(() => {
    issuer.faults = {};
  });

  type Begin = { returnTo?: string; reauthenticate?: boolean };
  const ownPage = { "sec-fetch-site": "same-origin" };
  const cookiesOf = (headers: Headers): string[] => headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]!);

  /** Starts a sign-in: the URL to open, and the browser's cookies. */
  async function begin(body: Begin = {}, from = hub) {
    const answer = await from.anonymous.post("/auth/oidc/sign-in", body, { headers: ownPage });
    const [cookie = ""] = cookiesOf(answer.headers);
    return { ...answer, url: answer.body.url as string, cookie };
  }

  /** What the issuer says in the address that it sends them back to. */
  async function visit(url: string): Promise<Record<string, string>> {
    const { headers } = await fetch(url, { redirect: "manual" });
    const back = new URL(headers.get("location")!);
    expect(back.origin + back.pathname).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\/callback$/);
    return Object.fromEntries(back.searchParams);
  }

  async function finish(cookie: string, said: Record<string, string>, from = hub) {
    const { error_description: errorDescription, ...rest } = said;
    const body = { ...rest, ...(errorDescription === undefined ? {} : { errorDescription }) };
    const answer = await from.anonymous.post("/auth/oidc/session", body, { headers: { ...ownPage, cookie } });
    return { ...answer, cookies: cookiesOf(answer.headers) };
  }

  async function signIn(body: Begin = {}, from = hub) {
    const { url, cookie } = await begin(body, from);
    return await finish(cookie, await visit(url), from);
  }

  const meWith = (cookies: string[]) => hub.anonymous.get("/me", { headers: { cookie: cookies.join("; ") } });

  let people = 0;
  async function aPerson() {
    const email = `person-${++people}@org.example`;
    const { body: user } = await org.post("/users", { email, role: "admin" });
    issuer.person = { sub: `sub-${people}`, email, email_verified: true };
    return user as { id: string; email: string };
  }

  test("sets the same cookie as with a password, and is in the audit log", async () => {
    const { id, email } = await aPerson();
    const { status, body, cookies, headers } = await signIn({ returnTo: "/orders?status=ready#top" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ userId: id, organizationId: org.id, returnTo: "/orders?status=ready#top" });
    expect(cookies).toEqual([expect.stringMatching(/^ooh_live=[\w-]{43}$/), "ooh_live_sign_in="]);
    expect(headers.getSetCookie()[0]).toMatch(/; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
    expect((await meWith(cookies)).body).toMatchObject({ actor: { id, email }, organization: { id: org.id } });
    const { data } = (await org.get(`/audit?objectId=${id}`)).body as { data: { type: string }[] };
    expect(data.map(({ type }) => type)).toEqual(["session.started", "user.oidc_linked", "user.created"]);
    expect((await org.get(`/users/${id}`)).body.lastSignedInAt).not.toBeNull();
    issuer.person = { sub: issuer.person.sub };
    expect((await signIn()).body).toMatchObject({ userId: id, returnTo: "/" });
    // As browsers read it.
    expect((await signIn({ returnTo: "/x/../\torders\\new" })).body.returnTo).toBe("/orders/new");
  });

  test("requests a code with a challenge, a state and a nonce that cannot be guessed", async () => {
    await aPerson();
    const { url, headers } = await begin();
    const asked = new URL(url).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      client_id: client.id,
      redirect_uri: `${hub.url}/sign-in/callback`,
      scope: "openid email",
      code_challenge_method: "S256",
    });
    const next = new URL((await begin()).url).searchParams;
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
      expect(next.get(name)).not.toBe(asked.get(name));
    }
    const [kept] = headers.getSetCookie();
    expect(kept).toMatch(/^ooh_live_sign_in=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(decodeURIComponent(kept!)).not.toContain(asked.get("nonce"));
    expect((await hub.anonymous.get("/auth/methods")).body.identityProvider).toEqual({
      name: new URL(issuer.url).host,
      canSignIn: true,
    });
  });

  test("another state, another browser and a late response are rejected", async () => {
    await aPerson();
    const [own, other] = [await begin(), await begin()];
    const said = await visit(own.url);
    const { token: before } = issuer.calls;
    for (const [cookie, given] of [
      [own.cookie, { ...said, state: "x".repeat(43) }],
      [other.cookie, said],
      ["", said],
      [`${own.cookie}x`, said],
      ["ooh_live_sign_in=made-up", said],
      [own.cookie.replace("ooh_live", "ooh_preview"), said],
    ] as const) {
      const { body, cookies } = await finish(cookie, given);
      expect(body).toMatchObject({ status: 401, code: "sign_in_not_started" });
      expect(cookies).toEqual([]);
    }
    hub.advance(601_000);
    expect((await finish(own.cookie, said)).body.code).toBe("sign_in_not_started");
    hub.advance(-601_000);
    expect(issuer.calls.token).toBe(before);
    expect((await finish(own.cookie, said)).status).toBe(201);
  });

  test("a code works once, and only for the browser that started with its challenge", async () => {
    await aPerson();
    const [own, other] = [await begin(), await begin()];
    const [said, theirs] = [await visit(own.url), await visit(other.url)];
    expect((await finish(own.cookie, { ...said, code: theirs["code"]! })).body.code).toBe("identity_provider_rejected");
    expect((await finish(own.cookie, said)).status).toBe(201);
    const replayed = await finish(own.cookie, said);
    expect(replayed.body).toMatchObject({ status: 401, code: "identity_provider_rejected" });
    expect(replayed.cookies).toEqual([]);
  });

  const now = Math.floor(Date.now() / 1000);
  test.each<[string, typeof issuer.faults]>([
    ["another nonce", { claims: { nonce: "n".repeat(43) } }],
    ["no nonce", { claims: { nonce: undefined } }],
    ["another audience", { signing: { audience: "another client" } }],
    ["several audiences, and no word of which", { signing: { audience: [client.id, "another client"] } }],
    ["another client that it was made for", { claims: { azp: "another client" } }],
    ["an end in the past", { signing: { expires: "-1m" } }],
    ["no end", { signing: { expires: null } }],
    ["a beginning in the future", { claims: { iat: now + 3_600 } }],
    ["no beginning", { claims: { iat: undefined } }],
    ["another issuer", { signing: { issuer: "http://127.0.0.1:1" } }],
    ["a key that is none of the issuer", { signing: { kid: "k2" } }],
    ["the type of an access token", { signing: { typ: "at+jwt" } }],
  ])("an ID token with %s is refused", async (_what, faults) => {
    await aPerson();
    issuer.faults = faults;
    const { body, cookies } = await signIn();
    expect(body).toMatchObject({ status: 401, code: "identity_provider_rejected" });
    expect(cookies).toEqual([]);
  });

  test("a response of another issuer, or without one, is rejected", async () => {
    await aPerson();
    const { token: before } = issuer.calls;
    for (const iss of ["https://other.example", ""]) {
      issuer.faults = { answer: { iss } };
      expect((await signIn()).body).toMatchObject({ status: 401, code: "identity_provider_rejected" });
    }
    expect(issuer.calls.token).toBe(before);
  });

  test("a rejection by the issuer is reported with its message", async () => {
    await aPerson();
    issuer.faults = { answer: { code: "", error: "access_denied", error_description: "The person said no" } };
    const { body, cookies } = await signIn();
    expect(body).toMatchObject({
      code: "identity_provider_rejected",
      detail: "The identity provider returned access_denied: The person said no.",
    });
    expect(cookies).toEqual([]);
    // Text from a forged link is not repeated.
    const link = await finish("", { state: "x", error: "access_denied", error_description: "Call 555-0100" });
    expect(link.text).not.toContain("Call 555-0100");
    const { cookie, url } = await begin();
    const { code: _code, ...without } = await visit(url);
    expect((await finish(cookie, without)).body.errors).toMatchObject([{ pointer: "/code" }]);
  });

  test.each([
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/..//evil.example",
    "/./\\evil.example",
    "javascript:alert(1)",
    "orders",
    "",
    `/${"é".repeat(400)}`,
  ])("%j is no address to return to", async (returnTo) => {
    const { body, cookie } = await begin({ returnTo });
    expect(body.errors).toMatchObject([{ pointer: "/returnTo", code: "not_a_path" }]);
    expect(cookie).toBe("");
  });

  test("an unknown, disabled or deleted user is rejected with the reason", async () => {
    const { id, email } = await aPerson();
    const squatter = await hub.org();
    await squatter.post("/users", { email: "somebody@elsewhere.example", role: "viewer" });
    for (const person of [
      { sub: "x-1", email },
      { sub: "x-2", email, email_verified: "true" },
      { sub: "x-3", email: "nobody@org.example", email_verified: true },
      { sub: "x-4", email: "somebody@elsewhere.example", email_verified: true },
    ]) {
      issuer.person = person;
      const { body, cookies } = await signIn();
      expect(body, person.sub).toMatchObject({ status: 401, code: "account_not_linked" });
      expect(cookies).toEqual([]);
    }
    const { id: gone } = await aPerson();
    await org.patch(`/users/${gone}`, { status: "disabled" });
    expect((await signIn()).body.code).toBe("account_not_linked");
    expect((await org.get(`/audit?type=user.oidc_linked&objectId=${gone}`)).body.data).toEqual([]);
    issuer.person = { sub: "known", email, email_verified: true };
    expect((await signIn()).body.userId).toBe(id);
    await org.patch(`/users/${id}`, { status: "disabled" });
    expect((await signIn()).body.code).toBe("account_not_linked");
  });

  test("an address that the ID token lacks is read from the UserInfo endpoint, for the same subject", async () => {
    const { id } = await aPerson();
    issuer.faults = { userInfo: { sub: "somebody else" } };
    expect((await signIn()).body.code).toBe("identity_provider_rejected");
    issuer.faults = { userInfo: {} };
    expect((await signIn()).body.userId).toBe(id);
  });

  test("sensitive changes require a new sign-in at the issuer, proven by its auth_time", async () => {
    await aPerson();
    issuer.person["auth_time"] = now - 3_600;
    const newKey = async (cookies: string[]) =>
      await hub.anonymous.post("/me/totp", undefined, { headers: { ...ownPage, cookie: cookies.join("; ") } });
    const first = await newKey((await signIn()).cookies);
    expect(first.body).toMatchObject({ code: "step_up_required", how: "sign in at the identity provider again" });
    issuer.faults = { claims: { auth_time: now - 3_600 } };
    expect((await signIn({ reauthenticate: true })).body.code).toBe("identity_provider_rejected");
    const { cookies } = await signIn({ reauthenticate: true });
    // Past the proof; codes of an app are for people with a password here.
    expect((await newKey(cookies)).body.code).toBe("invalid_state");
  });

  test("cannot be started or completed by pages of other origins", async () => {
    for (const path of ["/auth/oidc/sign-in", "/auth/oidc/session"]) {
      const answer = await hub.anonymous.post(path, { state: "x" }, { headers: { "sec-fetch-site": "cross-site" } });
      expect(answer.body.code).toBe("cross_origin_request");
    }
  });

  test("the client secret is sent in the body if the issuer requires it; without an audience its tokens are rejected", async () => {
    const posted = `${issuer.url}/posted`;
    const other = await startTestHub({ settings: { oidc: { issuer: posted, client } } });
    await other.operator.post("/users", { email: "person@any.example", role: "viewer" });
    issuer.person = { sub: "posted", email: "person@any.example", email_verified: true };
    issuer.faults = { answer: { iss: "" } };
    expect((await signIn({}, other)).status).toBe(201);
    const bearer = await token({ sub: "posted" }, { issuer: posted, audience: client.id });
    expect((await other.client(bearer).get("/me")).body.code).toBe("invalid_token");
  });
});
