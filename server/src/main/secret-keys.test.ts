import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { countByKeyAcrossOrgs, resealAcrossOrgs, sealedColumns } from "../db/sealed-columns.ts";
import { buildOneOfEverything } from "../testing/builders.ts";
import { makeFolder, runHub, signIn, startHubProcess } from "../testing/hub-process.ts";
import { secretKey, startTestHub } from "../testing/test-hub.ts";
import { verifyAudit } from "../features/audit/audit.ts";
import { systemContext } from "../context.ts";
import { resignHeadsAcrossOrgs } from "../events/audit-head.ts";

const newKey = "another-secret-key-another-secret-key-42";

test("every encrypted column is listed, so that rewrap covers it", async () => {
  const hub = await startTestHub();
  const { db } = hub.world;
  await buildOneOfEverything(await hub.org());
  const columns = await db.query<{ table: string; column: string }>(
    `select table_name as "table", column_name as "column" from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and data_type in ('text', 'jsonb')`,
  );
  const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  for (const { table, column } of columns) {
    if (listed.includes(`${table}.${column}`)) continue;
    const found = await db.query(`select from "${table}" where "${column}"::text like 's1.________.%' limit 1`);
    expect(found, `${table}.${column} holds sealed texts and is not in sealedColumns`).toEqual([]);
  }
  // What no builder makes is found by who seals: each of these has its column in the list.
  const root = path.join(import.meta.dirname, "..");
  const sealing = (readdirSync(root, { recursive: true }) as string[]).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && /secrets\.seal\(\S/.test(readFileSync(path.join(root, file), "utf8")),
  );
  expect(sealing.toSorted()).toEqual([
    "db/sealed-columns.ts",
    "db/shared-tokens.ts",
    // A cookie of ten minutes, which lies in no column.
    "features/auth/oidc-sign-in.ts",
    "features/bridges/bridge-credentials.ts",
    "features/carrier-accounts/account-credentials.ts",
    "features/carrier-accounts/webhook-subscriptions.ts",
    "features/exceptions/exception.ts",
    "features/mails/mails.ts",
    "features/tasks/attempt/task-samples.ts",
    "features/users/totp.ts",
    "features/webhooks/webhook-signing.ts",
    "http/idempotency.ts",
  ]);
});

test("with a new secret key and the previous one everything works; after rewrap the previous one is not needed", async () => {
  const hub = await startTestHub();
  const org = await hub.org();
  const settings = { baseUrl: "https://erp.example" };
  const bridge = await org.post("/bridges", {
    name: "B",
    connector: "rest",
    settings,
    credentials: { token: "t0ken" },
  });
  const keyed = { headers: { "idempotency-key": "rotation-1" } };
  const key = await org.post("/api-keys", { name: "Kept" }, keyed);
  const token = await signInAs(hub.url, org.admin);
  await org.get("/audit");

  const both = await hub.secondNode({ secretKeys: [newKey, secretKey] });
  const { db, secrets, sealer } = both.world;
  const client = both.client(org.token);
  // The answer that was sealed before is still opened; a token that was signed before is refused, on purpose.
  expect((await client.post("/api-keys", { name: "Kept" }, keyed)).body.key).toBe(key.body.key);
  expect((await both.client(token).get("/bridges")).status).toBe(401);
  const patched = await client.patch(`/bridges/${bridge.body.id}`, { credentials: { username: "ann" } });
  expect(patched.status).toBe(200);
  await org.patch(`/bridges/${bridge.body.id}`, { name: "C" });
  const before = await countByKeyAcrossOrgs(db);
  expect(before.map(({ table, keyId }) => [table, keyId])).toEqual([
    ["bridges", secrets.keyId],
    ["idempotency_keys", hub.world.secrets.keyId],
  ]);
  expect(await resealAcrossOrgs(db, secrets)).toEqual({ resealed: 1, unreadable: 0 });
  expect(await resealAcrossOrgs(db, secrets)).toEqual({ resealed: 0, unreadable: 0 });
  expect((await countByKeyAcrossOrgs(db)).every(({ keyId }) => keyId === secrets.keyId)).toBe(true);
  // What the hub with the old key has recorded it seals, and signs, before the heads are signed anew; not some time after.
  await org.get("/audit");
  await resignHeadsAcrossOrgs(db, sealer.signer, new Date());

  // The hub that has not got the new key yet, and a hub that starts without the old one.
  await expect(hub.secondNode({ secretKeys: [secretKey] })).rejects.toThrow(`secret key ${secrets.keyId}`);
  await db.query("delete from secret_keys where key_id <> $1", [secrets.keyId]);
  const after = await hub.secondNode({ secretKeys: [newKey] });
  // Whether it is the same request can be told with the old key only: refused, rather than done twice.
  expect((await after.client(org.token).post("/api-keys", { name: "Kept" }, keyed)).status).toBe(422);
  expect(await verifyAudit(systemContext(after.world, org.id, "test"))).toMatchObject({ ok: true });
});

async function signInAs(url: string, { email, password }: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  return ((await response.json()) as { accessToken: string }).accessToken;
}

test("a wrong key is detected at the start and by doctor (R10), rewrap changes the key, and saved heads are checked", async () => {
  const dataDir = path.join(await makeFolder(), "data");
  const admin = { email: "admin@hub.example", password: "correct horse battery" };
  const keys = { old: secretKey, new: newKey };
  const base = { HUB_PREVIEW_PORT: "off", HUB_ADMIN_EMAIL: admin.email, HUB_ADMIN_PASSWORD: admin.password };
  const hub = await startHubProcess({ dataDir, env: { ...base, HUB_SECRET_KEY: keys.old } });
  const client = await signIn(hub.url, admin);
  const settings = { baseUrl: "https://erp.example" };
  await client.post("/bridges", { name: "B", connector: "rest", settings, credentials: { token: "t0ken" } });
  const headFile = path.join(path.dirname(dataDir), "head.json");
  const { body: head } = await client.get("/audit/head");
  await writeFile(headFile, JSON.stringify(head));
  expect(await hub.stop()).toBe(0);

  const wrong = { ...base, HUB_SECRET_KEY: keys.new };
  const started = await runHub(["serve"], { dataDir, env: wrong });
  expect(started.code).toBe(1);
  expect(started.stderr).toMatch(/used with the secret key [0-9a-f]{8}, which this hub does not have/);
  const doctor = await runHub(["doctor"], { dataDir, env: wrong });
  expect(doctor.code).toBe(1);
  expect(doctor.stderr).toMatch(/PROBLEM The live database is used with the secret key/);
  expect(doctor.stderr).toMatch(/PROBLEM live: 1 secrets in bridges are sealed with the key [0-9a-f]{8}, which/);
  expect((await runHub(["rewrap"], { dataDir, env: wrong })).code).toBe(1);

  const both = { ...wrong, HUB_PREVIOUS_SECRET_KEYS: keys.old };
  const halfway = await runHub(["doctor"], { dataDir, env: both });
  expect(halfway).toMatchObject({ code: 0, stderr: "" });
  expect(halfway.stdout).toMatch(/1 secrets in bridges are sealed with the key [0-9a-f]{8}, an earlier one/);
  const rewrapped = await runHub(["rewrap"], { dataDir, env: both });
  expect(rewrapped).toMatchObject({ code: 0, stderr: "" });
  expect(rewrapped.stdout).toMatch(/live: sealed 1 secrets and signed 1 heads/);
  const checked = await runHub(["verify-audit", headFile], { dataDir, env: both });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(checked.stdout).toContain(`still holds all ${head.sequence} entries`);

  await writeFile(headFile, JSON.stringify({ ...head, sequence: head.sequence + 1 }));
  const forged = await runHub(["verify-audit", headFile], { dataDir, env: both });
  expect(forged.stderr).toMatch(/PROBLEM .*changed/);
  expect(forged.code).toBe(1);
  expect(await runHub(["doctor"], { dataDir, env: wrong })).toMatchObject({ code: 0, stderr: "" });

  const lost = { ...base, HUB_SECRET_KEY: "a-third-secret-key-a-third-secret-key-43" };
  expect((await runHub(["doctor"], { dataDir, env: lost })).code).toBe(1);
  const forgot = await runHub(["rewrap", "--discard-lost-keys"], { dataDir, env: lost });
  expect(forgot.stdout).toMatch(/gave up the lost [0-9a-f]{8}/);
});
