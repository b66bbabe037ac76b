import { describe, expect, test } from "vitest";
import { totpCode, totpStep } from "../../core/totp-codes.ts";
import { fromBase32 } from "../../testing/from-base32.ts";
import { openStream } from "../../testing/stream-reader.ts";
import type { TestHub } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { flushSessionUsage } from "../users/live-sessions.ts";

const hour = 3_600_000;
const config = { corsOrigins: ["https://ops.example.com"], trustedProxies: ["127.0.0.1"] };
const hub = await startTestHub({ config });
const preview = await startTestHub({ environment: "preview", config });
const org = await hub.org();

type Headers = Record<string, string>;
/** What a browser says by itself about a request of the hub's own page. */
const ownPage = { "sec-fetch-site": "same-origin" };

async function signIn(from: TestHub, body: object, headers: Headers = ownPage) {
  const answer = await from.anonymous.post("/auth/session", body, { headers });
  const [cookie = "", ...attributes] = (answer.headers.get("set-cookie") ?? "").split("; ");
  return { ...answer, cookie, attributes };
}

/** A browser that is signed in: every call has its cookie. */
function browserWith(cookie: string, node: TestHub = hub) {
  const call = (method: string, path: string, body?: unknown, headers: Headers = ownPage) =>
    node.anonymous.call(method, path, body, { headers: { cookie, ...headers } });
  return { cookie, call, get: (path: string, headers?: Headers) => call("GET", path, undefined, headers) };
}

async function aPerson(role: "viewer" | "operator" | "admin" = "operator") {
  const { userId, get } = await org.withRole(role);
  const { email } = (await get("/me")).body.actor as { email: string };
  const credentials = { email, password: org.admin.password };
  const open = async () => browserWith((await signIn(hub, credentials)).cookie);
  return { userId, email, credentials, open };
}

describe("signing in with a browser", () => {
  test("sets an HttpOnly cookie that authenticates further requests", async () => {
    const { credentials, userId, email } = await aPerson();
    const { status, body, cookie, attributes, text } = await signIn(hub, credentials);
    expect(status).toBe(201);
    expect(body).toMatchObject({ userId, organizationId: org.id });
    expect(cookie).toMatch(/^ooh_live=[\w-]{43}$/);
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Strict"]);
    expect(text).not.toContain(cookie.split("=")[1]);
    const me = await browserWith(cookie).get("/me");
    expect(me.body).toMatchObject({ actor: { type: "user", id: userId, email }, name: email, environment: "live" });
    expect(me.body.organization).toMatchObject({ id: org.id, timezone: "UTC" });
  });

  test("over TLS the cookie is Secure and bound to its host; a cookie of plain http is rejected there", async () => {
    const { credentials } = await aPerson();
    const tls = { ...ownPage, "x-forwarded-proto": "https" };
    const { cookie, attributes } = await signIn(hub, credentials, tls);
    expect(cookie).toMatch(/^__Host-ooh_live=/);
    expect(attributes).toContain("Secure");
    expect((await browserWith(cookie).get("/me", tls)).status).toBe(200);
    const plain = `ooh_live=${cookie.split("=")[1]}`;
    expect((await browserWith(plain).get("/me", tls)).body.code).toBe("missing_token");
  });

  test("is rejected for a wrong password, and for pages of other origins", async () => {
    const { credentials } = await aPerson();
    const wrong = await signIn(hub, { ...credentials, password: "not this one" });
    expect(wrong.body.code).toBe("invalid_credentials");
    expect(wrong.cookie).toBe("");
    for (const site of ["same-site", "cross-site", "none"]) {
      const { body, cookie } = await signIn(hub, credentials, { "sec-fetch-site": site });
      expect(body).toMatchObject({ status: 403, code: "cross_origin_request" });
      expect(cookie).toBe("");
    }
    expect((await signIn(hub, credentials, { origin: "http://elsewhere.example" })).status).toBe(403);
    // Programs say neither.
    expect((await signIn(hub, credentials, {})).status).toBe(201);
  });

  test("lists the available ways to sign in", async () => {
    expect((await hub.anonymous.get("/auth/methods")).body).toEqual({
      password: true,
      identityProvider: null,
      passwordReset: false,
    });
    expect((await hub.anonymous.post("/auth/oidc/sign-in")).body).toMatchObject({ status: 409, code: "invalid_state" });
  });

  test("requires a code from users with an authenticator app; sensitive changes later require a new one", async () => {
    const { credentials, open } = await aPerson();
    const browser = await open();
    const { secret } = (await browser.call("POST", "/me/totp")).body as { secret: string };
    const code = (): string => totpCode(fromBase32(secret), totpStep(hub.world.clock.real()));
    expect((await browser.call("POST", "/me/totp/confirm", { code: code() })).status).toBe(200);
    expect((await signIn(hub, credentials)).body.code).toBe("totp_required");
    hub.advance(60_000);
    const { cookie } = await signIn(hub, { ...credentials, totpCode: code() });
    const again = browserWith(cookie);
    hub.advance(16 * 60_000);
    expect((await again.call("DELETE", "/me/totp")).body).toMatchObject({
      code: "step_up_required",
      how: "POST /api/v1/auth/step-up",
    });
    expect((await again.call("POST", "/auth/step-up", { totpCode: code() })).status).toBe(200);
    expect((await again.call("DELETE", "/me/totp")).body).toEqual({ disabled: true });
  });
});

describe("a change with the cookie", () => {
  test("is accepted only from the hub's own pages, with any method, with or without a body", async () => {
    const browser = await (await aPerson("admin")).open();
    const changes: [string, string, object?][] = [
      ["POST", "/condition-sets", { name: "By a browser" }],
      ["POST", "/sessions/revoke-others"],
      ["PUT", "/me/preferences", { preferences: {} }],
      ["PATCH", `/organizations/${org.id}`, { timezone: "Europe/Berlin" }],
      ["DELETE", "/auth/session"],
    ];
    const { host } = new URL(hub.url);
    const refused: Headers[] = [
      { "sec-fetch-site": "same-site", origin: `http://${host}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "none" },
      { origin: preview.url },
      { origin: "null" },
      { origin: `https://${host}` },
      { origin: "https://ops.example.com" },
      {},
    ];
    for (const [method, path, body] of changes) {
      for (const headers of refused) {
        const answer = await browser.call(method, path, body, headers);
        expect(answer.body, `${method} ${path} ${JSON.stringify(headers)}`).toMatchObject({
          status: 403,
          code: "cross_origin_request",
        });
      }
    }
    for (const [index, [method, path, body]] of changes.entries()) {
      const headers = index % 2 === 0 ? ownPage : { origin: `http://${host}` };
      expect((await browser.call(method, path, body, headers)).status, path).toBeLessThan(300);
    }
  });

  test("reads need no origin headers, since typed addresses and downloads have none", async () => {
    const browser = await (await aPerson()).open();
    for (const headers of [{ "sec-fetch-site": "none" }, {}] as Headers[]) {
      expect((await browser.get("/me", headers)).status).toBe(200);
      expect((await browser.call("HEAD", "/me", undefined, headers)).status).toBe(200);
    }
  });

  test("CORS never allows credentials, not even for origins that may call with tokens", async () => {
    const browser = await (await aPerson()).open();
    const asked = await browser.get("/me", { origin: "https://ops.example.com", "sec-fetch-site": "cross-site" });
    expect(asked.headers.get("access-control-allow-origin")).toBe("https://ops.example.com");
    expect(asked.headers.get("access-control-allow-credentials")).toBeNull();
    const before = await browser.call("OPTIONS", "/me", undefined, {
      origin: "https://ops.example.com",
      "access-control-request-method": "POST",
    });
    expect(before.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("a token or key in the header wins over the cookie and needs no origin headers", async () => {
    const browser = await (await aPerson()).open();
    const headers = { authorization: `Bearer ${org.token}`, "sec-fetch-site": "cross-site" };
    expect((await browser.get("/me", headers)).body.actor.type).toBe("api_key");
    expect((await browser.call("POST", "/condition-sets", { name: "By a key" }, headers)).status).toBe(201);
    expect((await browser.get("/me", { authorization: "Bearer nonsense" })).status).toBe(401);
  });
});

describe("live and preview", () => {
  test("have separate cookies in one browser", async () => {
    const admin = { email: "admin@hub.example", password: org.admin.password };
    const [live, test_] = [await signIn(hub, admin), await signIn(preview, admin)];
    expect(test_.cookie).toMatch(/^ooh_preview=/);
    const both = `${live.cookie}; ${test_.cookie}`;
    expect((await browserWith(both, hub).get("/me")).body.environment).toBe("live");
    expect((await browserWith(both, preview).get("/me")).body.environment).toBe("preview");
    expect((await browserWith(live.cookie, preview).get("/me")).body.code).toBe("missing_token");
    const renamed = live.cookie.replace("ooh_live", "ooh_preview");
    expect((await browserWith(renamed, preview).get("/me")).body.code).toBe("invalid_token");
  });
});

describe("the session of a browser", () => {
  test("ends after 12 hours without use on any node, and not before", async () => {
    const browser = await (await aPerson()).open();
    const other = await hub.secondNode();
    const there = browserWith(browser.cookie, other);
    expect((await there.get("/me")).status).toBe(200);
    for (let round = 0; round < 3; round++) {
      hub.advance(8 * hour);
      expect((await browser.get("/me")).status).toBe(200);
      await flushSessionUsage(hub.world);
    }
    // It remembers a use of long ago only.
    expect((await there.get("/me")).status).toBe(200);
    hub.advance(12 * hour);
    for (const one of [browser, there]) expect((await one.get("/me")).body.code).toBe("invalid_token");
  });

  test("ends after 30 days, even if it is in use", async () => {
    const browser = await (await aPerson()).open();
    for (let use = 0; use < 65; use++) {
      hub.advance(11 * hour);
      await browser.get("/me");
    }
    hub.advance(30 * 24 * hour - 65 * 11 * hour - 60_000);
    expect((await browser.get("/me")).status).toBe(200);
    await flushSessionUsage(hub.world);
    const { data } = (await browser.get("/sessions")).body;
    expect(data).toContainEqual(expect.objectContaining({ isCurrent: true, isBrowser: true }));
    hub.advance(60_000);
    expect((await browser.get("/me")).body.code).toBe("invalid_token");
  });

  test("is listed with the other sessions until it ends", async () => {
    const person = await aPerson();
    const [first, second] = [await person.open(), await person.open()];
    const { data } = (await second.get("/sessions")).body;
    expect(data).toMatchObject([{ isCurrent: true, isBrowser: true }, { isBrowser: true }, { isBrowser: false }]);
    hub.advance(13 * hour);
    const third = await person.open();
    expect((await third.get("/sessions")).body.data.map(({ isBrowser }: { isBrowser: boolean }) => isBrowser)).toEqual([
      true,
      false,
    ]);
    for (const one of [first, second]) expect((await one.get("/me")).status).toBe(401);
  });

  test("ends by signing out, from the list, and with a new password, on every node with the next request", async () => {
    const person = await aPerson();
    const other = await hub.secondNode();
    const [leaving, lost, left] = [await person.open(), await person.open(), await person.open()];
    const everywhere = ({ cookie }: { cookie: string }) => [browserWith(cookie), browserWith(cookie, other)];
    const expectEnded = async (browser: { cookie: string }) => {
      for (const one of everywhere(browser)) expect((await one.get("/me")).body.code).toBe("invalid_token");
    };
    for (const one of [leaving, lost, left].flatMap(everywhere)) expect((await one.get("/me")).status).toBe(200);
    const out = await leaving.call("DELETE", "/auth/session");
    expect(out.body).toEqual({ signedOut: true });
    expect(out.headers.get("set-cookie")).toMatch(/^ooh_live=; Max-Age=0; Path=\//);
    await expectEnded(leaving);
    const { data } = (await lost.get("/sessions")).body as { data: { id: string; isCurrent: boolean }[] };
    const { id } = data.find(({ isCurrent }) => isCurrent)!;
    expect((await left.call("DELETE", `/sessions/${id}`)).status).toBe(200);
    await expectEnded(lost);
    const change = { currentPassword: person.credentials.password, newPassword: "another long passphrase" };
    expect((await left.call("POST", "/me/password", change)).status).toBe(200);
    await expectEnded(left);
    const { data: events } = (await org.get(`/audit?type=session.ended&objectId=${person.userId}`)).body;
    expect(events).toHaveLength(1);
  });

  test("closes its open streams when it ends", async () => {
    const browser = await (await aPerson()).open();
    const stream = await openStream(`${hub.url}/api/v1/events/stream`, { cookie: browser.cookie });
    expect(stream.status).toBe(200);
    await browser.call("DELETE", "/auth/session");
    await stream.ended;
  });

  test("an invented, an empty and a duplicate cookie are rejected", async () => {
    for (const cookie of [`ooh_live=${"a".repeat(43)}`, "ooh_live=", "ooh_live", `ooh_live=${"a".repeat(5_000)}`]) {
      expect((await browserWith(cookie).get("/me")).status).toBe(401);
    }
    const good = await (await aPerson()).open();
    expect((await browserWith(`ooh_live=; x=1;${good.cookie}`).get("/me")).status).toBe(200);
  });
});

describe("preferences", () => {
  test("belong to one user; a second tab does not undo changes of the first", async () => {
    const person = await aPerson();
    const [browser, other] = [await person.open(), await (await aPerson()).open()];
    expect((await browser.get("/me/preferences")).body).toEqual({ preferences: {}, updatedAt: null, version: 0 });
    const set = (preferences: object, headers: Headers) =>
      browser.call("PUT", "/me/preferences", { preferences }, { ...ownPage, ...headers });
    const first = await set({ console: { theme: "dark" } }, { "if-match": 'W/"v0"' });
    expect(first.body).toMatchObject({ preferences: { console: { theme: "dark" } }, version: 1 });
    expect((await set({}, { "if-match": 'W/"v0"' })).status).toBe(412);
    expect((await browser.get("/me/preferences")).body.preferences).toEqual({ console: { theme: "dark" } });
    expect((await other.get("/me/preferences")).body.version).toBe(0);
  });

  test("are limited in size, and not available to keys", async () => {
    const browser = await (await aPerson()).open();
    const answer = await browser.call("PUT", "/me/preferences", { preferences: { big: "x".repeat(65_530) } });
    expect(answer.body.errors).toMatchObject([{ pointer: "/preferences", code: "too_large" }]);
    expect((await org.get("/me/preferences")).body.code).toBe("invalid_state");
  });
});

test("an organization has a time zone, which must be valid", async () => {
  const path = `/organizations/${org.id}`;
  expect((await org.patch(path, { timezone: "America/New_York" })).body.timezone).toBe("America/New_York");
  expect((await org.get("/me")).body).toMatchObject({ organization: { timezone: "America/New_York" } });
  expect((await org.patch(path, { timezone: "Mars/Olympus" })).body.errors).toMatchObject([{ pointer: "/timezone" }]);
});
