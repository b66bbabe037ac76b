import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { installedConnectors } from "../../connectors/installed-connectors.ts";
import { afterFile } from "../../testing/after-file.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

type Heard = { path: string; authorization: string | undefined };

/** A server on loopback that writes down what it is told. */
async function startListener(): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer((incoming, response) => {
    heard.push({ path: incoming.url ?? "", authorization: incoming.headers.authorization });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
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

describe("security 1: credentials of a bridge belong to the address they were given for", () => {
  test("whoever points the bridge elsewhere does not get them", async () => {
    const [shop, thief] = [await startListener(), await startListener()];
    const id = await restBridge(`${shop.url}/api`);
    const operator = await org.withRole("operator");
    const moved = await operator.patch(`/bridges/${id}`, { settings: { baseUrl: thief.url } });
    expect(moved.status).toBe(409);
    expect(moved.body).toMatchObject({ code: "credentials_needed", errors: [{ pointer: "/credentials" }] });
    expect((await org.get(`/bridges/${id}`)).body).toMatchObject({ version: 1, hasCredentials: true });
    await operator.post(`/bridges/${id}/test`);
    expect(thief.heard).toEqual([]);
    expect(shop.heard.map(({ authorization }) => authorization)).toEqual(["Bearer the-shops-token"]);
  });

  test("credentials that come with the new address replace the stored ones as a whole", async () => {
    const [shop, other] = [await startListener(), await startListener()];
    const id = await restBridge(shop.url, { username: "ann", password: "of-the-old-shop" });
    const settings = { baseUrl: other.url, auth: { kind: "basic" } };
    // Only the name is sent: the stored password must not come along.
    expect((await org.patch(`/bridges/${id}`, { settings, credentials: { username: "bob" } })).status).toBe(200);
    await org.post(`/bridges/${id}/test`);
    const [{ authorization } = { authorization: "" }] = other.heard;
    expect(Buffer.from(authorization!.replace("Basic ", ""), "base64").toString()).toBe("bob:");
  });

  test("without credentials, or with those taken away, a bridge goes where it likes", async () => {
    const [shop, other] = [await startListener(), await startListener()];
    const bare = await restBridge(shop.url, {});
    expect((await org.patch(`/bridges/${bare}`, { settings: { baseUrl: other.url } })).status).toBe(200);
    const id = await restBridge(shop.url);
    const moved = await org.patch(`/bridges/${id}`, { settings: { baseUrl: other.url }, credentials: null });
    expect(moved.body).toMatchObject({ hasCredentials: false, version: 2 });
  });

  test("a place below the address is the same address; one beside or above it is not", async () => {
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

  test.each(secretive)("$name: every setting that says where to asks for them again", async (connector) => {
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
      expect([status, body.code], name).toEqual([409, "credentials_needed"]);
    }
  });
});

describe("security 1: credentials travel by https", () => {
  test("a public address without TLS is refused when it is set, by name and by number", async () => {
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
  test("are set by administrators, recorded, and kept to by bridges from the next request on", async () => {
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
