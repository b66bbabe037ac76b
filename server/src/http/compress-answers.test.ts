import { request as httpRequest } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";
import { chooseEncoding } from "./compress-answers.ts";

const hub = await startTestHub();
const org = await hub.org();
const orders = Array.from({ length: 60 }, (_, i) => ({ number: `C-${i}`, customer: { name: "Ünï 漢字 \u{1f600}" } }));
await org.post("/orders/bulk", { orders });

type Raw = { status: number; headers: Record<string, unknown>; bytes: Buffer };

/** As it comes over the wire; fetch would decode it. */
function call(
  path: string,
  accepts: string | undefined,
  options: { method?: string; token?: string; body?: object } = {},
) {
  const { method = "GET", token = org.token, body } = options;
  return new Promise<Raw>((resolve, reject) => {
    const headers = {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(accepts === undefined ? {} : { "accept-encoding": accepts }),
      ...(body ? { "content-type": "application/json" } : {}),
    };
    const request = httpRequest(hub.url + path, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    request.on("error", reject);
    request.end(body && JSON.stringify(body));
  });
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync };

test.each(["/api/v1/orders?limit=50", "/api/v1/orders/export.csv"])("%s is compressed as requested", async (path) => {
  const plain = await call(path, undefined);
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(plain.bytes.length).toBeGreaterThan(5_000);
  for (const encoding of ["gzip", "br"] as const) {
    const answer = await call(path, encoding);
    expect(answer).toMatchObject({ status: 200, headers: { "content-encoding": encoding, vary: "accept-encoding" } });
    expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(decoders[encoding](answer.bytes).toString()).toBe(plain.bytes.toString());
  }
  const refused = await call(path, "gzip;q=0, identity");
  expect(refused.headers["content-encoding"]).toBeUndefined();
  expect(refused.bytes.equals(plain.bytes)).toBe(true);
});

test("short, secret and anonymous responses are not compressed", async () => {
  expect((await call("/api/v1/me", "gzip")).headers["content-encoding"]).toBeUndefined();
  expect((await call("/openapi.json", "gzip", { token: "" })).headers["content-encoding"]).toBeUndefined();
  const body = { name: "k", scopes: ["orders:read"] };
  const key = await call("/api/v1/api-keys", "gzip", { method: "POST", body });
  expect(key.status).toBe(201);
  expect(key.headers["content-encoding"]).toBeUndefined();
});

test("other values of the Vary header are kept", async () => {
  const open = await startTestHub({ config: { corsOrigins: ["https://a.example", "https://b.example"] } });
  const other = await open.org();
  const { data } = (await other.get("/transformations/transforms", { headers: { origin: "https://a.example" } })).body;
  expect(data.length).toBeGreaterThan(10);
  const { headers } = await other.get("/transformations/transforms", { headers: { origin: "https://a.example" } });
  expect(headers.get("vary")?.toLowerCase()).toBe("origin, accept-encoding");
});

test("the response to HEAD has no headers about a body", async () => {
  const answer = await call("/api/v1/orders?limit=50", "gzip", { method: "HEAD" });
  expect([answer.status, answer.bytes.length]).toEqual([200, 0]);
});

test("the preferred encoding of the client is used", () => {
  const wanted = [
    "gzip, deflate, br",
    "gzip",
    "br;q=0.1, gzip;q=0.5",
    "*",
    "*;q=0",
    "identity",
    "br;q=x",
    "GZIP ; q=1",
  ];
  expect(wanted.map(chooseEncoding)).toEqual(["br", "gzip", "gzip", "br", undefined, undefined, undefined, "gzip"]);
});
