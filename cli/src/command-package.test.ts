import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../../server/src/testing/after-file.ts";
import { startTestHub } from "../../server/src/testing/test-hub.ts";
import { runCommand } from "./testing/command-process.ts";

/** The command as on another machine: packed, installed outside of the repository, without the network, also on Node 20. */
const cli = path.join(import.meta.dirname, "..");
const project = mkdtempSync(path.join(tmpdir(), "cli-project-"));
afterFile(() => rmSync(project, { recursive: true }));
const installed = path.join(project, "node_modules/@order-operations-hub/cli");
const main = path.join(installed, "bin/hub.js");

const nodes = [process.execPath, "/usr/bin/node", "/usr/local/bin/node"].filter(
  (node) => spawnSync(node, ["--version"]).status === 0,
);

beforeAll(() => {
  const quiet = { cwd: cli, encoding: "utf8", stdio: "pipe" } as const;
  execFileSync("npm", ["pack", "--pack-destination", project], quiet);
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"))!;
  writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: "stranger", private: true }));
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${tarball}`], { ...quiet, cwd: project });
});

test("has the bundle and no dependencies", () => {
  const modules = readdirSync(path.join(project, "node_modules")).filter((name) => !name.startsWith("."));
  expect(modules).toEqual(["@order-operations-hub"]);
  expect(readdirSync(installed).toSorted()).toEqual(["bin", "dist", "package.json"]);
  const sizes = readdirSync(path.join(installed, "dist")).map(
    (name) => statSync(path.join(installed, "dist", name)).size,
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000);
});

test.each(nodes)(
  "works on %s; commands of the machine are refused",
  async (node) => {
    const hub = await startTestHub();
    const org = await hub.org();
    await org.post("/orders", { number: "PACKED-1" });
    const { body } = await org.post("/api-keys", { name: "packed", scopes: ["admin"] });
    const env = { HOME: project, HUB_URL: hub.url, HUB_API_KEY: (body as { key: string }).key };
    const run = (args: string[]) => runCommand([main, ...args], { env, command: [node] });
    expect(await run(["orders", "list", "--fields", "number"])).toMatchObject({
      code: 0,
      stdout: '{"number":"PACKED-1"}\n',
    });
    expect((await run(["--help"])).stdout).toContain("Usage: hub COMMAND");
    expect((await run(["events", "tail", "--since", "10m", "--types", "order.created", "--count", "1"])).code).toBe(0);
    const serve = await run(["serve"]);
    expect(serve.code).toBe(2);
    expect(serve.stderr).toContain("works on the machine of the hub");
  },
  120_000,
);
