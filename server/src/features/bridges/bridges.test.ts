import { Type } from "../../core/type.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { RemoteError } from "../../core/remote-error.ts";
import { connectionTest } from "../../connectors/standard-tasks.ts";
import { eventually } from "../../testing/eventually.ts";
import { installConnector, scriptedCall, scriptedShop } from "../../testing/scripted-connector.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

/** What the other side was shown, last. */
let shown: Record<string, unknown> = {};
let problem: Error | undefined;
const tasks = [
  connectionTest(({ credentials }) => {
    shown = credentials;
    return problem ? Promise.reject(problem) : Promise.resolve({ shop: "Scripted" });
  }),
  scriptedCall("show", true, ({ credentials }) => {
    shown = credentials;
    return Promise.resolve({ seen: Object.keys(credentials).length });
  }),
  scriptedCall("break", true, () => Promise.reject(new RemoteError("shop_closed", "The shop is closed."))),
];
const connector = installConnector([], {
  tasks: () => tasks,
  settings: Type.Object(
    { url: Type.String({ minLength: 1 }), color: Type.Optional(Type.String()) },
    { additionalProperties: false },
  ),
  credentials: Type.Object(
    { token: Type.String({ minLength: 8 }), user: Type.Optional(Type.String()) },
    { additionalProperties: false },
  ),
});

let hub: TestHub;
let org: TestOrg;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
});

const secret = "s3cret-token-of-the-shop";
let names = 0;
async function create(more: object = {}) {
  const settings = { url: "https://shop.example" };
  return await org.post("/bridges", {
    name: `Bridge ${++names}`,
    connector,
    settings,
    credentials: { token: secret },
    ...more,
  });
}

/** Past the hub, which is then told as it would be by another node. */
async function tamper(sql: string, values: unknown[]): Promise<void> {
  await hub.world.db.transaction(async (tx) => {
    await tx.query(sql, values);
    await hub.world.signals.publish(tx, "bridge", String(values[0]));
  });
}

describe("configuring", () => {
  test("creates, reads, lists, changes and deletes", async () => {
    const created = await create({ name: "Main shop", concurrency: 4 });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: "Main shop",
      connector,
      settings: { url: "https://shop.example" },
      hasCredentials: true,
      isActive: true,
      concurrency: 4,
      health: { status: "unknown", consecutiveFailures: 0, lastError: null },
      version: 1,
    });
    const { id } = created.body;
    expect((await org.get(`/bridges/${id}`)).body).toEqual(created.body);
    expect((await org.get(`/bridges?search=main`)).body.data.map((one: { id: string }) => one.id)).toEqual([id]);
    const patched = await org.patch(`/bridges/${id}`, { settings: { color: "red" }, concurrency: null });
    expect(patched.body).toMatchObject({
      settings: { url: "https://shop.example", color: "red" },
      concurrency: null,
      version: 2,
    });
    expect((await org.patch(`/bridges/${id}`, { settings: { color: null } })).body.settings).toEqual({
      url: "https://shop.example",
    });
    const stale = await org.patch(`/bridges/${id}`, { name: "Other" }, { headers: { "if-match": '"1"' } });
    expect(stale.status).toBe(412);
    expect((await org.delete(`/bridges/${id}`)).body).toEqual({ id, deleted: true });
    expect((await org.get(`/bridges/${id}`)).status).toBe(404);
    expect((await org.delete(`/bridges/${id}`)).status).toBe(404);
    // The name is free again.
    expect((await create({ name: "Main shop" })).status).toBe(201);
  });

  test("reports all mistakes at once, and changes nothing", async () => {
    const wrong = await org.post("/bridges", {
      name: "Wrong",
      connector,
      settings: { color: 1 },
      credentials: { token: "short", tokn: "x" },
    });
    expect(wrong.status).toBe(400);
    const pointers = wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toEqual(
      expect.arrayContaining(["/settings/url", "/settings/color", "/credentials/token", "/credentials/tokn"]),
    );
    expect(wrong.text).not.toContain("short");
    const unknown = await org.post("/bridges", { name: "Wrong", connector: "dmo" });
    expect(unknown.body.errors[0]).toMatchObject({
      pointer: "/connector",
      code: "unknown_connector",
      suggestion: "demo",
    });
    expect((await org.get("/bridges?search=Wrong")).body.pagination.total).toBe(0);
    await create({ name: "Twice" });
    const twice = await create({ name: "TWICE" });
    expect([twice.status, twice.body.code]).toEqual([409, "name_taken"]);
  });

  test("the catalog lists what each connector needs, and a bridge lists its tasks", async () => {
    const { data } = (await org.get("/bridges/connectors")).body;
    const demo = data.find(({ name }: { name: string }) => name === "demo");
    expect(demo).toMatchObject({
      title: "Demo shop",
      settingsSchema: { type: "object" },
      credentialsSchema: { type: "object" },
    });
    const { id } = (await org.post("/bridges", { name: "Demo tasks", connector: "demo" })).body;
    const tasksOf = (await org.get(`/bridges/${id}/tasks`)).body.data;
    expect(tasksOf.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["connection.test", "noop", "orders.import", "orders.export"]),
    );
    const exporting = tasksOf.find(({ name }: { name: string }) => name === "orders.export");
    expect(exporting).toMatchObject({ mode: "push", inputSchema: { required: ["orderIds"] } });
  });
});

test("a task that sends orders and one that does not may share a schema for their input", async () => {
  const push = scriptedShop({ honoursKeys: true, canFind: false });
  const call = scriptedCall("plain", true, () => Promise.resolve({}));
  const shared = installConnector([push.task, { ...call, input: push.task.input }]);
  const { id } = (await org.post("/bridges", { name: "Shared schema", connector: shared })).body;
  const order = await org.post("/tasks/execute", { bridgeId: id, taskName: "orders.export" });
  expect([order.status, order.body.errors[0].pointer]).toEqual([400, "/input/orderIds"]);
  const plain = await org.post("/tasks/execute-sync", { bridgeId: id, taskName: "plain" });
  expect([plain.status, plain.body.status]).toEqual([200, "succeeded"]);
});

describe("credentials", () => {
  test("are in no response, event or log line, and not readable in the database", async () => {
    const { body, text } = await create();
    await org.post(`/bridges/${body.id}/test`);
    expect(shown).toEqual({ token: secret });
    await org.post("/tasks/execute-sync", { bridgeId: body.id, taskName: "show" });
    await org.patch(`/bridges/${body.id}`, { credentials: { user: "somebody-secret" } });
    const answers = [
      text,
      (await org.get(`/bridges/${body.id}`)).text,
      (await org.get("/bridges")).text,
      (await org.get("/audit?limit=100")).text,
      (await org.get("/tasks/executions?limit=100")).text,
    ];
    for (const answer of answers) expect(answer).not.toMatch(/s3cret-token|somebody-secret/);
    expect(hub.logs.join("")).not.toMatch(/s3cret-token|somebody-secret/);
    const tables = await hub.world.db.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_schema in ('public', 'queue') and table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables) {
      const [{ found } = { found: 0 }] = await hub.world.db.query<{ found: number }>(
        `select count(*) as found from ${name} t where t::text ~ 's3cret-token|somebody-secret'`,
      );
      expect([name, found]).toEqual([name, 0]);
    }
  });

  test("are changed one by one, removed with null, and deleted with the bridge", async () => {
    const { id } = (await create({ credentials: { token: secret, user: "ann" } })).body;
    const seal = async () =>
      (
        await hub.world.db.query<{ sealed: string | null }>(
          "select sealed_credentials as sealed from bridges where id = $1",
          [id],
        )
      )[0]!.sealed;
    const before = await seal();
    await org.patch(`/bridges/${id}`, { credentials: { token: "another-token" } });
    await org.post(`/bridges/${id}/test`);
    expect(shown).toEqual({ token: "another-token", user: "ann" });
    expect(await seal()).not.toBe(before);
    await org.patch(`/bridges/${id}`, { credentials: { user: null } });
    await org.post(`/bridges/${id}/test`);
    expect(shown).toEqual({ token: "another-token" });
    // The connector needs a token, so it cannot be taken away; a bridge that needs none can lose all.
    expect((await org.patch(`/bridges/${id}`, { credentials: null })).status).toBe(400);
    await org.delete(`/bridges/${id}`);
    expect(await seal()).toBeNull();
  });

  test("encrypted for one bridge cannot be decrypted for another", async () => {
    const [mine, other] = [(await create()).body, (await create({ credentials: { token: "the-other-token" } })).body];
    await tamper(
      "update bridges set sealed_credentials = (select sealed_credentials from bridges where id = $2) where id = $1",
      [other.id, mine.id],
    );
    shown = {};
    const { body } = await org.post("/tasks/execute-sync", { bridgeId: other.id, taskName: "show" });
    expect(body).toMatchObject({ status: "failed", error: { code: "credentials_unreadable", retryable: false } });
    expect(shown).toEqual({});
    // The hub goes on.
    expect((await org.post("/tasks/execute-sync", { bridgeId: mine.id, taskName: "show" })).body.status).toBe(
      "succeeded",
    );
  });

  test("that cannot be decrypted, for example after the loss of the secret key, are reported and can be entered again", async () => {
    const { id } = (await create({ credentials: { token: "an-old-token", user: "ann" } })).body;
    await tamper("update bridges set sealed_credentials = 's1.ffffffff.AAAA' where id = $1", [id]);
    const tested = await org.post(`/bridges/${id}/test`);
    expect(tested.body).toMatchObject({ ok: false, error: { code: "credentials_unreadable" } });
    expect((await org.patch(`/bridges/${id}`, { name: "Renamed", isActive: true })).status).toBe(200);
    // What was not given anew is not there any more.
    const partial = await org.patch(`/bridges/${id}`, { credentials: { user: "bob" } });
    expect(partial.body.errors).toMatchObject([{ pointer: "/credentials/token", code: "required" }]);
    expect((await org.patch(`/bridges/${id}`, { credentials: { token: "a-new-token" } })).status).toBe(200);
    expect((await org.post(`/bridges/${id}/test`)).body.ok).toBe(true);
    expect(shown).toEqual({ token: "a-new-token" });
  });
});

describe("health", () => {
  test("the connection test returns 200 in both cases, with the reason, and is stored", async () => {
    const { id } = (await create()).body;
    const good = await org.post(`/bridges/${id}/test`);
    expect([good.status, good.body]).toMatchObject([
      200,
      { ok: true, result: { ok: true, shop: "Scripted" }, error: null },
    ]);
    expect((await org.get(`/bridges/${id}`)).body.health).toMatchObject({ status: "healthy" });
    problem = new RemoteError("unauthorized", "The shop refuses the token.");
    const bad = await org.post(`/bridges/${id}/test`);
    expect([bad.status, bad.body]).toMatchObject([
      200,
      { ok: false, error: { code: "unauthorized", retryable: false } },
    ]);
    const { health } = (await org.get(`/bridges/${id}`)).body;
    expect(health).toMatchObject({ status: "failing", consecutiveFailures: 1, lastError: { code: "unauthorized" } });
    problem = new RemoteError("rate_limited", "Slow\u0000 down \ud800", { retryable: true });
    const odd = await org.post(`/bridges/${id}/test`);
    expect(odd.body).toMatchObject({ ok: false, error: { code: "rate_limited", message: "Slow down \ufffd" } });
    const task = { bridgeId: id, taskName: "connection.test" };
    expect((await org.post("/tasks/execute-sync", task)).body.error).toMatchObject({
      code: "rate_limited",
      retryable: true,
    });
    problem = new RangeError("an internal detail");
    const defect = await org.post(`/bridges/${id}/test`);
    expect(
      hub.logs.some((line) => line.includes("task threw an unexpected error") && line.includes("an internal detail")),
    ).toBe(true);
    expect(defect.body.error.code).toBe("task_error");
    expect(defect.text).not.toContain("internal detail");
    problem = undefined;
    const { version } = (await org.patch(`/bridges/${id}`, { settings: { color: "blue" } })).body;
    expect((await org.get(`/bridges/${id}`)).body.health).toMatchObject({ consecutiveFailures: 0, lastError: null });
    expect(version).toBe(2);
  });

  test("follows the outcomes of executions, not failures of the hub itself", async () => {
    const { id } = (await create()).body;
    const health = async () => (await org.get(`/bridges/${id}`)).body.health;
    await org.post("/tasks/execute-sync", { bridgeId: id, taskName: "break" });
    await eventually(health, ({ lastError }) => lastError?.code === "shop_closed");
    await org.post("/tasks/execute-sync", { bridgeId: id, taskName: "show" });
    const healthy = await eventually(health, ({ status }) => status === "healthy");
    expect(healthy).toMatchObject({ consecutiveFailures: 0, lastError: null });
  });

  test("is reset by other settings, also for outcomes that are written later", async () => {
    const [changed, other] = [(await create()).body.id, (await create()).body.id];
    const health = async (id: string) => (await org.get(`/bridges/${id}`)).body.health;
    for (const bridgeId of [changed, other]) await org.post("/tasks/execute-sync", { bridgeId, taskName: "break" });
    await org.patch(`/bridges/${changed}`, { settings: { color: "blue" } });
    // Its failure came last, so that of the changed bridge is written by then.
    await eventually(
      async () => await health(other),
      ({ lastError }) => lastError?.code === "shop_closed",
    );
    expect(await health(changed)).toMatchObject({ consecutiveFailures: 0, lastError: null });
  });

  test("counts all consecutive failures, also concurrent ones", async () => {
    const id: string = (await org.post("/bridges", { name: "Quick", connector: "demo", concurrency: 1 })).body.id;
    const health = async () => (await org.get(`/bridges/${id}`)).body.health;
    const run = (taskName: string) => org.post("/tasks/execute-sync", { bridgeId: id, taskName });
    for (let i = 0; i < 5; i++) await run("fail");
    const failing = await eventually(health, ({ consecutiveFailures }) => consecutiveFailures >= 5);
    expect(failing).toMatchObject({ status: "failing", consecutiveFailures: 5, lastSuccessAt: null });
    for (const task of ["fail", "noop", "fail", "fail"]) await run(task);
    const later = await eventually(health, ({ consecutiveFailures }) => consecutiveFailures === 2);
    expect(later.lastSuccessAt).not.toBeNull();
    for (const task of ["noop", "fail", "noop"]) await run(task);
    const isHealthy = ({ status, lastFailureAt }: typeof later): boolean =>
      status === "healthy" && lastFailureAt > later.lastFailureAt;
    await eventually(health, isHealthy);
  });
});

describe("a bridge that cannot be used", () => {
  test("inactive: nothing is executed on it, the test still works", async () => {
    const { id } = (await create()).body;
    const waiting = (await org.post("/tasks/execute", { bridgeId: id, taskName: "show", delaySeconds: 2 })).body;
    await org.patch(`/bridges/${id}`, { isActive: false });
    const refused = await org.post("/tasks/execute", { bridgeId: id, taskName: "show" });
    expect([refused.status, refused.body.code]).toEqual([409, "bridge_inactive"]);
    expect((await org.post(`/bridges/${id}/test`)).body.ok).toBe(true);
    const look = async () => (await org.get(`/tasks/executions/${waiting.id}`)).body;
    expect(await eventually(look, ({ status }) => status === "failed")).toMatchObject({
      error: { code: "bridge_inactive" },
    });
  });

  test("deleted: waiting executions fail with the reason, old ones stay readable, and new ones are rejected", async () => {
    const { id } = (await create()).body;
    const done = (await org.post("/tasks/execute-sync", { bridgeId: id, taskName: "show" })).body;
    const waiting = (await org.post("/tasks/execute", { bridgeId: id, taskName: "show", delaySeconds: 2 })).body;
    await org.delete(`/bridges/${id}?force=true`);
    const look = async () => (await org.get(`/tasks/executions/${waiting.id}`)).body;
    expect(await eventually(look, ({ status }) => status === "failed")).toMatchObject({
      error: { code: "bridge_not_found" },
    });
    expect((await org.get(`/tasks/executions/${done.id}`)).body.status).toBe("succeeded");
    const refused = await org.post("/tasks/execute", { bridgeId: id, taskName: "show" });
    expect([refused.status, refused.body.code]).toEqual([404, "bridge_not_found"]);
    expect((await org.post(`/tasks/executions/${waiting.id}/retry`)).status).toBe(404);
  });

  test("with a connector that is no longer installed: its executions fail, those of other bridges continue", async () => {
    const { id } = (await create()).body;
    const { id: well } = (await create()).body;
    await tamper("update bridges set connector = 'gone' where id = $1", [id]);
    const queue = async (bridgeId: string) =>
      (await org.post("/tasks/execute", { bridgeId, taskName: "show", delaySeconds: 2 })).body.id;
    const good = await queue(well);
    await tamper("update bridges set connector = $2 where id = $1", [id, connector]);
    const bad = await queue(id);
    await tamper("update bridges set connector = 'gone' where id = $1", [id]);
    const look = (execution: string) => async () => (await org.get(`/tasks/executions/${execution}`)).body.status;
    expect(await eventually(look(bad), (status) => status === "failed")).toBe("failed");
    expect(await eventually(look(good), (status) => status === "succeeded")).toBe("succeeded");
    expect((await org.get(`/bridges/${id}/tasks`)).body.code).toBe("invalid_state");
    const actions = (await org.get("/operations/actions")).body.data;
    expect(actions.find(({ type }: { type: string }) => type === "run_task").available).toBe(true);
    await org.delete(`/bridges/${id}`);
  });

  test("in the preview, a bridge to another system is not called, also for executions queued before", async () => {
    let calls = 0;
    const outside = installConnector([scriptedCall("call", true, () => Promise.resolve({ calls: ++calls }))], {
      isOffline: false,
    });
    const preview = await startTestHub({ environment: "preview" });
    const { id } = (await preview.operator.post("/bridges", { name: "Outside", connector: outside })).body;
    const task = { bridgeId: id, taskName: "call" };
    expect((await preview.operator.post("/tasks/execute", task)).body.code).toBe("outbound_disabled_in_preview");
    const { outbound } = preview.world.settings;
    outbound.allowFromPreview = true;
    const waiting = (await preview.operator.post("/tasks/execute", { ...task, delaySeconds: 1 })).body;
    outbound.allowFromPreview = false;
    const look = async () => (await preview.operator.get(`/tasks/executions/${waiting.id}`)).body;
    const ended = await eventually(look, ({ finishedAt }) => finishedAt !== null);
    expect(ended).toMatchObject({ status: "failed", error: { code: "outbound_disabled_in_preview" } });
    expect(calls).toBe(0);
  });
});
