import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { runHub, makeFolder, signIn, startHubProcess } from "../testing/hub-process.ts";
import { postmasterOf, repository } from "../testing/launch-hub.ts";

const admin = { email: "admin@hub.example", password: "correct horse battery" };
const first = { HUB_ADMIN_EMAIL: admin.email, HUB_ADMIN_PASSWORD: admin.password };

describe("hub", () => {
  test("help lists every command; an unknown one is rejected by name", async () => {
    for (const args of [["help"], ["--help"], []]) {
      const help = await runHub(args);
      expect(help.code).toBe(0);
      for (const name of ["serve", "migrate", "doctor", "create-admin", "print-routes"]) {
        expect(help.stdout).toContain(`  ${name} `);
      }
    }
    for (const name of ["server", "toString"]) {
      const unknown = await runHub([name]);
      expect(unknown.code).toBe(2);
      expect(unknown.stderr).toContain(`"${name}"`);
      expect(unknown.stderr).toContain("print-routes");
    }
  });

  test("a command with --help prints its help and does nothing else", async () => {
    for (const args of [
      ["serve", "--help"],
      ["serve", "-h"],
      ["help", "serve"],
      ["migrate", "--help"],
    ]) {
      const { code, stdout, stderr } = await runHub(args, { dataDir, env: { HUB_PORT: "not a port" } });
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
      expect(stdout).toContain("Usage: hub ");
    }
    expect((await runHub(["create-admin", "--help"])).stdout).toContain("EMAIL [--organization NAME] [--preview]");
    const npm = await runHub([], { dataDir, command: ["npm", "start", "--", "--help"] });
    expect(npm.code).toBe(0);
    expect(npm.stdout).toContain("Usage: hub serve");
    expect(existsSync(dataDir)).toBe(false);
  });

  test("an unknown argument or option is rejected with a suggestion", async () => {
    const refusals = [
      [["serve", "--port", "3"], "there is no option --port. Did you mean the setting HUB_PORT"],
      [["serve", "3"], 'unexpected argument "3"'],
      [["doctor", "--preview"], "there is no option --preview"],
      [["create-admin", "boss@hub.example", "--organisation", "Tenant"], "Did you mean --organization?"],
      [["create-admin", "boss@hub.example", "--organization"], "--organization"],
      [["srve"], 'Did you mean "serve"?'],
    ] as const;
    for (const [args, message] of refusals) {
      const { code, stdout, stderr } = await runHub([...args], { dataDir });
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
      expect(stderr).toContain(message);
      expect(stderr).toContain("Usage: hub ");
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  test("prints its version", async () => {
    for (const args of [["--version"], ["-v"]]) {
      expect(await runHub(args)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
      });
    }
  });

  test("print-routes lists routes of both services with their scopes, without a database", async () => {
    const { code, stdout } = await runHub(["print-routes"], { dataDir });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^GET +\/api\/v1\/condition-sets +condition_sets:read$/m);
    expect(stdout).toMatch(/^GET +\/v1\/capabilities +gateway:read$/m);
    expect(existsSync(dataDir)).toBe(false);
  });
});

let dataDir: string;
beforeAll(async () => {
  dataDir = path.join(await makeFolder(), "data");
});

describe("hub commands on a data directory", () => {
  beforeAll(async () => {
    const { code, stdout } = await runHub(["migrate"], { dataDir });
    expect(code).toBe(0);
    expect(stdout).toMatch(/live: up to date\npreview: up to date/);
  });

  test("stop the PostgreSQL that they started", () => {
    expect(postmasterOf(dataDir)).toBeUndefined();
  });

  test("create-admin creates the first administrator, further ones, and further organizations", async () => {
    const made = await runHub(["create-admin", "first@hub.example"], { dataDir });
    const [, password] = /with the password (\S+)/.exec(made.stdout)!;
    const hub = await startHubProcess({ dataDir, env: first });
    await signIn(hub.url, { email: "first@hub.example", password: password! });
    // The preview had no administrator yet; this start made one.
    await signIn(hub.previewUrl, admin);

    const env = { HUB_ADMIN_PASSWORD: "set from outside" };
    const tenant = await runHub(["create-admin", "boss@tenant.example", "--organization", "Tenant"], { dataDir, env });
    expect(tenant).toMatchObject({ code: 0, stderr: "" });
    expect(tenant.stdout).not.toContain(env.HUB_ADMIN_PASSWORD);
    const boss = await signIn(hub.url, { email: "boss@tenant.example", password: env.HUB_ADMIN_PASSWORD });
    const { body } = await boss.get("/organizations");
    expect((body.data as { name: string }[]).map(({ name }) => name)).toEqual(["Tenant"]);

    const again = await runHub(["create-admin", "first@hub.example"], { dataDir, env });
    expect(again.code).toBe(1);
    expect(again.stderr).not.toContain("    at ");
    expect(await runHub(["create-admin", "nobody"], { dataDir })).toMatchObject({ code: 1 });

    const doctor = await runHub(["doctor"], { dataDir });
    expect(doctor).toMatchObject({ code: 0, stderr: "" });
    expect(doctor.stdout).toMatch(/live: audit log of Tenant: \d+ entries, chain whole/);
    await signIn(hub.url, { email: "first@hub.example", password: password! });
    expect(await hub.stop()).toBe(0);
  });

  test("doctor exits with 1 and names the entry if the audit log was changed", async () => {
    const hub = await startHubProcess({ dataDir });
    const client = new pg.Client({ host: path.join(dataDir, "run"), user: "hub", database: "hub_live" });
    await client.connect();
    await client.query("alter table events disable trigger all");
    const { rowCount } = await client.query("update events set type = 'nothing.happened' where sequence = 2");
    expect(rowCount).toBeGreaterThan(0);
    await client.end();
    for (const isRunning of [true, false]) {
      const { code, stderr } = await runHub(["doctor"], { dataDir });
      expect(code).toBe(1);
      expect(stderr).toMatch(/PROBLEM live: audit log of .* is broken at 2: the entry was changed/);
      if (isRunning) expect(await hub.stop()).toBe(0);
    }
    expect(postmasterOf(dataDir)).toBeUndefined();
  });
});

/** A node besides the one that the project brings, as most hosts have it. */
const hostNode = findHostNode();

function findHostNode(): string | undefined {
  const folders = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => !folder.includes("node_modules"));
  for (const folder of folders) {
    try {
      const version = execFileSync(path.join(folder, "node"), ["--version"], { encoding: "utf8" });
      return Number(/^v(\d+)/.exec(version)?.[1]) < 26 ? path.join(folder, "node") : undefined;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

describe.runIf(hostNode !== undefined)("the hub command on a host with an older Node", () => {
  const command = [hostNode!, path.join(repository, "server/bin/hub.js")] as const;

  test("runs on the Node of the project and returns its exit code", async () => {
    expect((await runHub(["print-routes"], { command })).stdout).toContain("/v1/capabilities");
    expect((await runHub(["no-such-command"], { command })).code).toBe(2);
  });

  test("forwards SIGTERM, so that the hub and its PostgreSQL end", async () => {
    const hub = await startHubProcess({ command, dataDir, env: first });
    await signIn(hub.previewUrl, admin);
    expect(await hub.stop()).toBe(0);
    expect(postmasterOf(dataDir)).toBeUndefined();
  });
});
