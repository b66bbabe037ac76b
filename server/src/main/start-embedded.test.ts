import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { readdir, rename, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { HubProcess } from "../testing/hub-process.ts";
import { clientOf, makeFolder, runHub, signIn, spawnHub, startHubProcess } from "../testing/hub-process.ts";
import { databaseOf, hubMain, isRunning, postmasterOf } from "../testing/launch-hub.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";

const admin = { email: "admin@hub.example", password: "correct horse battery" };
const env = { HUB_ADMIN_EMAIL: admin.email, HUB_ADMIN_PASSWORD: admin.password, HUB_RATE_LIMIT_PER_SECOND: "off" };
/** Where nothing is said about the preview: making and filling it is half of a first start. */
const liveOnly = { ...env, HUB_PREVIEW_PORT: "off" };
const soon = { timeout: 40_000, interval: 20 };

async function gone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), soon);
}

async function killHub(hub: HubProcess): Promise<void> {
  hub.send("SIGKILL");
  await hub.exited;
}

const anotherContainer = ["unshare", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"] as const;
const canUnshare = spawnSync(anotherContainer[0], [...anotherContainer.slice(1), "true"]).status === 0;

let written = 0;
async function write(hub: HubProcess): Promise<string> {
  const name = `Set ${++written}`;
  const { status } = await (await signIn(hub.url, admin)).post("/condition-sets", { name });
  expect(status).toBe(201);
  return name;
}

async function expectWritten(hub: HubProcess, names: string[]): Promise<void> {
  const { body } = await (await signIn(hub.url, admin)).get("/condition-sets?limit=100");
  const found = (body.data as { name: string }[]).map((set) => set.name);
  expect(found).toEqual(expect.arrayContaining(names));
}

describe("the hub on its own PostgreSQL", () => {
  const names = "application_name = 'order-operations-hub' or application_name like 'order-operations-hub %'";

  async function asSuperuser<T>(hub: { dataDir: string }, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client(databaseOf(hub.dataDir));
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  test("is no superuser, also on a database of an earlier hub that was one", async () => {
    const hub = await startHubProcess({ dataDir: await readyDataDir(), env: liveOnly });
    const written = await write(hub);
    const isSuper = "select distinct usename, usesuper from pg_stat_activity join pg_user using (usename)";
    const whoWorks = (client: pg.Client) => client.query(`${isSuper} where (${names}) and datname = 'hub_live'`);
    expect((await asSuperuser(hub, whoWorks)).rows).toEqual([{ usename: "hub_own", usesuper: false }]);
    expect(await hub.stop()).toBe(0);

    // As 0.1.0 has left it: everything belongs to the superuser.
    const again = await startHubProcess({ dataDir: hub.dataDir, env: liveOnly });
    await asSuperuser(again, async (client) => {
      // The hub is at work meanwhile: one of the two may have to give way.
      await vi.waitFor(() => client.query("reassign owned by hub_own to hub"), soon);
      await client.query("create schema left_over create table jobs (id serial primary key)");
      await client.query("create type left_over.state as enum ('a')");
    });
    expect(await again.stop()).toBe(0);
    const last = await startHubProcess({ dataDir: hub.dataDir, env: liveOnly });
    await expectWritten(last, [written, await write(last)]);
    expect((await asSuperuser(last, whoWorks)).rows).toEqual([{ usename: "hub_own", usesuper: false }]);
    const foreign = await asSuperuser(last, (client) =>
      client.query(
        "select oid::regclass from pg_class where relowner = 'hub'::regrole and relnamespace::regnamespace::text in ('public', 'left_over')",
      ),
    );
    expect(foreign.rows).toEqual([]);
    expect(await last.stop()).toBe(0);
  });
});

let dataDir: string;
beforeAll(async () => {
  dataDir = await readyDataDir();
});

test.runIf(existsSync("/proc/self/environ"))(
  "security 10: PostgreSQL does not get the hub's environment, which has its passwords and keys",
  async () => {
    const secret = { HUB_SECRET_KEY: "a-secret-key-that-nobody-else-may-see-42" };
    const hub = await startHubProcess({ env: { ...liveOnly, ...secret } });
    const environment = readFileSync(`/proc/${postmasterOf(hub.dataDir)}/environ`, "utf8").split("\0");
    expect(environment.filter((entry) => entry.startsWith("HUB_"))).toEqual([]);
    expect(
      environment
        .filter(Boolean)
        .map((entry) => entry.split("=")[0])
        .toSorted(),
    ).toEqual(["LC_ALL", "PATH", "TZ"]);
    expect(await hub.stop()).toBe(0);
  },
);

test("the administrator can sign in as soon as a new hub reports that it serves requests, on each surface", async () => {
  const hub = await spawnHub({ env });
  for (const environment of ["live", "preview"]) {
    const listening = new RegExp(`"environment":"${environment}","msg":"serving requests at (http[^"]+)"`);
    const url = await vi.waitFor(() => {
      const found = listening.exec(hub.stdout())?.[1];
      if (found === undefined) throw new Error(`${environment} does not listen yet:\n${hub.stdout()}${hub.stderr()}`);
      return found;
    }, soon);
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), soon);
    const { status } = await clientOf(url).post("/auth/token", admin);
    expect([environment, status]).toEqual([environment, 200]);
  }
  expect(await hub.stop()).toBe(0);
});

describe("after a hub was killed", () => {
  const names: string[] = [];
  beforeAll(async () => {
    const hub = await startHubProcess({ dataDir, env });
    names.push(await write(hub));
    await killHub(hub);
  });

  test("the next one adopts the PostgreSQL that was left running, with everything in it", async () => {
    const orphan = postmasterOf(dataDir);
    expect(orphan).toBeDefined();
    const hub = await startHubProcess({ dataDir, env });
    expect(postmasterOf(dataDir)).toBe(orphan);
    await expectWritten(hub, names);
    names.push(await write(hub));
    expect(await hub.stop()).toBe(0);
    await gone(orphan!);
  });

  test("together with its PostgreSQL, the next one finds all acknowledged changes", async () => {
    const hub = await startHubProcess({ dataDir, env });
    names.push(await write(hub));
    const postmaster = postmasterOf(dataDir)!;
    // One of PostgreSQL's processes outlives it: two at work on one cluster would ruin it.
    const client = new pg.Client({ host: path.join(dataDir, "run"), user: "hub", database: "postgres" });
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    process.kill(rows[0]!.pid, "SIGSTOP");
    hub.send("SIGKILL");
    process.kill(postmaster, "SIGKILL");
    await hub.exited;
    await gone(postmaster);

    const next = await spawnHub({ dataDir, env });
    const log = path.join(dataDir, "postgres.log");
    await vi.waitFor(() => expect(readFileSync(log, "utf8")).toContain("pre-existing shared memory block"), soon);
    process.kill(rows[0]!.pid, "SIGCONT");
    await vi.waitFor(() => expect(next.url).toMatch(/^http/), soon);
    await expectWritten(next, names);
    await next.stop();
  });

  test("and its process id was reused, the next one starts without touching that process", async () => {
    const file = path.join(dataDir, "postgres/postmaster.pid");
    // Of PostgreSQL's own user: only then does PostgreSQL take it for a running server.
    const { uid, gid } = await stat(path.dirname(file));
    const stranger = spawn("sleep", ["300"], { stdio: "ignore", uid, gid });
    const lock = `${stranger.pid}\n${path.dirname(file)}\n1\n5432\n${dataDir}/run\n`;
    await writeFile(file, `${lock}\n\nready   \n`);
    await writeFile(path.join(dataDir, "run/.s.PGSQL.5432.lock"), lock);
    const hub = await startHubProcess({ dataDir, env });
    await expectWritten(hub, names);
    await hub.stop();
    expect(isRunning(stranger.pid!)).toBe(true);
    stranger.kill();
    await once(stranger, "exit");
  });

  test("during its first start, the next one starts again and leaves no files behind", async () => {
    const fresh = path.join(await makeFolder(), "data");
    const hub = await spawnHub({ dataDir: fresh, env: liveOnly });
    const isMaking = (): boolean => existsSync(path.join(fresh, `postgres.${hub.pid}.new`));
    await vi.waitFor(() => expect(isMaking()).toBe(true), { timeout: 40_000, interval: 2 });
    await killHub(hub);
    const next = await startHubProcess({ dataDir: fresh, env: liveOnly });
    await signIn(next.url, admin);
    await next.stop();
    expect((await readdir(fresh)).filter((name) => name.endsWith(".new"))).toEqual([]);
  });
});

describe("a running hub", () => {
  let hub: HubProcess;
  let token: string;
  beforeAll(async () => {
    hub = await startHubProcess({ dataDir, env });
    token = (await signIn(hub.url, admin)).token!;
  });

  test("has the demo data in its preview, although the first start was interrupted", async () => {
    const preview = await signIn(hub.previewUrl, admin);
    const count = async () => (await preview.get("/orders?limit=1")).body.pagination.total;
    await vi.waitFor(async () => expect(await count()).toBeGreaterThan(1_000), soon);
  });

  test("rejects a second one on its data directory, also through another path, and keeps serving", async () => {
    const alias = path.join(await makeFolder(), "alias");
    await symlink(dataDir, alias);
    for (const name of [dataDir, alias]) {
      const second = await runHub(["serve"], { dataDir: name, env });
      expect(second.code).toBe(1);
      expect(second.stderr).toContain(`Another hub (hub process ${hub.pid}) already uses`);
      expect((await clientOf(hub.url, token).get("/condition-sets")).status).toBe(200);
    }
  });

  test.runIf(canUnshare)("rejects one in another container with separate process ids", async () => {
    const command = [...anotherContainer, process.execPath, hubMain] as const;
    const second = await runHub(["serve"], { dataDir: dataDir, env, command });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("another container");
    expect((await clientOf(hub.url, token).get("/condition-sets")).status).toBe(200);
  });

  test("returns 503 while its PostgreSQL is down, and works again after restarting it", async () => {
    const postmaster = postmasterOf(dataDir)!;
    const client = clientOf(hub.url, token);
    const statuses: number[] = [];
    let calls = 0;
    const call = async (): Promise<void> => {
      const number = ++calls;
      const answer =
        number % 2 === 0
          ? await client.get("/condition-sets")
          : await client.post("/condition-sets", { name: `Call ${number}` });
      statuses.push(answer.status);
      if (answer.status !== 503) return;
      expect(answer.headers.get("content-type")).toContain("application/problem+json");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    };
    await Promise.all(Array.from({ length: 20 }, () => call()));
    expect(new Set(statuses)).toEqual(new Set([200, 201]));

    process.kill(postmaster, "SIGKILL");
    await vi.waitUntil(
      async () => {
        await Promise.all([call(), call()]);
        const isRestarted = ![undefined, postmaster].includes(postmasterOf(dataDir));
        return isRestarted && statuses.includes(503) && !statuses.slice(-2).includes(503);
      },
      { timeout: 40_000, interval: 1 },
    );
    expect([...new Set(statuses)].toSorted()).toEqual([200, 201, 503]);
    await vi.waitFor(async () => expect((await fetch(`${hub.url}/readyz`)).status).toBe(200), soon);

    const after = await Promise.all(Array.from({ length: 60 }, () => client.get("/condition-sets")));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
    expect(postmasterOf(dataDir)).not.toBe(postmaster);
    expect((await clientOf(hub.previewUrl).get("!/readyz")).status).toBe(200);
    expect(hub.stdout()).not.toContain("unexpected error");
  });

  test("keeps its data directory locked while its PostgreSQL is dead and not restarted yet (reliability R8)", async () => {
    const postmaster = postmasterOf(dataDir)!;
    hub.send("SIGSTOP");
    process.kill(postmaster, "SIGKILL");
    await gone(postmaster);
    const second = await runHub(["serve"], { dataDir, env });
    hub.send("SIGCONT");
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("already uses this data directory");
    await vi.waitFor(async () => expect((await fetch(`${hub.url}/readyz`)).status).toBe(200), soon);
    expect((await clientOf(hub.url, token).get("/condition-sets")).status).toBe(200);
  });

  test("is the only one on its data directory also after its PostgreSQL was restarted", async () => {
    const client = new pg.Client({ host: path.join(dataDir, "run"), user: "hub", database: "postgres" });
    client.on("error", () => {});
    await client.connect();
    await vi.waitFor(async () => {
      const { rows } = await client.query(
        "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = 'postgres')",
      );
      expect(rows).toHaveLength(1);
    }, soon);
    await client.end();
    expect((await runHub(["serve"], { dataDir: dataDir, env })).code).toBe(1);
    expect(await hub.stop()).toBe(0);
  });
});

describe("two concurrent first starts on one empty data directory", () => {
  test("leave exactly one working hub", async () => {
    const empty = path.join(await makeFolder(), "data");
    const hubs = await Promise.all([spawnHub({ dataDir: empty }), spawnHub({ dataDir: empty })]);
    const loser = await Promise.race(hubs.map(async (hub) => (await hub.exited, hub)));
    const winner = hubs.find((hub) => hub !== loser)!;
    expect(await loser.exited).toBe(1);
    expect(loser.stderr()).toContain("already uses this data directory");
    await vi.waitFor(() => expect(winner.stdout()).toContain("Sign in"), soon);
    await signIn(winner.url, winner.firstAdmin()!);
    await signIn(winner.previewUrl, winner.firstAdmin()!);
    expect(await winner.stop()).toBe(0);
  });
});

test("a data directory without its database is rejected as moved, not created again (reliability R10)", async () => {
  const folder = path.join(await makeFolder(), "data");
  const doctor = await runHub(["doctor"], { dataDir: folder, env: liveOnly });
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining("embedded PostgreSQL") as string });
  expect(doctor.stderr).toContain("There is no database");
  expect(existsSync(path.join(folder, "postgres"))).toBe(false);

  expect((await runHub(["migrate"], { dataDir: folder, env: liveOnly })).code).toBe(0);
  await rename(path.join(folder, "postgres"), path.join(folder, "elsewhere"));
  const refused = await runHub(["serve"], { dataDir: folder, env: liveOnly });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("secret.key");
  expect(refused.stderr).toContain("moved");
  await rename(path.join(folder, "elsewhere"), path.join(folder, "postgres"));
  const hub = await startHubProcess({ dataDir: folder, env: liveOnly });
  expect(await hub.stop()).toBe(0);
});

test("a data directory may have any name (reliability R10)", async () => {
  const folder = path.join(await makeFolder(), `a "$HOME", b's`);
  expect(await runHub(["migrate"], { dataDir: folder, env: { HUB_PREVIEW_PORT: "off" } })).toMatchObject({
    code: 0,
    stderr: "",
  });
});
