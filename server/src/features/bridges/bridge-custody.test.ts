import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { installedConnectors } from "../../connectors/installed-connectors.ts";
import { afterFile } from "../../testing/after-file.ts";
import type { StandInShop } from "../../testing/stand-in-shop.ts";
import { startStandInShop } from "../../testing/stand-in-shop.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { eventually } from "../../testing/eventually.ts";

type Heard = { path: string; authorization: string | undefined };

type Said = { status: number; text: string; location?: string };

/** A server on loopback that writes down what it is told. */
async function startListener(says: Said = { status: 200, text: "{}" }): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer((incoming, response) => {
    heard.push({ path: incoming.url ?? "", authorization: incoming.headers.authorization });
    const location = says.location === undefined ? {} : { location: says.location };
    response.writeHead(says.status, { "content-type": "application/json", ...location }).end(says.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

let hub: TestHub;
let org: TestOrg;
let names = 0;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
});

async function restBridge(baseUrl: string, credentials: object = { token: "the-shops-token" }): Promise<string> {
  const settings = { baseUrl, auth: { kind: "bearer" } };
  const { status, body } = await org.post("/bridges", {
    name: `B${++names}`,
    connector: "rest",
    settings,
    credentials,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

describe("security 1: credentials of a bridge belong to the address they were entered for", () => {
  test("are not sent to another address when the bridge is changed", async () => {
    const [shop, thief] = [await startListener(), await startListener()];
    const id = await restBridge(`${shop.url}/api`);
    const operator = await org.withRole("operator");
    const moved = await operator.patch(`/bridges/${id}`, { settings: { baseUrl: thief.url } });
    expect(moved.status).toBe(409);
    expect(moved.body).toMatchObject({ code: "credentials_required", errors: [{ pointer: "/credentials" }] });
    expect((await org.get(`/bridges/${id}`)).body).toMatchObject({ version: 1, hasCredentials: true });
    await operator.post(`/bridges/${id}/test`);
    expect(thief.heard).toEqual([]);
    expect(shop.heard.map(({ authorization }) => authorization)).toEqual(["Bearer the-shops-token"]);
  });

  test("credentials in the same request replace all stored ones", async () => {
    const [shop, other] = [await startListener(), await startListener()];
    const id = await restBridge(shop.url, { username: "ann", password: "of-the-old-shop" });
    const settings = { baseUrl: other.url, auth: { kind: "basic" } };
    // Only the name is sent: the stored password must not come along.
    expect((await org.patch(`/bridges/${id}`, { settings, credentials: { username: "bob" } })).status).toBe(200);
    await org.post(`/bridges/${id}/test`);
    const [{ authorization } = { authorization: "" }] = other.heard;
    expect(Buffer.from(authorization!.replace("Basic ", ""), "base64").toString()).toBe("bob:");
  });

  test("a bridge without credentials, or whose credentials are removed, may change its address", async () => {
    const [shop, other] = [await startListener(), await startListener()];
    const bare = await restBridge(shop.url, {});
    expect((await org.patch(`/bridges/${bare}`, { settings: { baseUrl: other.url } })).status).toBe(200);
    const id = await restBridge(shop.url);
    const moved = await org.patch(`/bridges/${id}`, { settings: { baseUrl: other.url }, credentials: null });
    expect(moved.body).toMatchObject({ hasCredentials: false, version: 2 });
  });

  test("a path below the address is allowed; one beside or above it is not", async () => {
    const { url } = await startListener();
    const id = await restBridge(`${url}/api`);
    const move = async (baseUrl: string) => (await org.patch(`/bridges/${id}`, { settings: { baseUrl } })).status;
    expect(await move(`${url}/api/`)).toBe(200);
    expect(await move(`${url}/api/v2`)).toBe(200);
    expect(await move(`${url}/api/v3`)).toBe(409);
    expect(await move(`${url}/api`)).toBe(409);
    expect(await move(`${url.replace("127.0.0.1", "localhost")}/api/v2`)).toBe(409);
    expect(await move(`${url.replace("http:", "https:")}/api/v2`)).toBe(409);
    expect(await move("not an address")).toBe(400);
  });

  const secretive = installedConnectors.filter(({ credentials }) => Object.keys(credentials.properties).length > 0);

  test.each(secretive)("$name: every setting with an address requires the credentials again", async (connector) => {
    const settings = exampleOf(connector.settings);
    const isAddress = (schema: object): boolean => "format" in schema && schema.format === "uri";
    const addresses = Object.entries(connector.settings.properties).flatMap(([name, schema]) =>
      isAddress(schema) ? [name] : [],
    );
    expect(connector.sendsTo, "it has credentials").toBeDefined();
    expect(connector.site).toEqual(expect.arrayContaining(addresses));
    const made = await org.post("/bridges", {
      name: `B${++names}`,
      connector: connector.name,
      settings,
      credentials: exampleOf(connector.credentials),
    });
    expect(made.status).toBe(201);
    for (const name of connector.site!) {
      const elsewhere = addresses.includes(name) ? "https://elsewhere.example" : "elsewhere";
      const { status, body } = await org.patch(`/bridges/${made.body.id}`, { settings: { [name]: elsewhere } });
      expect([status, body.code], name).toEqual([409, "credentials_required"]);
    }
  });
});

describe("access tokens that expire", () => {
  const startShop = async (): Promise<StandInShop> => {
    const shop = await startStandInShop({ orders: 3 });
    afterFile(shop.close);
    return shop;
  };
  const oauthOf = (shop: StandInShop, more: object = {}) => ({
    baseUrl: `${shop.url}/rest`,
    testPath: "/ping",
    auth: { kind: "oauth2", tokenUrl: `${shop.url}/oauth/token`, ...more },
  });
  async function aBridge(shop: StandInShop, settings: object = oauthOf(shop), more: object = {}, connector = "rest") {
    const credentials = { clientId: "client", clientSecret: shop.token, ...more };
    const made = await org.post("/bridges", { name: `B${++names}`, connector, settings, credentials });
    expect(made.status, made.text).toBe(201);
    const test = async (who = org) => (await who.post(`/bridges/${made.body.id}/test`)).body;
    return { id: made.body.id as string, test };
  }
  const ok = { ok: true };

  test("are requested once for many concurrent callers on several nodes, and renewed before they expire", async () => {
    const shop = await startShop();
    const { id, test } = await aBridge(shop);
    const node = await hub.secondNode({ taskSlots: 0 });
    const there = { ...org, ...node.client(org.token) };
    const answers = await Promise.all([test(), test(there), test(), test(there), test(), test(there)]);
    expect(answers).toMatchObject([ok, ok, ok, ok, ok, ok]);
    expect(shop.tokens.asked).toEqual(["client_credentials"]);
    hub.advance(23.8 * 3_600_000);
    expect(await test()).toMatchObject(ok);
    expect(shop.tokens.asked).toHaveLength(1);
    hub.advance(0.15 * 3_600_000);
    expect(await Promise.all([test(), test(there)])).toMatchObject([ok, ok]);
    expect(shop.tokens.asked).toHaveLength(2);
    // Another scope is another token; a new name is not.
    await org.patch(`/bridges/${id}`, { name: `B${++names}` });
    await test();
    expect(shop.tokens.asked).toHaveLength(2);
    await org.patch(`/bridges/${id}`, { settings: { auth: { scope: "orders" } } });
    await test();
    expect(shop.tokens.asked).toHaveLength(3);
  });

  test("that are revoked early are renewed once; a second rejection is reported", async () => {
    const shop = await startShop();
    const { id, test } = await aBridge(shop);
    await test();
    shop.tokens.end();
    const tasks = Array.from({ length: 4 }, () => ({
      bridgeId: id,
      taskName: "http.request",
      input: { path: "/ping" },
    }));
    const { results } = (await org.post("/tasks/bulk", { tasks })).body;
    for (const { id: executionId } of results) {
      const look = async () => (await org.get(`/tasks/executions/${executionId}`)).body;
      const { status } = await eventually(look, ({ finishedAt }) => finishedAt !== null);
      expect(status).toBe("succeeded");
    }
    expect(shop.tokens.asked).toHaveLength(2);
    shop.inject({ kind: "unauthorized", match: "/rest/ping", times: 2 });
    expect(await test()).toMatchObject({ ok: false, error: { code: "unauthorized" } });
    expect(shop.tokens.asked).toHaveLength(3);
  });

  test("are renewed with the latest refresh token, also by another process and after a change", async () => {
    const shop = await startShop();
    shop.tokens.lifetimeSeconds = 600;
    const settings = oauthOf(shop, { grantType: "refresh_token", clientAuth: "client_secret_post" });
    const { id, test } = await aBridge(shop, settings, { refreshToken: shop.tokens.firstRefreshToken });
    expect(await test()).toMatchObject(ok);
    const node = await hub.secondNode({ taskSlots: 0 });
    const there = { ...org, ...node.client(org.token) };
    hub.advance(600_000);
    expect(await test(there)).toMatchObject(ok);
    hub.advance(600_000);
    await org.patch(`/bridges/${id}`, { settings: { auth: { scope: "orders" } } });
    expect(await test()).toMatchObject(ok);
    expect(shop.tokens.asked).toHaveLength(3);
    // Given anew, the credentials count and not what was kept: this one was used long ago.
    const again = { credentials: { refreshToken: `${shop.tokens.firstRefreshToken} ` } };
    await org.patch(`/bridges/${id}`, again);
    expect(await test()).toMatchObject({ ok: false, error: { code: "authentication_failed", retryable: false } });
  });

  test("a Shopify app with client id and secret gets its own tokens; without them the error says what is needed", async () => {
    const shop = await startShop();
    const settings = { shop: "stand-in", baseUrl: shop.url };
    const { test } = await aBridge(shop, settings, {}, "shopify");
    expect(await test()).toMatchObject(ok);
    shop.tokens.end();
    expect(await test()).toMatchObject(ok);
    expect(shop.requests.filter((name) => name.includes("/oauth/"))).toEqual([
      "POST /admin/oauth/access_token",
      "POST /admin/oauth/access_token",
    ]);
    for (const [credentials, pointer] of [
      [{ clientId: "client" }, "/credentials/clientSecret"],
      [{ clientSecret: "secret" }, "/credentials/accessToken"],
    ] as const) {
      const { status, body } = await org.post("/bridges", { name: "No", connector: "shopify", settings, credentials });
      expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
    }
  });

  test("a token endpoint that rejects, fails, redirects or sends without end leaks no secret", async () => {
    const [shop, thief] = [await startShop(), await startListener()];
    const secret = "a-secret-that-is-told-back";
    const wrong = await aBridge(shop, oauthOf(shop, { clientAuth: "client_secret_post" }), { clientSecret: secret });
    const refused = await wrong.test();
    expect(refused).toMatchObject({ ok: false, error: { code: "authentication_failed", retryable: false } });
    expect(refused.error.message).toContain("No client client with the secret ***");
    shop.inject({ kind: "rate_limit", match: "/oauth/token", times: 9, retryAfterSeconds: 60 });
    const { test } = await aBridge(shop);
    expect(await test()).toMatchObject({ ok: false, error: { code: "rate_limited", retryable: true } });
    shop.calm();
    shop.inject({ kind: "truncated", match: "/oauth/token", times: 9 });
    expect(await test()).toMatchObject({ ok: false, error: { code: "invalid_json" } });
    shop.calm();
    expect(await test()).toMatchObject(ok);

    for (const [answer, code] of [
      [{ status: 307, location: `${thief.url}/oauth/token`, text: "" }, "redirect_not_allowed"],
      [{ status: 200, text: `{"access_token":"${"x".repeat(10 * 1024 * 1024)}"}` }, "response_too_large"],
      [{ status: 200, text: '{"access_token":"two\\nlines"}' }, "authentication_failed"],
      [{ status: 200, text: '{"access_token":"a","token_type":"mac"}' }, "authentication_failed"],
    ] as const) {
      const login = await startListener(answer);
      const bridge = await aBridge(shop, oauthOf(shop, { tokenUrl: `${login.url}/oauth/token` }));
      expect(await bridge.test()).toMatchObject({ ok: false, error: { code } });
      expect(login.heard).toHaveLength(1);
    }
    expect(thief.heard).toEqual([]);
    expect(hub.logs.join("")).not.toContain(secret);
  });

  test("the secret is sent only to its token endpoint, the token only to its address", async () => {
    const [shop, thief] = [await startShop(), await startListener()];
    const { id } = await aBridge(shop);
    for (const settings of [
      { auth: { tokenUrl: `${thief.url}/oauth/token` } },
      { baseUrl: thief.url },
      { auth: { tokenUrl: `${shop.url}/oauth` } },
    ]) {
      const { status, body } = await org.patch(`/bridges/${id}`, { settings });
      expect([status, body.code]).toEqual([409, "credentials_required"]);
    }
    // One that had no token endpoint until now.
    const plain = await restBridge(shop.url, { clientId: "client", clientSecret: shop.token, token: "t" });
    const { status } = await org.patch(`/bridges/${plain}`, { settings: { auth: oauthOf(shop).auth } });
    expect(status).toBe(409);
    expect(thief.heard).toEqual([]);
    const problems = await org.post("/bridges", {
      name: "No",
      connector: "rest",
      settings: { baseUrl: shop.url, auth: { kind: "oauth2" } },
    });
    expect(problems.body.errors).toMatchObject([{ pointer: "/settings/auth/tokenUrl", code: "required" }]);
    const open = oauthOf(shop, { tokenUrl: "http://203.0.114.7/token" });
    const credentials = { clientId: "client", clientSecret: "s" };
    const unsafe = await org.post("/bridges", { name: "No", connector: "rest", settings: open, credentials });
    expect(unsafe.body.errors).toMatchObject([{ pointer: "/settings/auth/tokenUrl", code: "https_required" }]);
  });
});

describe("security 1: credentials are sent over https", () => {
  test("a public address without TLS is rejected when it is set, as name and as IP", async () => {
    const strict = await startTestHub({ settings: { outbound: { allowPrivate: false, allowFromPreview: false } } });
    const strictOrg = await strict.org();
    const create = async (who: TestOrg, baseUrl: string, credentials: object) =>
      await who.post("/bridges", { name: `B${++names}`, connector: "rest", settings: { baseUrl }, credentials });
    const secret = { token: "t" };
    const refused = await create(strictOrg, "http://erp.example", secret);
    expect(refused.body.errors).toMatchObject([{ pointer: "/settings/baseUrl", code: "https_required" }]);
    const bare = await create(strictOrg, "http://erp.example", {});
    expect(bare.status).toBe(201);
    expect((await strictOrg.patch(`/bridges/${bare.body.id}`, { credentials: secret })).body.errors).toMatchObject([
      { code: "https_required" },
    ]);
    // Where private addresses are allowed, a name may be one; a public number is none.
    expect((await create(org, "http://203.0.114.7", secret)).body.errors).toMatchObject([{ code: "https_required" }]);
    expect((await create(org, "http://erp.internal", secret)).status).toBe(201);
  });
});

describe("the hosts that an organization may call", () => {
  test("are set by administrators, recorded, and enforced for bridges from the next request on", async () => {
    const own = await hub.org();
    const shop = await startListener();
    const settings = { baseUrl: shop.url };
    const { body: bridge } = await own.post("/bridges", { name: "B", connector: "rest", settings });
    const test = async () => (await own.post(`/bridges/${bridge.id}/test`)).body;
    expect(await test()).toMatchObject({ ok: true });
    const operator = await own.withRole("operator");
    expect((await operator.patch(`/organizations/${own.id}`, { outboundHosts: [] })).status).toBe(403);
    const outboundHosts = ["*.shop.example", "erp.example"];
    const limited = await own.patch(`/organizations/${own.id}`, { outboundHosts });
    expect(limited.body).toMatchObject({ outboundHosts, version: 2 });
    expect(await test()).toMatchObject({ ok: false, error: { code: "host_not_allowed", retryable: false } });
    expect(shop.heard).toHaveLength(1);
    const { data } = (await own.get("/audit?type=organization.updated")).body;
    expect(data[0].data).toMatchObject({ outboundHosts });
    for (const wrong of ["https://a.example", "a.example:443", "A.example", "*", "a*.example"]) {
      const { status } = await own.patch(`/organizations/${own.id}`, { outboundHosts: [wrong] });
      expect(status, wrong).toBe(400);
    }
    await own.patch(`/organizations/${own.id}`, { outboundHosts: ["127.0.0.1"] });
    expect(await test()).toMatchObject({ ok: true });
    // Another organization is not limited by it.
    expect((await org.get(`/organizations/${org.id}`)).body.outboundHosts).toEqual([]);
  });
});

function exampleOf(schema: object): object {
  return (schema as { examples: object[] }).examples[0]!;
}
