import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import type { Console } from "../main/console-build.ts";
import { findConsole } from "../main/console-build.ts";
import { eventually } from "../testing/eventually.ts";
import { ordinaryUser } from "../testing/hub-process.ts";
import { repository } from "../testing/launch-hub.ts";
import { startTestHub } from "../testing/test-hub.ts";

const roots: string[] = [];
const opened: Console[] = [];
afterAll(async () => {
  await Promise.all(opened.map((one) => one.stop()));
  await Promise.all(roots.map((root) => rm(root, { recursive: true, force: true })));
});

/** Builds as the real one does: into a folder beside, which is renamed. It begins to when the file `go` is there. */
const buildScript = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import path from "node:path";
import { hashSources } from "./source-hash.ts";
const folder = import.meta.dirname;
appendFileSync(path.join(folder, "../builds"), "x");
while (!existsSync(path.join(folder, "../go"))) await new Promise((resolve) => setTimeout(resolve, 20));
if (existsSync(path.join(folder, "../broken"))) throw new Error("this does not compile");
const sources = await hashSources(path.join(folder, ".."));
const script = readFileSync(path.join(folder, "src/main.js"));
const dist = path.join(folder, "dist.new");
mkdirSync(path.join(dist, "assets"), { recursive: true });
const page = readFileSync(path.join(folder, "index.html"));
writeFileSync(path.join(dist, "index.html"), page);
writeFileSync(path.join(dist, "favicon.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>");
writeFileSync(path.join(dist, "assets/main-abc123.js"), script);
writeFileSync(path.join(dist, "assets/main-abc123.js.br"), brotliCompressSync(script));
writeFileSync(path.join(dist, "assets/main-abc123.js.gz"), gzipSync(script));
writeFileSync(path.join(dist, "files.json"), JSON.stringify({
  "/index.html": { type: "text/html", size: page.length },
  "/favicon.svg": { type: "image/svg+xml", size: 10 },
  "/assets/main-abc123.js": { type: "text/javascript", size: script.length, br: 1, gz: 1, immutable: true },
}));
writeFileSync(path.join(dist, "build.json"), JSON.stringify({ sources, builtAt: new Date().toISOString() }));
rmSync(path.join(folder, "dist"), { recursive: true, force: true });
renameSync(dist, path.join(folder, "dist"));
`;
const script = `console.log(${JSON.stringify("hello ".repeat(200))});\n`;

/** A repository with a console in it, which has not been built. */
async function aRepository({ hasVite = true } = {}): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), "hub-console-"));
  roots.push(root);
  await mkdir(path.join(root, "console/src"), { recursive: true });
  await mkdir(path.join(root, "node_modules/vite"), { recursive: true });
  if (hasVite) await write(root, "node_modules/vite/package.json", '{"name":"vite"}');
  await write(root, "console/package.json", '{"type":"module"}');
  await write(root, "console/build.ts", buildScript);
  await write(root, "console/src/main.js", script);
  await write(
    root,
    "console/index.html",
    '<!doctype html><meta property="csp-nonce" nonce="__NONCE__"><div id="root">',
  );
  await copyFile(path.join(repository, "console/source-hash.ts"), path.join(root, "console/source-hash.ts"));
  return root;
}

const write = (root: string, file: string, text: string): Promise<void> => writeFile(path.join(root, file), text);
const buildsOf = (root: string): Promise<string> => readFile(path.join(root, "builds"), "utf8").catch(() => "");

const messages: unknown[] = [];
const log = {
  info: (...said: unknown[]) => void messages.push(said),
  warn: (...said: unknown[]) => void messages.push(said),
};

function open(root: string, freeMemory: () => number = () => 2 * 1024 ** 3): Console {
  const found = findConsole({ root, log, freeMemory })!;
  opened.push(found);
  return found;
}

const stateOf = async (one: Console): Promise<string> => (await one.look()).is;
const settled = (one: Console) =>
  eventually(
    () => stateOf(one),
    (state) => state !== "building",
  );

const root = await aRepository();
const site = open(root);
const hub = await startTestHub({ console: site });
const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const page = (address: string, headers: Record<string, string> = html) => hub.anonymous.get(`!${address}`, { headers });

/** Addresses as they are sent, which `fetch` would tidy up. */
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

describe("while it is being built", () => {
  test("people are told so by a page that comes again by itself, and the API answers", async () => {
    site.start();
    await eventually(
      () => buildsOf(root),
      (builds) => builds === "x",
    );
    for (const address of ["/", "/orders/123?tab=history"]) {
      const answer = await page(address);
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("2");
      expect(answer.text).toContain('http-equiv="refresh" content="2"');
    }
    expect((await hub.operator.get("/me")).status).toBe(200);
    await write(root, "go", "");
    await settled(site);
    expect((await page("/")).status).toBe(200);
  });
});

describe("the console", () => {
  test("its page is never kept, and runs nothing but the hub's own scripts, with a nonce of its own each time", async () => {
    await settled(site);
    const [one, other] = [await page("/"), await page("/operations/runs/1")];
    expect(one.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(one.headers.get("cache-control")).toBe("no-store");
    const nonceOf = ({ text }: { text: string }) => /nonce="([\w+/=]{24})"/.exec(text)?.[1];
    expect(nonceOf(one)).toBeDefined();
    expect(nonceOf(one)).not.toBe(nonceOf(other));
    expect(one.headers.get("content-security-policy")).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonceOf(one)}'; img-src 'self' data: blob:; ` +
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'",
    );
    expect((await page("/index.html")).text).not.toContain("__NONCE__");
  });

  test("its files are sent as small as the browser takes them, and kept for good", async () => {
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

  test("no other path reaches the disk", async () => {
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
    // Behind the page there is nothing either: its list, what it was built with, its sources.
    for (const name of ["/files.json", "/build.json", "/build.ts"]) {
      expect((await page(name, { accept: "*/*" })).status, name).toBe(404);
    }
  });

  test("programs still get problems, and the API, the gateway and the reference keep their 404", async () => {
    for (const address of ["/api/v1/nonsense", "/api", "/v1/nonsense", "/docs/nonsense", "/docs/errors/nonsense"]) {
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

  test("is another one after another build, without a restart", async () => {
    await write(root, "console/index.html", "<!doctype html><title>Newer</title>");
    const again = open(root);
    again.start();
    await settled(again);
    expect((await page("/")).text).toContain("<title>Newer</title>");
    expect(await buildsOf(root)).toBe("xx");
    const third = open(root);
    third.start();
    await settled(third);
    expect(await buildsOf(root)).toBe("xx");
  });
});

describe("building", () => {
  test("is done once by all who start at the same moment, also after one that was killed in the middle", async () => {
    const shared = await aRepository();
    // No process has this number: it is above what Linux and macOS give out.
    await write(shared, "console/dist.lock", `${hostname()} 99999999`);
    const all = [open(shared), open(shared), open(shared)];
    for (const one of all) one.start();
    await eventually(
      () => buildsOf(shared),
      (builds) => builds !== "",
    );
    await write(shared, "go", "");
    for (const one of all) await settled(one);
    expect(await buildsOf(shared)).toBe("x");
    expect((await readdir(path.join(shared, "console"))).filter((name) => name.startsWith("dist"))).toEqual(["dist"]);
    for (const one of all) expect(await stateOf(one)).toBe("ready");
  });

  test("is left to people where it cannot be done, and what they build is served", async () => {
    const [bare, small, broken] = [await aRepository({ hasVite: false }), await aRepository(), await aRepository()];
    for (const one of [bare, small, broken]) await write(one, "go", "");
    await write(broken, "broken", "");
    const poor = open(small, () => 900 * 1024 ** 2);
    const all = [open(bare), poor, open(broken)];
    for (const one of all) one.start();
    for (const one of all) expect(await settled(one)).toBe("not built");
    expect(await buildsOf(small)).toBe("");
    expect(JSON.stringify(messages)).toContain("this does not compile");
    const there = await startTestHub({ console: poor });
    const answer = await there.anonymous.get("!/", { headers: html });
    expect(answer.status).toBe(503);
    expect(answer.text).toContain("npm run build");
    const byHand = open(small);
    byHand.start();
    await settled(byHand);
    expect((await there.anonymous.get("!/", { headers: html })).status).toBe(200);
  });

  test("ends with the hub", async () => {
    const waiting = await aRepository();
    const one = open(waiting);
    one.start();
    await eventually(
      () => buildsOf(waiting),
      (builds) => builds === "x",
    );
    const before = messages.length;
    await one.stop();
    expect(await readdir(path.join(waiting, "console"))).not.toContain("dist.lock");
    // Nothing was brought up to date (operations N6).
    expect(messages.slice(before)).toEqual([]);
  });

  test("is not tried by a user who may not write there, and says so (operations N5)", async () => {
    const foreign = await aRepository();
    await write(foreign, "go", "");
    await chmod(foreign, 0o755);
    await chmod(path.join(foreign, "console"), 0o555);
    const code = `
      const { findConsole } = await import(${JSON.stringify(path.join(repository, "server/src/main/console-build.ts"))});
      const log = { info: console.log, warn: console.log };
      const one = findConsole({ root: ${JSON.stringify(foreign)}, log, freeMemory: () => 2 ** 31 });
      one.start();
      while ((await one.look()).is === "building") await new Promise((resolve) => setTimeout(resolve, 10));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], {
      ...ordinaryUser(),
      cwd: "/",
    });
    expect(stdout).toContain(`This user may not write to ${path.join(foreign, "console")}`);
    expect(await buildsOf(foreign)).toBe("");
  });
});

test("sources without a console have none, and what was built before is served without sources", async () => {
  expect(findConsole({ root: path.join(tmpdir(), "no-such-repository"), log })).toBeUndefined();
  const shipped = await aRepository();
  await write(shipped, "go", "");
  const builder = open(shipped);
  builder.start();
  await settled(builder);
  await rm(path.join(shipped, "console/build.ts"));
  await rm(path.join(shipped, "console/src"), { recursive: true });
  const only = open(shipped);
  only.start();
  expect(await stateOf(only)).toBe("ready");
  const none = await startTestHub();
  expect((await none.anonymous.get("!/", { headers: html })).text).toContain("API reference");
  expect((await none.anonymous.get("!/orders", { headers: html })).status).toBe(404);
});
