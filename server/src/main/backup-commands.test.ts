import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ClientConfig } from "pg";
import pg from "pg";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { aSmallCard } from "../features/carrier-accounts/carrier-accounts.schemas.ts";
import { afterFile } from "../testing/after-file.ts";
import { eventually } from "../testing/eventually.ts";
import type { HubProcess } from "../testing/hub-process.ts";
import { makeFolder, ordinaryUser, runHub, signIn, startHubProcess } from "../testing/hub-process.ts";
import { postmasterOf } from "../testing/launch-hub.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";
import type { Receiver } from "../testing/stand-in-receiver.ts";
import { startReceiver } from "../testing/stand-in-receiver.ts";
import type { TestClient } from "../testing/test-client.ts";

const admin = { email: "admin@hub.example", password: "correct horse battery" };
const env = {
  HUB_ADMIN_EMAIL: admin.email,
  HUB_ADMIN_PASSWORD: admin.password,
  HUB_PRIVATE_ADDRESSES: "allow",
  HUB_LOG_LEVEL: "warn",
};

let hub: HubProcess;
let client: TestClient;
let receiver: Receiver;
let folder: string;
let file: string;
let orderIds: string[];

beforeAll(async () => {
  receiver = await startReceiver();
  hub = await startHubProcess({ dataDir: await readyDataDir(), env });
  client = await signIn(hub.url, admin);
  await client.post("/webhooks", { url: receiver.url, types: ["order.created"] });
  const settings = { baseUrl: "http://127.0.0.1:9" };
  const bridge = { name: "ERP", connector: "rest", settings, credentials: { token: "t0ken" } };
  expect((await client.post("/bridges", bridge)).status).toBe(201);
  orderIds = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => (await client.post("/orders", { number: `B-${index}` })).body.id),
  );
  await eventually(
    async () => receiver.received.length,
    (count) => count === 20,
  );
  folder = await makeFolder();
  file = path.join(folder, "hub.backup");
});

async function processComparison(of: TestClient): Promise<void> {
  const account = await of.post("/carrier-accounts", { name: "Card", carrier: "rate-card" });
  await of.post(`/carrier-accounts/${account.body.id}/rate-cards`, { card: aSmallCard });
  const parcel = { netCost: 10, serviceType: "Ground", originZip: "07114", destinationZip: "10001" };
  const wanted = { name: "Local", carrierAccountId: account.body.id, items: [{ trackingNumber: "1Z1", ...parcel }] };
  const { body } = await of.post("/rate-comparisons", wanted);
  await of.post(`/rate-comparisons/${body.id}/process`);
  const status = async () => (await of.get(`/rate-comparisons/${body.id}`)).body.status as string;
  await eventually(status, (now) => now === "completed");
}

async function sql(connection: ClientConfig, text: string): Promise<void> {
  const one = new pg.Client(connection);
  await one.connect();
  await one.query(text);
  await one.end();
}

describe("hub backup", () => {
  test("writes a file while the hub serves, reads it back, and prints its content", async () => {
    let isDone = false;
    const writing = (async () => {
      const statuses = new Set<number>();
      for (let count = 0; !isDone; count++)
        statuses.add((await client.post("/orders", { number: `M-${count}` })).status);
      return [...statuses];
    })();
    const { code, stdout, stderr } = await runHub(["backup", file], { dataDir: hub.dataDir, env });
    isDone = true;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/live: audit log of My organization: \d+ entries, chain whole/);
    expect(stdout).toMatch(/live: \d+ tables with \d+ rows, schema \d+/);
    expect(stdout).toMatch(/preview: \d+ tables with \d+ rows, schema \d+/);
    expect(stdout).toContain("rows and checksum of every table, are right");
    expect(stdout).toContain("It contains the secret key");
    expect(await writing).toEqual([201]);
  });

  test("rejects an existing file, and leaves the key out on request", async () => {
    const again = await runHub(["backup", file], { dataDir: hub.dataDir, env });
    expect(again).toMatchObject({
      code: 1,
      stderr: `hub backup: ${file} exists already. Name a file that does not; backups are never overwritten.\n`,
    });
    const keyless = path.join(folder, "keyless.backup");
    const args = ["backup", keyless, "--without-secret-key"];
    expect((await runHub(args, { dataDir: hub.dataDir, env })).stdout).toContain("It does not contain the secret key");
    const target = path.join(await makeFolder(), "data");
    const lacking = await runHub(["restore", keyless], { dataDir: target, env });
    expect(lacking.stderr).toMatch(/does not contain the secret key [0-9a-f]{8}\. Set HUB_SECRET_KEY/);
    const wrong = { ...env, HUB_SECRET_KEY: "another-secret-key-another-secret-key-42" };
    expect((await runHub(["restore", keyless], { dataDir: target, env: wrong })).stderr).toMatch(
      /needs the secret key/,
    );
    expect(existsSync(path.join(target, "postgres"))).toBe(false);
    const key = (await readFile(path.join(hub.dataDir, "secret.key"), "utf8")).trim();
    const right = { ...env, HUB_SECRET_KEY: key };
    expect(await runHub(["restore", keyless], { dataDir: target, env: right })).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("hub restore", () => {
  test("rejects a damaged file, a data directory in use and one with data, and changes nothing", async () => {
    const target = path.join(await makeFolder(), "data");
    const damaged = path.join(folder, "damaged.backup");
    const bytes = await readFile(file);
    bytes[(bytes.length / 2) | 0]! ^= 1;
    await writeFile(damaged, bytes);
    const refused = await runHub(["restore", damaged], { dataDir: target, env });
    expect(refused).toMatchObject({
      code: 1,
      stderr: `hub restore: ${damaged} was altered: its content does not match its checksum.\n`,
    });
    expect(existsSync(target)).toBe(false);
    const inUse = await runHub(["restore", file], { dataDir: hub.dataDir, env });
    expect(inUse.stderr).toMatch(/Another hub \(hub process \d+\) already uses this data directory/);
    const used = await readyDataDir();
    const full = await runHub(["restore", file], { dataDir: used, env });
    expect(full.stderr).toMatch(/The live database is not empty: it has organizations/);
    // Marked as being restored, it would be replaced by the next restore.
    for (const one of [hub.dataDir, used]) expect(existsSync(path.join(one, "restoring"))).toBe(false);
    expect(await runHub(["doctor"], { dataDir: used, env })).toMatchObject({ code: 0, stderr: "" });
  });

  test("restores everything, makes no outbound calls until resumed, and then continues", async () => {
    const dataDir = path.join(await makeFolder(), "data");
    const { code, stdout, stderr } = await runHub(["restore", file], { dataDir, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /live: \d+ tables .* those of the backup\nlive: audit log of My organization: \d+ entries, chain whole/,
    );
    expect(postmasterOf(dataDir)).toBeUndefined();
    const before = receiver.received.length;
    const copy = await startHubProcess({ dataDir, env });
    const restored = await signIn(copy.url, admin);
    for (const id of orderIds)
      expect((await restored.get(`/orders/${id}`)).body).toEqual((await client.get(`/orders/${id}`)).body);
    expect((await restored.get("/audit/verification")).body.ok).toBe(true);
    expect((await restored.get("/audit?type=outbound.paused")).body.data).toHaveLength(1);

    const ready = await fetch(`${copy.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { checks: { outbound: "paused" } }]);
    expect((await restored.get("/outbound")).body).toMatchObject({ isPaused: true, reason: "restored" });
    const [bridge] = (await restored.get("/bridges?connector=rest")).body.data;
    const tested = await restored.post(`/bridges/${bridge.id}/test`);
    expect([tested.status, tested.body.code]).toEqual([409, "outbound_paused"]);
    const sync = { bridgeId: bridge.id, taskName: "connection.test" };
    expect((await restored.post("/tasks/execute-sync", sync)).body.code).toBe("outbound_paused");
    const queued = await restored.post("/tasks/execute", sync);
    expect(queued.status).toBe(202);
    await restored.post("/orders", { number: "WHILE-PAUSED" });
    const { body: run } = await restored.post(
      "/operations/run",
      { order_ids: orderIds, actions: [{ type: "add_tags", params: { tags: ["later"] } }] },
      { headers: { prefer: "respond-async" } },
    );
    // Work without outbound calls continues. It was requested last: the others would have started by now.
    await processComparison(restored);
    expect((await restored.get(`/operations/runs/${run.id}`)).body.status).toBe("queued");
    expect(receiver.received.length).toBe(before);

    const resumed = await restored.post("/outbound/resume");
    expect([resumed.status, resumed.body.isPaused]).toEqual([200, false]);
    const ended = async () => (await restored.get(`/operations/runs/${run.id}`)).body.status as string;
    await eventually(ended, (status) => status === "succeeded");
    await eventually(
      async () => receiver.received.length,
      (count) => count > before,
    );
    expect((await restored.get("/audit?type=outbound.resumed")).body.data).toHaveLength(1);
    expect(await copy.stop()).toBe(0);
    const command = await runHub(["resume-outbound"], { dataDir, env });
    expect(command.stdout).toBe("live: outbound work was not paused\npreview: outbound work goes on\n");
  });

  test("that was killed can be repeated, and no hub starts before", async () => {
    const dataDir = path.join(await makeFolder(), "data");
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, "restoring"), "A restore has not ended.\n");
    const started = await runHub(["serve"], { dataDir, env });
    expect(started).toMatchObject({ code: 1, stderr: "hub serve: A restore has not ended.\n" });
    expect(await runHub(["restore", file], { dataDir, env })).toMatchObject({ code: 0, stderr: "" });
    // Killed after its last commit: all that is there is what it has loaded.
    await writeFile(path.join(dataDir, "restoring"), "A restore has not ended.\n");
    expect(await runHub(["restore", file], { dataDir, env })).toMatchObject({ code: 0, stderr: "" });
    expect(await runHub(["doctor"], { dataDir, env })).toMatchObject({ code: 0, stderr: "" });
  });

  test.runIf(ordinaryUser())(
    "works for a user that is not root",
    async () => {
      const user = ordinaryUser()!;
      const own = await makeFolder(user);
      const theirs = path.join(own, "hub.backup");
      await writeFile(theirs, await readFile(file), { mode: 0o644 });
      const dataDir = path.join(own, "data");
      expect(await runHub(["restore", theirs], { dataDir, env, user })).toMatchObject({ code: 0, stderr: "" });
      const backup = ["backup", path.join(own, "second.backup")];
      expect(await runHub(backup, { dataDir, env, user })).toMatchObject({ code: 0, stderr: "" });
    },
    120_000,
  );
});

test("a restore into an external database writes the key of the file to the data directory", async () => {
  const cluster = inject("cluster");
  const name = `restored_${crypto.randomUUID().replaceAll("-", "")}`;
  const postgres = { ...cluster, database: "postgres" };
  await sql(postgres, `create database ${name}`);
  afterFile(async () => await sql(postgres, `drop database ${name} with (force)`));
  const url = `postgres://${cluster.user}@/${name}?host=${cluster.host}&port=${cluster.port}`;
  const dataDir = path.join(await makeFolder(), "none", "yet");
  const restored = await runHub(["restore", file], { dataDir, env: { ...env, DATABASE_URL: url } });
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  expect(restored.stdout).toContain("preview: not restored, since this hub has no preview database");
  const key = (await readFile(path.join(dataDir, "secret.key"), "utf8")).trim();
  const doctor = await runHub(["doctor"], { env: { ...env, DATABASE_URL: url, HUB_SECRET_KEY: key } });
  // The cluster of the tests does not wait for the disk, which is all that the doctor finds wrong.
  const problems = doctor.stderr.split("\n").filter((line) => line !== "" && !line.includes("fsync is off"));
  expect(problems).toEqual([]);
  expect(doctor.stdout).toContain("migrations up to date");
});

describe("hub move-to", () => {
  test("moves a stopped hub to an external database, where it continues at once, and closes the data directory", async () => {
    const dataDir = path.join(await makeFolder(), "data");
    await runHub(["restore", file], { dataDir, env });
    const cluster = inject("cluster");
    const name = `moved_${crypto.randomUUID().replaceAll("-", "")}`;
    const names = [`${name}_live`, `${name}_preview`];
    const postgres = { ...cluster, database: "postgres" };
    for (const one of names) await sql(postgres, `create database ${one}`);
    afterFile(async () => {
      for (const one of names) await sql(postgres, `drop database ${one} with (force)`);
    });
    const [live, preview] = names.map(
      (one) => `postgres://${cluster.user}@/${one}?host=${cluster.host}&port=${cluster.port}`,
    ) as [string, string];

    const inUse = await runHub(["move-to", live], { dataDir: hub.dataDir, env });
    expect(inUse.stderr).toMatch(/already uses this data directory/);
    // What fails before the target has anything leaves the data directory as it was.
    const livePlace = { ...cluster, database: names[0]! };
    await sql(livePlace, "create table theirs ()");
    const full = await runHub(["move-to", live], { dataDir, env });
    expect(full.stderr).toMatch(/The live database is not empty: it has theirs/);
    await sql(livePlace, "drop table theirs");
    const moved = await runHub(["move-to", live, "--preview", preview], { dataDir, env });
    expect(moved).toMatchObject({ code: 0, stderr: "" });
    expect(moved.stdout).toMatch(/live: \d+ tables .* those of the backup/);
    const closed = await runHub(["serve"], { dataDir, env });
    expect(closed.stderr).toMatch(/was moved to postgres:.* Start the hub with DATABASE_URL/);

    const key = (await readFile(path.join(dataDir, "secret.key"), "utf8")).trim();
    const external = { ...env, HUB_SECRET_KEY: key, DATABASE_URL: live, PREVIEW_DATABASE_URL: preview };
    const next = await startHubProcess({ env: external });
    const there = await signIn(next.url, admin);
    expect((await there.get(`/orders/${orderIds[0]}`)).status).toBe(200);
    const backup = await runHub(["backup", path.join(folder, "external.backup")], {
      dataDir: next.dataDir,
      env: external,
    });
    expect(backup).toMatchObject({ code: 0, stderr: "" });
    expect(backup.stdout).toContain("It does not contain the secret key");
    expect(await next.stop()).toBe(0);
    const again = await runHub(["restore", file], { dataDir: next.dataDir, env: external });
    expect(again.stderr).toMatch(/The live database is not empty/);
  });
});
