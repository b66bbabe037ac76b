import { request } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startStandInIssuer } from "../testing/stand-in-issuer.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { createPublicNames } from "./public-names.ts";

type Answer = { status: number; headers: Record<string, unknown>; body: Record<string, unknown> };

/** As a client would ask that calls the hub by this name. */
async function ask(url: string, path: string, headers: Record<string, string>, body?: object): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const method = body ? "POST" : "GET";
    const sent = { ...headers, ...(body ? { "content-type": "application/json" } : {}) };
    const asked = request(`${url}${path}`, { method, headers: sent, setHost: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => {
        const isJson = /json/.test(response.headers["content-type"] ?? "");
        const parsed = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
        resolve({ status: response.statusCode!, headers: response.headers, body: parsed });
      });
    });
    asked.on("error", reject).end(body && JSON.stringify(body));
  });
}

const issuer = await startStandInIssuer({ id: "hub", secret: "client-secret" });
const settings = { oidc: { issuer: issuer.url, client: { id: "hub", secret: "client-secret" } } };
const anywhere = await startTestHub({ settings });
const publicUrls = ["https://hub.example.com", "http://hub.internal:8080"];
const named = await startTestHub({ settings, config: { publicUrls } });

async function redirectOf(url: string, host: string): Promise<string | null> {
  const { status, body } = await ask(url, "/api/v1/auth/oidc/sign-in", { host }, {});
  expect(status).toBe(200);
  return new URL(body.url as string).searchParams.get("redirect_uri");
}

describe("the Host header", () => {
  test.each(["hub.example.com@evil.example", "a b", "evil.example/path", "x:y", "a,b", "[::1", "hub..example", "é"])(
    "is rejected if it is not a host name: %s",
    async (host) => {
      for (const { url } of [anywhere, named]) {
        const { status, body } = await ask(url, "/api/v1/me", { host: Buffer.from(host).toString("latin1") });
        expect([status, body.code]).toEqual([400, "malformed_request"]);
      }
    },
  );

  test("may be any well-formed name while HUB_PUBLIC_URLS is not set", async () => {
    for (const host of ["hub.example.com", "localhost:8080", "[::1]:80", "10.1.2.3", "hub_1.internal:9"]) {
      expect((await ask(anywhere.url, "/api/v1/me", { host })).status).toBe(401);
    }
    expect(await redirectOf(anywhere.url, "hub.example.com")).toBe("http://hub.example.com/sign-in/callback");
  });

  test("must be a name of HUB_PUBLIC_URLS or of this machine once they are set", async () => {
    for (const host of ["hub.example.com", "HUB.example.com:443", "hub.internal:8080", "localhost:1", "127.0.0.1"]) {
      expect([host, (await ask(named.url, "/api/v1/me", { host })).status]).toEqual([host, 401]);
    }
    for (const host of ["evil.example", "hub.example.com.evil.example", "hub.internal", "hub.example.com:8443"]) {
      for (const path of ["/api/v1/me", "/metrics", "/", "/docs/", "/unknown"]) {
        const { status, body } = await ask(named.url, path, { host });
        expect([host, path, status, body.code]).toEqual([host, path, 421, "unknown_host"]);
      }
      // A load balancer asks by address.
      expect((await ask(named.url, "/healthz", { host })).status).toBe(200);
    }
  });

  test("does not decide the redirect URI of the issuer: the public URL does", async () => {
    expect(await redirectOf(named.url, "hub.example.com")).toBe("https://hub.example.com/sign-in/callback");
    expect(await redirectOf(named.url, "hub.internal:8080")).toBe("http://hub.internal:8080/sign-in/callback");
  });

  test("never causes a redirect to another name", () => {
    const names = createPublicNames({ publicUrls: [], host: "127.0.0.1" });
    const pieces = "ab1.:@/\\?#[]_-% \t\u00e9".split("");
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...pieces), minLength: 1 }), (host) => {
        const asked = { host, protocol: "http" as const };
        if (names.findWrongHost(asked)) return;
        const url = URL.parse(`${names.originOf(asked)}/sign-in/callback`);
        expect([url?.username, url?.password, url?.pathname]).toEqual(["", "", "/sign-in/callback"]);
      }),
    );
  });
});

describe("over TLS", () => {
  test("responses have Strict-Transport-Security", async () => {
    const proxied = await startTestHub({ config: { trustedProxies: ["127.0.0.1"] } });
    const sent = { host: "hub.example.com", "x-forwarded-proto": "https" };
    const header = "strict-transport-security";
    expect((await ask(proxied.url, "/api/v1/me", sent)).headers[header]).toBe("max-age=31536000");
    expect((await ask(proxied.url, "/api/v1/me", { host: "hub.example.com" })).headers[header]).toBeUndefined();
    // Not on the word of a stranger.
    expect((await ask(anywhere.url, "/api/v1/me", sent)).headers[header]).toBeUndefined();
    expect((await ask(named.url, "/api/v1/me", { host: "hub.example.com" })).headers[header]).toBe("max-age=31536000");
    expect((await ask(named.url, "/api/v1/me", { host: "localhost" })).headers[header]).toBeUndefined();
  });
});
