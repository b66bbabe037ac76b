import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { checkAutomations, noteEachOrder } from "../../../../chaos/src/automation-checker.ts";
import { showLeft } from "../../../../chaos/src/webhook-rounds.ts";
import type { EventEnvelope } from "../../events/event-envelope.ts";
import { eventually } from "../../testing/eventually.ts";
import type { HubProcess } from "../../testing/hub-process.ts";
import { clientOf, signIn, startHubProcess } from "../../testing/hub-process.ts";
import { databaseOf } from "../../testing/launch-hub.ts";
import { readyDataDir } from "../../testing/ready-data-dir.ts";
import { startReceiver } from "../../testing/stand-in-receiver.ts";
import type { StreamReader } from "../../testing/stream-reader.ts";
import { openStream } from "../../testing/stream-reader.ts";
import type { TestClient } from "../../testing/test-client.ts";

const admin = { email: "admin@hub.example", password: "correct horse battery" };
const env = {
  HUB_ADMIN_EMAIL: admin.email,
  HUB_ADMIN_PASSWORD: admin.password,
  HUB_RATE_LIMIT_PER_SECOND: "off",
  HUB_PREVIEW_PORT: "off",
  HUB_PRIVATE_ADDRESSES: "allow",
  HUB_LOG_LEVEL: "silent",
};
const kills = 5;

test("across kills of the hub, a feed reader, a webhook with strict ordering and an automation get every event of the table", async () => {
  const dataDir = await readyDataDir();
  let hub: HubProcess = await startHubProcess({ dataDir, env });
  const { key } = (await (await signIn(hub.url, admin)).post("/api-keys", { name: "reader", scopes: ["admin"] })).body;
  const { organization } = (await clientOf(hub.url, key).get("/me")).body;
  let isOver = false;
  const client = (): TestClient => clientOf(hub.url, key);
  const receiver = await startReceiver();
  const types = ["condition_set.created"];
  await client().post("/webhooks", { url: receiver.url, types, ordering: "strict" });
  const automation = await noteEachOrder((path, given) => client().post(path, given));
  const read: EventEnvelope[] = [];
  let cursor: string | undefined;

  /** Stores the cursor together with the events, and retries while the hub is down. */
  async function readOn(): Promise<boolean> {
    const { status, body } = await client()
      .get(`/events?limit=20${cursor === undefined ? "" : `&after=${cursor}`}`)
      .catch(() => ({ status: 0, body: undefined }));
    if (status === 0 || status >= 500) return await delay(20, true);
    expect(status).toBe(200);
    read.push(...body.data);
    cursor = body.cursor;
    return body.hasMore;
  }

  const reader = (async () => {
    while (!isOver) await readOn();
  })();
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let i = 0; !isOver; i++) {
      const [path, body] = writer === 0 ? ["/orders", {}] : ["/condition-sets", { name: `writer ${writer} set ${i}` }];
      await client()
        .post(path, body)
        .catch(() => delay(20));
    }
  });
  for (let kill = 0; kill < kills; kill++) {
    const before = read.length;
    while (read.length < before + 40) await new Promise((resolve) => setTimeout(resolve, 10));
    hub.send("SIGKILL");
    await hub.exited;
    hub = await startHubProcess({ dataDir, env });
  }
  isOver = true;
  await Promise.all([reader, ...writers]);
  const db = new pg.Client(databaseOf(dataDir));
  await db.connect();
  await eventually(
    () => showLeft(db),
    (left) => left.length === 0,
  );
  while (await readOn());
  const { rows } = await db.query<{ id: string; type: string }>(
    "select id, type from events where org_id = $1 order by sequence",
    [organization.id],
  );
  const fired = await checkAutomations(db, [{ id: automation, orgId: organization.id }]);
  await db.end();
  expect(read.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  expect(rows.length).toBeGreaterThan(kills * 40);
  // What was under way when the hub was killed came twice, and nothing came before what it follows.
  const told = new Set(receiver.received.map(({ event }) => event.id));
  expect([...told]).toEqual(rows.filter(({ type }) => type === types[0]).map(({ id }) => id));
  expect(fired.findings).toEqual([]);
  expect(fired.invocations).toBeGreaterThan(0);
  await hub.stop();
});

test("SIGTERM with 500 streams: all are closed first, and the hub ends within 10 s", async () => {
  const hub = await startHubProcess({ dataDir: await readyDataDir(), env });
  const operator = await signIn(hub.url, admin);
  const streams: StreamReader[] = [];
  for (let i = 0; i < 5; i++) {
    const credentials = { email: `admin${i}@org.example`, password: admin.password };
    await operator.post("/organizations", { name: `Org ${i}`, admin: credentials });
    const owner = await signIn(hub.url, credentials);
    for (let k = 0; k < 10; k++) {
      const { key } = (await owner.post("/api-keys", { name: `key ${k}`, scopes: ["events:read"] })).body;
      const open = Array.from({ length: 10 }, () =>
        openStream(`${hub.url}/api/v1/events/stream`, { authorization: `Bearer ${key}` }),
      );
      streams.push(...(await Promise.all(open)));
    }
  }
  expect(streams.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(500);
  hub.send("SIGTERM");
  await Promise.all(streams.map(({ ended }) => ended));
  // Not 0 if it had to be ended after ten seconds.
  expect(await hub.exited).toBe(0);
});
