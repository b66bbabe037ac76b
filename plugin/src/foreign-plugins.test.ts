import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { afterFile } from "../../server/src/testing/after-file.ts";
import { eventually } from "../../server/src/testing/eventually.ts";
import type { HubProcess } from "../../server/src/testing/hub-process.ts";
import { runHub, signIn, startHubProcess } from "../../server/src/testing/hub-process.ts";
import { adminPassword, unattended } from "../../server/src/testing/launch-hub.ts";
import { readyDataDir } from "../../server/src/testing/ready-data-dir.ts";
import type { StandInShop } from "../../server/src/testing/stand-in-shop.ts";
import { startStandInShop } from "../../server/src/testing/stand-in-shop.ts";
import type { TestClient } from "../../server/src/testing/test-client.ts";

/** Plug-ins as strangers write them: outside of the repository, against the packed package, without the network. */
const root = path.join(import.meta.dirname, "../..");
const project = mkdtempSync(path.join(tmpdir(), "plugin-project-"));
afterFile(() => rmSync(project, { recursive: true }));
const run = promisify(execFile);
const quiet = { encoding: "utf8", stdio: "pipe", cwd: project } as const;
const offline = ["install", "--offline", "--no-audit", "--no-fund"];

/** The file that `npm pack` has made of the package in this folder. */
function pack(folder: string): string {
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", project], { ...quiet, cwd: folder });
  const [packed] = JSON.parse(output.replace(/^[^[]*/, "")) as { filename: string; files: { path: string }[] }[];
  return `./${packed!.filename.replace("@", "").replace("/", "-")}`;
}

/** Compiles and tests a package in this folder of the project. */
async function buildAndTest(folder: string): Promise<string> {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const types = ["--typeRoots", path.join(root, "node_modules/@types")];
  const compiled = await run(process.execPath, [tsc, "-p", folder, ...types], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe("");
  const tests = readdirSync(path.join(folder, "dist")).filter((name) => name.endsWith(".test.js"));
  expect(tests.length).toBeGreaterThan(0);
  const { stdout } = await run(
    process.execPath,
    ["--test", "--test-reporter=tap", ...tests.map((name) => path.join(folder, "dist", name))],
    { cwd: project },
  );
  return stdout;
}

function copyInto(from: string, to: string): string {
  const folder = path.join(project, to);
  cpSync(path.join(root, from), folder, { recursive: true, filter: (file) => !/\/(dist|node_modules)$/.test(file) });
  return folder;
}

/** A plug-in in plain JavaScript. */
function writePlugin(folder: string, name: string, code: string): string {
  const target = path.join(project, folder);
  mkdirSync(target, { recursive: true });
  const manifest = { name, version: "0.1.0", type: "module", exports: "./plugin.js" };
  writeFileSync(path.join(target, "package.json"), JSON.stringify(manifest));
  writeFileSync(path.join(target, "plugin.js"), code);
  return target;
}

const van = `
import { defaultPickupRules, definePlugin, RemoteError, Strict } from "@order-operations-hub/plugin";
const carrier = {
  name: "local.van", title: "Our van", description: "Delivers in town.",
  settings: Strict({}), credentials: Strict({}), pickupRules: defaultPickupRules, isLocal: true,
  usesRateCards: () => false,
  testAccount: () => Promise.reject(new RemoteError("forbidden", "The van is in the garage.")),
};
export const plugin = definePlugin({ api: "1.0", namespace: "local", carriers: [carrier] });
`;

beforeAll(async () => {
  writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: "shop", type: "module", private: true }));
  const typebox = pack(path.join(root, "node_modules/typebox"));
  execFileSync("npm", [...offline, pack(path.join(root, "plugin")), typebox], quiet);
}, 600_000);

describe("outside of the repository", () => {
  test("the package brings its types and needs nothing but typebox", () => {
    const installed = readdirSync(path.join(project, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["@order-operations-hub", "typebox"]);
  });

  test("the example connector compiles, and its tests pass against the stand-in shop and its faults", async () => {
    expect(await buildAndTest(copyInto("examples/connector-plugin", "folder/market"))).toContain("# fail 0");
  });

  test("the example action compiles, its tests pass, and it is installed by npm", async () => {
    const folder = copyInto("examples/action-plugin", "gifts");
    expect(await buildAndTest(folder)).toContain("# fail 0");
    execFileSync("npm", [...offline, pack(folder)], quiet);
  });

  test("the template in the package compiles, and its tests pass", async () => {
    const folder = path.join(project, "acme");
    cpSync(path.join(project, "node_modules/@order-operations-hub/plugin/template"), folder, { recursive: true });
    expect(await buildAndTest(folder)).toContain("# fail 0");
  });

  test("the code of the documentation is that of the template, or runs", async () => {
    const blocksOf = (file: string): string[] =>
      [...readFileSync(path.join(root, file), "utf8").matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code!);
    const template = ["plugin.ts", "shop.ts", "shop.test.ts"].map((name) =>
      readFileSync(path.join(root, "plugin/template/src", name), "utf8"),
    );
    expect(blocksOf("docs/plugins.md")).toEqual(template);
    const [readme] = blocksOf("plugin/README.md");
    writeFileSync(path.join(project, "readme.ts"), readme!);
    const check = `import { requireValidPlugin } from "@order-operations-hub/plugin/testing";
      import { plugin } from "./readme.ts";
      requireValidPlugin(plugin);`;
    writeFileSync(path.join(project, "check.mjs"), check);
    await run(process.execPath, [path.join(project, "check.mjs")], { cwd: project });
  });

  test("wrong params, patches and parts do not compile", async () => {
    const file = path.join(project, "wrong.ts");
    const lines = [
      `import { defineAction, definePlugin, OneOf, Strict } from "@order-operations-hub/plugin";`,
      `const base = { type: "a.b", title: "A", group: "organize", description: "A." } as const;`,
      `const params = Strict({ paper: OneOf(["red"]) });`,
      `export const good = defineAction({ ...base, params, example: { paper: "red" }, apply: () => ({ patch: { tags: [] } }) });`,
      `// @ts-expect-error: another paper`,
      `defineAction({ ...base, params, example: { paper: "blue" }, apply: () => ({ patch: {} }) });`,
      `// @ts-expect-error: a param that does not exist`,
      `defineAction({ ...base, params, example: { paper: "red" }, apply: (_order, { size }) => ({ patch: {} }) });`,
      `// @ts-expect-error: a field that plug-ins cannot change`,
      `defineAction({ ...base, params, example: { paper: "red" }, apply: () => ({ patch: { version: 1 } }) });`,
      `// @ts-expect-error: not async`,
      `defineAction({ ...base, params, example: { paper: "red" }, apply: async () => ({ patch: {} }) });`,
      `// @ts-expect-error: a misspelt list`,
      `definePlugin({ api: "1.0", namespace: "a", conectors: [] });`,
    ];
    writeFileSync(file, lines.join("\n"));
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    const types = ["--typeRoots", path.join(root, "node_modules/@types"), "--types", "node"];
    const strict = ["--noEmit", "--strict", "--target", "es2024", "--module", "nodenext"];
    const outcome = await run(process.execPath, [tsc, ...strict, ...types, file], { cwd: project }).catch(
      (error: { stdout: string }) => error,
    );
    expect(outcome.stdout).toBe("");
  });
});

describe("in a hub", () => {
  let hub: HubProcess;
  let client: TestClient;
  let shop: StandInShop;
  beforeAll(async () => {
    writePlugin("folder/van", "local-van", van);
    shop = await startStandInShop({ orders: 45 });
    afterFile(() => shop.close());
    hub = await startHubProcess({
      dataDir: await readyDataDir(),
      cwd: project,
      env: {
        ...unattended,
        HUB_PREVIEW_PORT: "off",
        HUB_PRIVATE_ADDRESSES: "allow",
        HUB_PLUGINS: "hub-plugin-example-gifts, ./folder",
      },
    });
    client = await signIn(hub.url, { email: "admin@hub.local", password: adminPassword });
  });

  type Entry = { name?: string; type?: string; plugin: { name: string; version: string } | null };

  test("the catalogs show where everything comes from", async () => {
    const originOf = async (address: string, name: string) => {
      const { data } = (await client.get(address)).body as { data: Entry[] };
      return data.find((entry) => (entry.type ?? entry.name) === name)?.plugin;
    };
    const market = { name: "hub-plugin-example-market", version: "1.0.0" };
    const gifts = { name: "hub-plugin-example-gifts", version: "1.0.0" };
    expect(await originOf("/bridges/connectors", "example.market")).toEqual(market);
    expect(await originOf("/bridges/connectors", "shopify")).toBeNull();
    expect(await originOf("/import-presets/built-in", "example.market")).toEqual(market);
    expect(await originOf("/operations/actions", "gifts.wrap")).toEqual(gifts);
    expect(await originOf("/operations/actions", "hold")).toBeNull();
    expect(await originOf("/transformations/transforms", "gifts.loyalty_tier")).toEqual(gifts);
    expect(await originOf("/carrier-accounts/carriers", "local.van")).toEqual({ name: "local-van", version: "0.1.0" });
  });

  test("the OpenAPI document of this hub has its actions", async () => {
    const { body } = await client.get("!/openapi.json");
    const { GiftsWrapAction } = body.components.schemas;
    expect(GiftsWrapAction.properties.type).toEqual({ type: "string", const: "gifts.wrap" });
    expect(body.components.schemas.PipelineAction.discriminator.mapping["gifts.wrap"]).toContain("GiftsWrapAction");
  });

  test("the connector imports orders, also when the market fails, and exports one once", async () => {
    const created = await client.post("/bridges", {
      name: "Market",
      connector: "example.market",
      settings: { url: `${shop.url}/rest` },
      credentials: { token: shop.token },
    });
    expect(created.status).toBe(201);
    const bridgeId = created.body.id as string;
    expect((await client.post(`/bridges/${bridgeId}/test`)).body).toMatchObject({ ok: true, result: { pong: true } });
    // A RemoteError of the plug-in: if it were a class of another module, the execution would fail as a defect.
    shop.inject({ kind: "empty_success", match: "/cursor/orders", skip: 1 });
    const { body } = await client.post("/tasks/execute", { bridgeId, taskName: "orders.import" });
    const execution = await eventually(
      async () => (await client.get(`/tasks/executions/${body.id}`)).body,
      ({ status }) => !["queued", "running"].includes(status),
    );
    const attempts = [{ status: "failed", error: { code: "unexpected_response" } }, { status: "succeeded" }];
    expect(execution).toMatchObject({ status: "succeeded", attempts });
    expect((await client.get("/orders/counts")).body.total).toBe(45);

    const [order] = (await client.get("/orders?limit=1")).body.data;
    const push = { bridgeId, taskName: "orders.export", input: { orderIds: [order.id] } };
    shop.inject({ kind: "drop_after", match: "/rest/keyed" });
    expect((await client.post("/tasks/execute-sync", push)).body.result.summary).toMatchObject({ sent: 1 });
    expect((await client.post("/tasks/execute-sync", push)).body.result.summary).toMatchObject({ alreadySent: 1 });
    expect(shop.data.journal.filter(({ kind }) => kind === "order.create")).toHaveLength(1);
  });

  test("the action has a preflight, a run, and an undo", async () => {
    const { body: order } = await client.post("/orders", { number: "G-1", lines: [{ sku: "A", quantity: 1 }] });
    const { body: large } = await client.post("/orders", { number: "G-2", lines: [{ sku: "A", quantity: 30 }] });
    const request = {
      order_ids: [order.id, large.id],
      actions: [{ type: "gifts.wrap", params: { paper: "red", message: "Hi" } }],
    };
    const preflight = await client.post("/operations/preflight", request);
    expect(preflight.body.summary).toMatchObject({ ok: 1, blocked: 1 });
    const { body: done } = await client.post("/operations/run", request);
    expect(done.summary).toMatchObject({ succeeded: 1, failed: 1 });
    const wrapped = (await client.get("/orders/G-1")).body;
    expect(wrapped).toMatchObject({ tags: ["gift"], giftMessage: "Hi", customFields: { wrapping_paper: "red" } });
    expect((await client.post(`/operations/runs/${done.id}/undo`, {})).status).toBeLessThan(300);
    expect((await client.get("/orders/G-1")).body).toMatchObject({ tags: [], giftMessage: null, customFields: {} });

    const wrong = { ...request, actions: [{ type: "gifts.wrap", params: { paper: "blue" } }] };
    const refused = await client.post("/operations/preflight", wrong);
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, "/actions/0/params/paper"]);
  });

  test("the transform works in a mapping, which a worker process runs", async () => {
    const transforms = [{ "gifts.loyalty_tier": { silverFrom: 100, goldFrom: 500 } }];
    const mappings = [{ source: "spent", target: "customFields.tier", transforms }];
    const { body } = await client.post("/transformations/test", { mappings, sampleData: { spent: "612.50" } });
    expect([body.ok, body.output]).toEqual([true, { customFields: { tier: "gold" } }]);
  });

  test("the CSV preset recognises its files", async () => {
    const csv = "Market Order,Article,Pieces,Piece Price,Fee\nM-1,MUG,2,9.50,1\n";
    const { body } = await client.post("/orders/import", { csv });
    expect([body.detectedPreset, body.errors]).toEqual(["example.market", []]);
    expect((await client.get("/orders/M-1")).body.lines[0]).toMatchObject({ sku: "MUG", quantity: 2 });
  });

  test("the carrier has accounts, and its rejection is reported as one", async () => {
    const { status, body } = await client.post("/carrier-accounts", { name: "Van", carrier: "local.van" });
    expect(status).toBe(201);
    const tested = await client.post(`/carrier-accounts/${body.id}/test`);
    expect(tested.status).toBeLessThan(500);
    expect(tested.text).toContain("The van is in the garage.");
  });

  test("without the plug-ins the hub starts, and says what is missing", async () => {
    await hub.stop();
    const bare = await startHubProcess({
      dataDir: hub.dataDir,
      env: { ...unattended, HUB_PREVIEW_PORT: "off", HUB_PRIVATE_ADDRESSES: "allow" },
    });
    const again = await signIn(bare.url, { email: "admin@hub.local", password: adminPassword });
    const [bridge] = (await again.get("/bridges")).body.data;
    expect((await again.post(`/bridges/${bridge.id}/test`)).text).toContain("is not installed in this hub");
    const [account] = (await again.get("/carrier-accounts")).body.data;
    const tested = await again.post(`/carrier-accounts/${account.id}/test`);
    expect([tested.status, tested.text]).toEqual([409, expect.stringContaining("is not installed in this hub")]);
    const request = { order_ids: ["G-1"], actions: [{ type: "gifts.wrap", params: { paper: "red" } }] };
    expect((await again.post("/operations/preflight", request)).status).toBe(400);
    await bare.stop();
  });
});

describe("a plug-in that cannot be used stops the start with a clear message", () => {
  const start = async (plugins: string) => {
    const { code, stderr } = await runHub(["serve"], { cwd: project, env: { ...unattended, HUB_PLUGINS: plugins } });
    expect(code).toBe(1);
    return stderr;
  };
  const action = `{ type: "acme.a", title: "A", group: "organize", description: "A.", params: Strict({}), example: {}, apply: () => ({ patch: {} }) }`;
  const good = (namespace: string) =>
    `import { definePlugin, Strict } from "@order-operations-hub/plugin";
     export const plugin = definePlugin({ api: "1.0", namespace: "${namespace}", actions: [${action}] });`;

  test("all problems of all plug-ins at once", async () => {
    writePlugin("bad/one", "one", `export const plugin = { api: "7.0", namespace: "one", actions: [] };`);
    writePlugin(
      "bad/two",
      "two",
      `export const plugin = { api: "1.0", namespace: "two", actions: [{ type: "hold" }] };`,
    );
    writePlugin("bad/three", "three", `throw new Error("no licence");`);
    const stderr = await start("not-installed, ./missing, ./bad");
    expect(stderr).toContain("HUB_PLUGINS: the package not-installed is not installed.");
    expect(stderr).toMatch(/HUB_PLUGINS: the folder \S+missing does not exist\./);
    expect(stderr).toMatch(/one 0\.1\.0 \(\S+\): it is written for version 7\.0 .* Upgrade the hub\./);
    expect(stderr).toMatch(/two 0\.1\.0 \(\S+\): action hold: its name must be two\./);
    expect(stderr).toMatch(/three 0\.1\.0 \(\S+\): it cannot be imported: no licence/);
    expect(stderr).not.toContain("    at ");
  });

  test("internal modules of the hub cannot be imported, by path or by name", async () => {
    const inside = path.join(root, "server/src/db/database.ts");
    writePlugin("inside/path", "by-path", `import "${inside}";\n${good("acme")}`);
    writePlugin("inside/late", "late", `await import("${inside}");\n${good("acme")}`);
    const stderr = await start("./inside");
    expect(stderr.match(/an internal module of the hub\. Plug-ins import @order-operations-hub\/plugin/g)).toHaveLength(
      2,
    );
  });

  test("two plug-ins with the same names", async () => {
    writePlugin("twins/a", "twin-a", good("acme"));
    writePlugin("twins/b", "twin-b", good("acme"));
    expect(await start("./twins")).toContain("action acme.a: twin-a has one with this name already");
    expect(await start("./twins/a, ./twins/a")).toContain("another plug-in has this name");
  });
});
