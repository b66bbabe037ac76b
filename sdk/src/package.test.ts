import { execFile, execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { beforeAll, expect, test } from "vitest";
import { connectBrowser, launchBrowser } from "../../e2e/browser.ts";
import { afterFile } from "../../server/src/testing/after-file.ts";
import { installPackages } from "../../server/src/testing/install-packages.ts";
import type { TestHub } from "../../server/src/testing/test-hub.ts";
import { startTestHub } from "../../server/src/testing/test-hub.ts";

/** The package as a stranger uses it: packed and installed into a project outside of the repository. */
const root = path.join(import.meta.dirname, "../..");
const sdk = path.join(root, "sdk");
const project = mkdtempSync(path.join(tmpdir(), "sdk-project-"));
afterFile(() => rmSync(project, { recursive: true }));
const run = promisify(execFile);

type Runtime = { name: string; file?: string; args: readonly string[] };

/** Fixed versions of other runtimes, from the npm registry: the packages of a platform have the program itself. */
const others: readonly Runtime[] = [
  { name: "node 20", file: `node-${process.platform}-${process.arch}/bin/node`, args: [] },
  { name: "bun", file: "@oven/*/bin/bun", args: [] },
  { name: "deno", file: "@deno/*/deno", args: ["run", "--allow-net", "--allow-env"] },
];
const runtimePackages = ["bun@1.4.4", "deno@2.9.6", `node-${process.platform}-${process.arch}@20.20.2`];
const publishedBefore = "2026-11-01";
const runtimes = mkdtempSync(path.join(tmpdir(), "sdk-runtimes-"));
afterFile(() => rmSync(runtimes, { recursive: true }));

const ownNode: Runtime = { name: `node ${process.versions.node}`, args: [] };

async function runOn({ name, file, args }: Runtime, program: string): Promise<string> {
  const installed = file === undefined ? [] : globSync(path.join(runtimes, "node_modules", file));
  if (file !== undefined && installed.length === 0) throw new Error(`${name} is not in its package`);
  const options = { env, cwd: project, timeout: 60_000 };
  const { stdout } = await run(installed[0] ?? process.execPath, [...args, path.join(project, program)], options);
  return stdout;
}

/** Without a registry there are no other runtimes. */
let missing: string | undefined;
/** A page that imports the packed files as they are, without a bundler. */
const pageFiles = {
  "/": () => `<script type="importmap">{"imports":{"@order-operations-hub/sdk":"/sdk/hub.js"}}</script>
<link rel="icon" href="data:,"><script type="module" src="/page.js"></script>`,
  "/page.js": () => everything.replaceAll(/process\.env\.(\w+)/g, (_, name: string) => JSON.stringify(env[name])),
};
const site = await startSite((file) => {
  if (file.startsWith("/sdk/"))
    return readFileSync(path.join(project, "node_modules/@order-operations-hub/sdk/dist", path.basename(file)), "utf8");
  return (pageFiles as Record<string, () => string>)[file]?.();
});

/** Serves texts on loopback. */
async function startSite(read: (file: string) => string | undefined): Promise<{ url: string }> {
  const server = createServer((request, response) => {
    const file = request.url ?? "/";
    const text = read(file);
    const type = file.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let hub: TestHub;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  hub = await startTestHub({ config: { corsOrigins: [site.url] } });
  const org = await hub.org();
  const { body } = await org.post("/api-keys", { name: "packed", scopes: ["admin"] });
  env = {
    PATH: process.env["PATH"],
    HOME: project,
    HUB_URL: hub.url,
    HUB_API_KEY: body.key,
    DO_NOT_TRACK: "1",
    DENO_NO_UPDATE_CHECK: "1",
  };
  const quiet = { cwd: sdk, encoding: "utf8", stdio: "pipe" } as const;
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--pack-destination", project], quiet).replace(/^[^[]*/, ""),
  ) as { filename: string; files: { path: string }[] }[];
  const files = packed!.files.map((file) => file.path);
  expect(
    files.filter((file) => !/^(?:dist\/[\w-]+(?:\.d\.ts|\.js)|dist\/LICENSE|README\.md|package\.json)$/.test(file)),
  ).toEqual([]);
  writeFileSync(
    path.join(project, "package.json"),
    JSON.stringify({ name: "stranger", type: "module", private: true }),
  );
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"))!;
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`], { ...quiet, cwd: project });
  missing = await installPackages(runtimes, runtimePackages, publishedBefore);
}, 1_200_000);

test("has no dependencies", () => {
  const installed = readdirSync(path.join(project, "node_modules")).filter((name) => !name.startsWith("."));
  expect(installed).toEqual(["@order-operations-hub"]);
});

/** The examples of the README, by language. */
const examples = [...readFileSync(path.join(sdk, "README.md"), "utf8").matchAll(/^```(ts|js)\n(.*?)^```/gms)].map(
  ([, language, code], at) => ({ name: `example-${at}.${language}`, language: language!, code: code! }),
);

test("the examples of the README run", async () => {
  expect(examples.length).toBeGreaterThan(5);
  for (const { name, code } of examples) {
    writeFileSync(path.join(project, name), code);
    await runOn(ownNode, name);
  }
});

test.for(others)("the JavaScript examples of the README run on $name", async (runtime, { skip }) => {
  if (missing) skip(missing);
  const written = examples.filter(({ language }) => language === "js");
  expect(written.length).toBeGreaterThan(2);
  for (const { name, code } of written) {
    // One example creates an order with a fixed number.
    writeFileSync(path.join(project, name), code.replaceAll("SDK-1", `SDK-${runtime.name}`));
    await runOn(runtime, name);
  }
});

test("the way to install of the README lasts: the project is installed again without the checkout", async () => {
  const [, commands] = /^```sh\n(.*?)^```/ms.exec(readFileSync(path.join(sdk, "README.md"), "utf8"))!;
  const folder = path.join(project, "lasting");
  mkdirSync(folder);
  const options = { cwd: folder, env: { ...process.env, npm_config_offline: "true" } };
  await run("bash", ["-ec", commands!.replaceAll("../hub/", `${root}/`)], options);
  expect(readFileSync(path.join(folder, "package.json"), "utf8")).toContain('"file:vendor/');
  const copy = mkdtempSync(path.join(tmpdir(), "sdk-copy-"));
  afterFile(() => rmSync(copy, { recursive: true }));
  for (const name of ["package.json", "package-lock.json", "vendor"])
    cpSync(path.join(folder, name), path.join(copy, name), { recursive: true });
  await run("npm", ["ci", "--offline", "--no-audit", "--no-fund"], { cwd: copy });
  for (const program of [
    'import { Hub } from "@order-operations-hub/sdk"; console.log(typeof Hub);',
    'const { verifyWebhook } = require("@order-operations-hub/sdk/webhooks"); console.log(typeof verifyWebhook);',
  ]) {
    const type = program.startsWith("import") ? "module" : "commonjs";
    const { stdout } = await run(process.execPath, [`--input-type=${type}`, "--eval", program], { cwd: copy });
    expect(stdout).toBe("function\n");
  }
});

const everything = `
import { Hub, verifyWebhook } from "@order-operations-hub/sdk";
const hub = new Hub({ url: process.env.HUB_URL, apiKey: process.env.HUB_API_KEY });
const number = "R-" + Math.random().toString(36).slice(2);
const order = await hub.orders.create({ number, tags: [number] });
const listed = [];
for await (const one of hub.orders.list({ tagsAny: [number] })) listed.push(one.number);
const run = await hub.operations.run({ order_ids: [order.id], actions: [{ type: "add_tags", params: { tags: ["done"] } }] });
const waited = await hub.waitForRun(run);
let seen;
for await (const event of hub.events.stream({ types: "order.created", objectId: order.id, since: "2020-01-01T00:00:00Z" })) {
  seen = event.data.items[0].number;
  break;
}
const problem = await hub.orders.get("nothing-" + number).catch((error) => error.code);
const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
const at = String(Math.floor(Date.now() / 1000));
const content = new TextEncoder().encode("m." + at + '.{"type":"order.updated"}');
const headers = {
  "webhook-id": "m",
  "webhook-timestamp": at,
  "webhook-signature": "v1a," + base64(await crypto.subtle.sign("Ed25519", pair.privateKey, content)),
};
const key = "whpk_" + base64(await crypto.subtle.exportKey("raw", pair.publicKey));
const { type } = await verifyWebhook('{"type":"order.updated"}', headers, key);
console.log(JSON.stringify([listed.join() === number, waited.status, seen === number, problem, type]));
`;

const expected = [true, "succeeded", true, "order_not_found", "order.updated"];

test.for([ownNode, ...others])("works on $name", async (runtime, { skip }) => {
  if (missing && runtime !== ownNode) skip(missing);
  writeFileSync(path.join(project, "everything.mjs"), everything);
  expect(JSON.parse(await runOn(runtime, "everything.mjs"))).toEqual(expected);
});

test("works in a browser, on a page of another origin that HUB_CORS_ORIGINS names", async () => {
  const browser = await launchBrowser();
  afterFile(() => browser.close());
  const session = await connectBrowser(browser.address);
  const page = await session.newPage();
  const printed = new Promise<string>((resolve, reject) => {
    // The browser itself reports answers such as 404 as errors.
    page.on("console", (message) => message.type() === "log" && resolve(message.text()));
    page.once("pageerror", reject);
  });
  await page.goto(site.url);
  expect(JSON.parse(await printed)).toEqual(expected);
  await session.close();
});

const typed = `
import type { Event, Order, PipelineAction } from "@order-operations-hub/sdk";
import { Hub, HubApiError } from "@order-operations-hub/sdk";

const hub = new Hub({ apiKey: "ooh_live_x" });
export const order: Promise<Order> = hub.orders.get("1");
export const good: PipelineAction[] = [{ type: "add_tags", params: { tags: ["vip"] } }, { type: "archive" }];
// @ts-expect-error: an action that does not exist
export const unknownType: PipelineAction = { type: "add_tag", params: { tags: ["vip"] } };
// @ts-expect-error: params of another action
export const wrongParams: PipelineAction = { type: "add_tags", params: { reason: "other" } };
// @ts-expect-error: params are required
export const noParams: PipelineAction = { type: "add_tags" };
// @ts-expect-error: a status that does not exist
hub.orders.list({ status: "raedy" });
// @ts-expect-error: the ID is missing
void hub.orders.get();
// @ts-expect-error: rows of a bulk request are orders
void hub.orders.createMany({ orders: [{ numbr: "1" }] });
export function changedOf(event: Event): string[] {
  if (event.type === "order.updated") return event.data.changed;
  // @ts-expect-error: created orders have no changed fields
  if (event.type === "order.created") return event.data.changed;
  return [];
}
export const codeOf = (error: unknown): string => (error instanceof HubApiError ? error.code : "");
`;

test("compiles under strict for Node and for bundlers; wrong actions, filters and rows do not", async () => {
  writeFileSync(path.join(project, "typed.ts"), typed);
  for (const { name, language, code } of examples)
    if (language === "ts") writeFileSync(path.join(project, `checked-${name}`), code);
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const shared = [
    "--noEmit",
    "--strict",
    "--noUncheckedIndexedAccess",
    "--exactOptionalPropertyTypes",
    "--target",
    "es2022",
  ];
  mkdirSync(path.join(project, "node_modules/@types"), { recursive: true });
  const types = ["--typeRoots", path.join(root, "node_modules/@types")];
  const files = readdirSync(project).filter((name) => /^(?:typed|checked-.*)\.ts$/.test(name));
  for (const module of [
    ["--module", "nodenext", "--types", "node"],
    ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022,dom,dom.iterable", "--types", "node"],
  ]) {
    const outcome = await run(process.execPath, [tsc, ...shared, ...types, ...module, ...files], {
      cwd: project,
    }).catch((error: { stdout: string }) => error);
    expect(outcome.stdout).toBe("");
  }
});

test("is small in a browser", async () => {
  const entry = path.join(project, "browser.js");
  const sizeOf = async (code: string): Promise<number> => {
    writeFileSync(entry, code);
    const built = await build({
      root: project,
      configFile: false,
      logLevel: "silent",
      build: { write: false, lib: { entry, formats: ["es"] } },
    });
    const [bundle] = [built].flat() as { output: { code: string }[] }[];
    return gzipSync(bundle!.output.map((chunk) => chunk.code).join("")).length;
  };
  expect(await sizeOf(`export { Hub } from "@order-operations-hub/sdk";`)).toBeLessThan(12_000);
  expect(await sizeOf(`export { verifyWebhook } from "@order-operations-hub/sdk/webhooks";`)).toBeLessThan(2_000);
});
