import { createHmac, generateKeyPairSync } from "node:crypto";
import { jwtVerify } from "jose";
import OAuth from "oauth-1.0a";
import { beforeAll, describe, expect, test } from "vitest";
import { startApi } from "../../testing/stand-in-apis.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
});

let bridges = 0;

async function aBridge(settings: object, credentials: object) {
  const made = await org.post("/bridges", { name: `API ${++bridges}`, connector: "rest", settings, credentials });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const test = async () => (await org.post(`/bridges/${made.body.id}/test`)).body;
  return { id: made.body.id as string, body: made.body, test };
}

const errorsOf = async (settings: object, credentials: object): Promise<string[]> => {
  const { body } = await org.post("/bridges", { name: "Wrong", connector: "rest", settings, credentials });
  return body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);
};

describe("OAuth 1.0a", () => {
  const credentials = { consumerKey: "ck", consumerSecret: "hidden & secret", token: "tk", tokenSecret: "hidden=too" };
  const hashes = { "HMAC-SHA256": "sha256", "HMAC-SHA1": "sha1" } as const;

  /** Verifies signatures with another implementation, and accepts each nonce once. */
  async function startSigned(method: keyof typeof hashes) {
    const nonces = new Set<string>();
    const answers: number[] = [];
    const api = await startApi(({ method: verb, url, headers }) => {
      const fields = Object.fromEntries(
        [...(headers.authorization ?? "").matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
          name!,
          decodeURIComponent(value!),
        ]),
      );
      const oauth = new OAuth({
        consumer: { key: "ck", secret: credentials.consumerSecret },
        signature_method: method,
        hash_function: (text, key) => createHmac(hashes[method], key).update(text).digest("base64"),
      });
      oauth.getTimeStamp = () => Number(fields.oauth_timestamp);
      oauth.getNonce = () => fields.oauth_nonce!;
      const token = { key: "tk", secret: credentials.tokenSecret };
      const data = Object.fromEntries(url.searchParams);
      const expected = oauth.authorize({ url: `http://${headers.host}${url.pathname}`, method: verb, data }, token);
      const isSigned = fields.oauth_signature === expected.oauth_signature;
      const isFresh =
        Math.abs(Date.now() / 1000 - Number(fields.oauth_timestamp)) < 60 && !nonces.has(fields.oauth_nonce!);
      nonces.add(fields.oauth_nonce!);
      const status = !isSigned || !isFresh || fields.realm !== "1234_SB1" ? 401 : (answers.shift() ?? 200);
      return { status, body: { items: [], signed: isSigned, fresh: isFresh } };
    });
    return { ...api, answers };
  }

  test.each(["HMAC-SHA256", "HMAC-SHA1"] as const)(
    "signs %s with query and realm, anew for each attempt",
    async (method) => {
      const shop = await startSigned(method);
      const auth = { kind: "oauth1", realm: "1234_SB1", signatureMethod: method };
      const tasks = [
        {
          name: "orders.import",
          mode: "pull",
          request: { path: "/orders", query: { "searchCriteria[filter]": "a b&c+d/ä" } },
          recordsPath: "items",
          pagination: { kind: "page", pageSize: 2 },
        },
      ];
      const { id, body, test } = await aBridge({ baseUrl: shop.url, testPath: "/me?x=1", auth, tasks }, credentials);
      expect(JSON.stringify(body)).not.toContain("hidden");
      expect(await test()).toMatchObject({ ok: true });
      // The first attempt is answered with an outage, after the nonce was used.
      shop.answers.push(503);
      const pulled = await org.post("/tasks/execute-sync", { bridgeId: id, taskName: "orders.import" });
      expect(pulled.body).toMatchObject({ status: "succeeded", result: { fetched: 0 } });
      expect(shop.asked.at(-1)!.url.searchParams.get("searchCriteria[filter]")).toBe("a b&c+d/ä");
      const call = await org.post("/tasks/execute-sync", {
        bridgeId: id,
        taskName: "http.request",
        input: { path: "/any", method: "POST", body: { a: 1 } },
      });
      expect(call.body).toMatchObject({ status: "succeeded", result: { status: 200 } });
      await org.patch(`/bridges/${id}`, { credentials: { tokenSecret: "another" } });
      expect(await test()).toMatchObject({ ok: false, error: { code: "unauthorized" } });
    },
  );

  test("needs its keys, and sets the Authorization header itself", async () => {
    const settings = { baseUrl: "http://127.0.0.1:9", auth: { kind: "oauth1" } };
    expect(await errorsOf(settings, { token: "x", headers: { authorization: "x" } })).toEqual([
      "/credentials/consumerKey required",
      "/credentials/consumerSecret required",
      "/credentials/headers/authorization reserved_header",
    ]);
  });
});

describe("OAuth 2 with a signed assertion", () => {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const privateKey = pair.privateKey.export({ type: "pkcs8", format: "pem" });
  const authOf = (url: string) => ({
    kind: "oauth2",
    tokenUrl: `${url}/token`,
    clientAuth: "private_key_jwt",
    assertionAlgorithm: "PS256",
    keyId: "cert-1",
    scope: "rest_webservices",
  });

  test("gets a token for the assertion, and the key is not shown", async () => {
    const api = await startApi(({ url, headers }) =>
      url.pathname === "/token"
        ? { body: { access_token: "T1", token_type: "bearer", expires_in: "3600" } }
        : { status: headers.authorization === "Bearer T1" ? 200 : 401, body: {} },
    );
    const settings = { baseUrl: api.url, testPath: "/me", auth: authOf(api.url) };
    const { id, body, test } = await aBridge(settings, { clientId: "hub", privateKey });
    expect(await test()).toMatchObject({ ok: true });
    expect(JSON.stringify([body, (await org.get(`/bridges/${id}`)).body])).not.toContain("PRIVATE KEY");
    const form = new URLSearchParams(api.asked[0]!.body);
    expect(Object.fromEntries(form)).toMatchObject({ grant_type: "client_credentials", scope: "rest_webservices" });
    expect(form.has("client_secret") || api.asked[0]!.headers.authorization !== undefined).toBe(false);
    const audience = `${api.url}/token`;
    const options = { audience, issuer: "hub", algorithms: ["PS256"] };
    const { protectedHeader } = await jwtVerify(form.get("client_assertion")!, pair.publicKey, options);
    expect(protectedHeader.kid).toBe("cert-1");
  });

  test("reports a refusal without the assertion, and a key that cannot sign before anything is sent", async () => {
    const api = await startApi(({ body }) => ({
      status: 400,
      body: {
        error: "invalid_grant",
        error_description: `not known: ${new URLSearchParams(body).get("client_assertion")}`,
      },
    }));
    const settings = { baseUrl: api.url, testPath: "/me", auth: authOf(api.url) };
    const { test } = await aBridge(settings, { clientId: "hub", privateKey });
    const { error } = await test();
    expect(error).toMatchObject({ code: "authentication_failed" });
    expect(error.message).toContain("not known: ***");
    expect(await errorsOf(settings, { clientId: "hub", privateKey: "abc" })).toEqual([
      "/credentials/privateKey invalid_key",
    ]);
    expect(await errorsOf(settings, { clientSecret: "x" })).toEqual([
      "/credentials/clientId required",
      "/credentials/privateKey required",
    ]);
  });
});

test("a token type of the vendor's own is a bearer token (eBay), and a rotated refresh token is kept (Etsy)", async () => {
  const used: (string | null)[] = [];
  const api = await startApi(({ url, body, headers }) => {
    if (url.pathname !== "/token")
      return { status: headers.authorization === `Bearer A${used.length}` ? 200 : 401, body: {} };
    const form = new URLSearchParams(body);
    expect(form.get("client_id")).toBe("keystring");
    expect(form.has("client_secret")).toBe(false);
    used.push(form.get("refresh_token"));
    const refresh = { refresh_token: `R${used.length}` };
    return { body: { access_token: `A${used.length}`, token_type: "User Access Token", expires_in: 7200, ...refresh } };
  });
  const auth = {
    kind: "oauth2",
    grantType: "refresh_token",
    tokenUrl: `${api.url}/token`,
    clientAuth: "client_secret_post",
  };
  const credentials = { clientId: "keystring", refreshToken: "R0" };
  const { test } = await aBridge({ baseUrl: api.url, testPath: "/me", auth }, credentials);
  expect(await test()).toMatchObject({ ok: true });
  hub.advance(2 * 3_600_000);
  expect(await test()).toMatchObject({ ok: true });
  expect(used).toEqual(["R0", "R1"]);
});

describe("a connection test with its own request", () => {
  const query = { query: "{ activeAdministrator { id } }" };
  const test_ = {
    request: { method: "POST", path: "/admin-api", body: query },
    failsWhen: { condition: { path: "data.activeAdministrator", op: "empty" }, messagePath: "errors[0].message" },
  };

  test("notices a refusal with status 200, and sends headers with variables; empty ones are left out", async () => {
    const answer = { admin: true };
    const api = await startApi(() => ({
      body: answer.admin
        ? { data: { activeAdministrator: { id: 1 } } }
        : { errors: [{ message: "You are not currently authorized" }], data: { activeAdministrator: null } },
    }));
    const headers = {
      "vendure-token": "{{settings.channel}}",
      "x-none": "{{settings.none}}",
      "x-order": "{{record.number}}",
    };
    const settings = { baseUrl: api.url, headers, variables: { channel: "eu", none: "" }, test: test_ };
    const { test } = await aBridge(settings, {});
    expect(await test()).toMatchObject({ ok: true });
    expect(JSON.parse(api.asked[0]!.body)).toEqual(query);
    expect(api.asked[0]!.headers["vendure-token"]).toBe("eu");
    expect(api.asked[0]!.headers).not.toHaveProperty("x-none");
    expect(api.asked[0]!.headers).not.toHaveProperty("x-order");
    answer.admin = false;
    const refused = await test();
    expect(refused).toMatchObject({ ok: false, error: { code: "rejected" } });
    expect(refused.error.message).toContain("You are not currently authorized");
  });
});
