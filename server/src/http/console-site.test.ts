import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { hashSources } from "../../../console/source-hash.ts";
import { repository } from "../testing/launch-hub.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { findConsole, warnOfStaleConsole } from "./console-files.ts";

const roots: string[] = [];
afterAll(() => Promise.all(roots.map((root) => rm(root, { recursive: true, force: true }))));

const script = `console.log(${JSON.stringify("hello ".repeat(200))});\n`;
const shell = '<!doctype html><meta property="csp-nonce" nonce="__NONCE__"><div id="root">';

const write = async (root: string, file: string, content: string | Buffer): Promise<void> => {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), content);
};

/** A repository with the sources of a console, which is not built. */
async function createRepository(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), "hub-console-"));
  roots.push(root);
  await write(root, "console/build.ts", "");
  await write(root, "console/src/main.js", script);
  await cp(path.join(repository, "console/source-hash.ts"), path.join(root, "console/source-hash.ts"));
  return root;
}

/** Writes the files that console/build.ts writes. */
async function build(root: string, page = shell): Promise<void> {
  await write(root, "console/dist/index.html", page);
  await write(root, "console/dist/favicon.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
  await write(root, "console/dist/assets/main-abc123.js", script);
  await write(root, "console/dist/assets/main-abc123.js.br", brotliCompressSync(script));
  await write(root, "console/dist/assets/main-abc123.js.gz", gzipSync(script));
  const files = {
    "/index.html": { type: "text/html", size: page.length },
    "/favicon.svg": { type: "image/svg+xml", size: 10 },
    "/assets/main-abc123.js": { type: "text/javascript", size: script.length, br: 1, gz: 1, immutable: true },
  };
  await write(root, "console/dist/files.json", JSON.stringify(files));
  const stamp = { sources: await hashSources(root), builtAt: new Date().toISOString(), page };
  await write(root, "console/dist/build.json", JSON.stringify(stamp));
}

let warnings: unknown[] = [];
const log = { warn: (...parts: unknown[]) => void warnings.push(parts) };
beforeEach(() => void (warnings = []));

const root = await createRepository();
await build(root);
const hub = await startTestHub({ console: findConsole({ root, log }) });
const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const page = (address: string, headers: Record<string, string> = html) => hub.anonymous.get(`!${address}`, { headers });

/** Sends the path as it is; `fetch` would normalize it. */
function rawGet(target: string): Promise<{ status: number; text: string }> {
  const { hostname: host, port } = new URL(hub.url);
  return new Promise((resolve, reject) => {
    httpRequest({ host, port, path: target, headers: html }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    })
      .once("error", reject)
      .end();
  });
}

describe("the console", () => {
  test("its page is never cached, and its policy allows only own scripts, with a new nonce for each response", async () => {
    const [one, other] = [await page("/"), await page("/operations/runs/1")];
    expect(one.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(one.headers.get("cache-control")).toBe("no-store");
    const nonceOf = ({ text }: { text: string }) => /nonce="([\w+/=]{24})"/.exec(text)?.[1];
    expect(nonceOf(one)).toBeDefined();
    expect(nonceOf(one)).not.toBe(nonceOf(other));
    expect(one.headers.get("content-security-policy")).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonceOf(one)}'; img-src 'self' data: blob: https:; ` +
        "font-src 'self'; connect-src 'self'; frame-src blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'",
    );
    expect((await page("/index.html")).text).not.toContain("__NONCE__");
  });

  test("its files are compressed as the browser accepts, and cached forever", async () => {
    const file = "/assets/main-abc123.js";
    const fetchRaw = (encoding: string) =>
      new Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve) => {
        httpRequest(`${hub.url}${file}`, { headers: { "accept-encoding": encoding } }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }));
        }).end();
      });
    const brotli = await fetchRaw("gzip, deflate, br");
    expect(brotli.headers).toMatchObject({
      "content-encoding": "br",
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "content-length": String(brotli.bytes.length),
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
    });
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(script);
    const gzip = await fetchRaw("gzip;q=1, br;q=0");
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip.bytes).toString()).toBe(script);
    const plain = await fetchRaw("identity");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.bytes.toString()).toBe(script);
    const head = await hub.anonymous.call("HEAD", `!${file}`, undefined, {
      headers: { "accept-encoding": "identity" },
    });
    expect(head.headers.get("content-length")).toBe(String(script.length));
    expect((await page("/favicon.svg")).headers.get("cache-control")).toBe("no-cache");
  });

  test("paths outside of the build are never read", async () => {
    const targets = [
      "/assets/../../index.html",
      "/assets/..%2f..%2fbuild.ts",
      "/%2e%2e/package.json",
      "/assets/main-abc123.js/../../files.json",
      "//etc/passwd",
      "/assets/%00",
      "/assets/main-abc123.js.br",
      "/assets/old-name.js",
    ];
    for (const target of targets) {
      const { status, text } = await rawGet(target);
      const isShell = status === 200 && text.includes('<div id="root">');
      expect(isShell || status === 404 || status === 400, `${target}: ${status}`).toBe(true);
    }
    expect((await rawGet("/assets/old-name.js")).status).toBe(404);
    // The build's own records and the sources are not served.
    for (const name of ["/files.json", "/build.json", "/build.ts"]) {
      expect((await page(name, { accept: "*/*" })).status, name).toBe(404);
    }
  });

  test("API clients still get problem responses, and the API, the gateway and the reference keep their 404", async () => {
    for (const address of ["/api/v1/nonsense", "/api", "/v1/nonsense", "/docs/api/nonsense"]) {
      const { status, headers } = await page(address);
      expect(status, address).toBe(404);
      expect(headers.get("content-type"), address).toContain("json");
    }
    expect((await page("/nonsense", { accept: "application/json" })).body.code).toBe("route_not_found");
    expect((await hub.anonymous.call("POST", "!/orders", {}, { headers: html })).status).toBe(404);
    expect((await page("/api/v1/auth/token")).status).toBe(405);
    expect((await page("/healthz")).body).toEqual({ status: "ok" });
    expect((await page("/docs/scopes")).text).toContain("orders:read");
  });

  test("a new build is served without a restart", async () => {
    await build(root, "<!doctype html><title>Newer</title>");
    expect((await page("/")).text).toContain("<title>Newer</title>");
  });
});

describe("a console that is not built", () => {
  test("is a page and a warning with the command that builds it, and is served once it is built", async () => {
    const unbuilt = await createRepository();
    const console = findConsole({ root: unbuilt, log });
    expect(JSON.stringify(warnings)).toContain("npm run build");
    const { anonymous, operator } = await startTestHub({ console });
    const answer = await anonymous.get("!/orders/123?tab=history", { headers: html });
    expect(answer.status).toBe(503);
    expect(answer.text).toContain("npm run build");
    expect((await operator.get("/me")).status).toBe(200);
    await build(unbuilt);
    expect((await anonymous.get("!/", { headers: html })).status).toBe(200);
  });

  test("is treated like none when its files cannot be read", async () => {
    const broken = await createRepository();
    await build(broken);
    await rm(path.join(broken, "console/dist/files.json"));
    const { anonymous } = await startTestHub({ console: findConsole({ root: broken, log }) });
    expect((await anonymous.get("!/", { headers: html })).status).toBe(503);
    expect(JSON.stringify(warnings)).toContain("the console cannot be read");
  });
});

test("a build of other sources causes a warning at the start", async () => {
  const upgraded = await createRepository();
  await build(upgraded);
  await warnOfStaleConsole({ root: upgraded, log });
  expect(warnings).toEqual([]);
  await write(upgraded, "console/src/main.js", "changed");
  await warnOfStaleConsole({ root: upgraded, log });
  expect(JSON.stringify(warnings)).toContain("npm run build");
});

test("without sources the shipped build is served; without both there is no console", async () => {
  const shipped = await createRepository();
  await build(shipped);
  await rm(path.join(shipped, "console/build.ts"));
  await rm(path.join(shipped, "console/src"), { recursive: true });
  await warnOfStaleConsole({ root: shipped, log });
  expect(await findConsole({ root: shipped, log })!()).toMatchObject({ page: shell });
  expect(warnings).toEqual([]);
  expect(findConsole({ root: path.join(tmpdir(), "no-such-repository"), log })).toBeUndefined();
  const { anonymous } = await startTestHub();
  expect((await anonymous.get("!/", { headers: html })).text).toContain("API reference");
  expect((await anonymous.get("!/orders", { headers: html })).status).toBe(404);
});
