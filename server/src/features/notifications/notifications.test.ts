import { beforeAll, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { afterFile } from "../../testing/after-file.ts";
import { buildOne } from "../../testing/builders.ts";
import { eventually } from "../../testing/eventually.ts";
import { buildFor } from "../../testing/mail-fixture.ts";
import type { StandInMailServer } from "../../testing/stand-in-mail-server.ts";
import { startMailServer } from "../../testing/stand-in-mail-server.ts";
import type { TestClient } from "../../testing/test-client.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { mailWork } from "../mails/mails.ts";
import { mailDigests, makeNotifications, removeOldNotifications } from "./notifications.ts";
import { notificationKinds } from "./notifications.schemas.ts";

let hub: TestHub;
let org: TestOrg;
let exception: string;
let server: StandInMailServer;
const { mailServerAt, mailsTo } = buildFor(() => server);

beforeAll(async () => {
  server = await startMailServer({ authOptional: true });
  afterFile(() => server.close());
  hub = await startTestHub();
  org = await hub.org();
  exception = await buildOne(org, "exception");
});

type Notification = { id: string; kind: string; title: string; readAt: string | null; subject: object };
const make = async (): Promise<void> => {
  await hub.world.sealer.sealNow();
  await makeNotifications(hub.world);
};
const listOf = async (who: TestClient, query = ""): Promise<Notification[]> => {
  await make();
  return (await who.get(`/notifications${query}`)).body.data;
};
const assign = (assigneeId: string, who: TestClient = org) =>
  who.call("PUT", `/exceptions/${exception}/assignee`, { assigneeId });
/** A cancelled order cannot be shipped. */
async function failedRun(who: TestClient) {
  const order = (await org.post("/orders", { lines: [{ sku: "MUG", quantity: 1 }], status: "ready" })).body;
  await org.post("/operations/run", {
    order_ids: [order.id],
    actions: [{ type: "cancel", params: { reason: "other" } }],
  });
  const actions = [{ type: "mark_shipped", params: { tracking_number: `T-${order.id}` } }];
  const run = (await who.post("/operations/run", { order_ids: [order.id], actions })).body;
  expect(run.summary).toMatchObject({ failed: 1 });
  return run.id as string;
}

describe("users are notified", () => {
  test("of their own failed runs; administrators of those of keys", async () => {
    const [admin, operator] = [await org.withRole("admin"), await org.withRole("operator")];
    const own = await failedRun(operator);
    expect(await listOf(operator)).toMatchObject([
      { kind: "run_failed", title: "Run failed for 1 of 1 orders", subject: { type: "operation_run", id: own } },
    ]);
    expect(await listOf(admin)).toEqual([]);
    const keys = await failedRun(org);
    expect((await listOf(admin)).map(({ subject }) => subject)).toEqual([{ type: "operation_run", id: keys }]);
    expect(await listOf(operator)).toHaveLength(1);
  });

  test("of exceptions that colleagues assign to them, and of mentions", async () => {
    const [one, other] = [await org.withRole("operator"), await org.withRole("operator")];
    await assign(one.userId, one);
    expect(await listOf(one)).toEqual([]);
    await assign(other.userId, one);
    await one.post(`/exceptions/${exception}/comments`, { text: "See?", mentions: [other.userId, one.userId] });
    const { email } = (await one.get("/me")).body.actor;
    expect((await listOf(other)).map(({ kind, title }) => [kind, title])).toEqual(
      expect.arrayContaining([
        ["exception_assigned", `${email} assigned an exception to you`],
        ["mention", `${email} mentioned you in a comment`],
      ]),
    );
    expect(await listOf(one)).toEqual([]);
  });

  test("of connections that fail, once until they have read of it; viewers are not", async () => {
    const tenant = await hub.org();
    const [operator, viewer] = [await tenant.withRole("operator"), await tenant.withRole("viewer")];
    const bridge = (await tenant.post("/bridges", { name: "Web shop", connector: "demo" })).body;
    const fail = async () => {
      const { id } = (await tenant.post("/tasks/execute", { bridgeId: bridge.id, taskName: "fail" })).body;
      await eventually(
        async () => (await tenant.get(`/tasks/executions/${id}`)).body,
        ({ finishedAt }) => finishedAt !== null,
      );
    };
    await fail();
    await fail();
    expect(await listOf(operator)).toMatchObject([
      {
        kind: "connection_failing",
        title: "Connection Web shop is failing",
        subject: { type: "bridge", id: bridge.id },
      },
    ]);
    expect(await listOf(viewer)).toEqual([]);
    await operator.post("/notifications/mark-read");
    await fail();
    expect(await listOf(operator, "?unread=true")).toHaveLength(1);
  });

  test("of automations that the hub pauses, not of those that a colleague pauses", async () => {
    const tenant = await hub.org();
    const admin = await tenant.withRole("admin");
    const id = await buildOne(tenant, "automation");
    await tenant.post(`/automations/${id}/pause`, {});
    expect(await listOf(admin)).toEqual([]);
    await hub.world.db.query(
      `insert into unsealed_events (id, org_id, type, object_type, object_id, actor, request_id, data, occurred_at)
       values (gen_random_uuid(), $1, 'automation.paused', 'automation', $2, $3, 'test', $4, now())`,
      [
        tenant.id,
        id,
        { type: "system", name: "automations" },
        { reason: "limit", message: "100 runs in an hour", version: 9 },
      ],
    );
    expect(await listOf(admin)).toMatchObject([{ kind: "automation_paused", detail: "100 runs in an hour" }]);
  });

  test("once, by several processes at the same time, and not by events of rivals", async () => {
    const [operator, rival] = [await org.withRole("operator"), await hub.org()];
    const stranger = await rival.withRole("admin");
    await failedRun(operator);
    await hub.world.sealer.sealNow();
    await Promise.all([makeNotifications(hub.world), makeNotifications(hub.world), makeNotifications(hub.world)]);
    await hub.world.db.query("update notification_cursors set sequence = 0 where org_id = $1", [org.id]);
    expect(await listOf(operator)).toHaveLength(1);
    expect(await listOf(stranger)).toEqual([]);
    const { data } = (await org.get("/events?types=notification.created&limit=100")).body;
    expect(data.at(-1).data.userIds.length).toBeGreaterThan(0);
  });
});

describe("a user", () => {
  test("counts and reads notifications, one or all", async () => {
    const operator = await org.withRole("operator");
    await failedRun(operator);
    await failedRun(operator);
    const [first] = await listOf(operator);
    expect((await operator.get("/notifications/count")).body).toEqual({ unread: 2 });
    expect((await operator.post("/notifications/mark-read", { ids: [first!.id] })).body).toEqual({ read: 1 });
    expect((await operator.post("/notifications/mark-read", { ids: [first!.id] })).body).toEqual({ read: 0 });
    expect((await operator.get("/notifications?unread=false")).body.data).toMatchObject([{ id: first!.id }]);
    const other = await org.withRole("operator");
    expect((await other.post("/notifications/mark-read")).body).toEqual({ read: 0 });
    expect((await operator.post("/notifications/mark-read")).body).toEqual({ read: 1 });
    expect((await operator.get("/notifications/count")).body).toEqual({ unread: 0 });
    expect((await org.get("/notifications")).body.code).toBe("invalid_state");
  });

  test("chooses what to be told of", async () => {
    const operator = await org.withRole("operator");
    const { kinds, canEmail } = (await operator.get("/notifications/settings")).body;
    expect([canEmail, Object.keys(kinds)]).toEqual([false, [...notificationKinds]]);
    const quiet = { ...kinds, run_failed: { console: false, email: false } };
    expect((await operator.call("PUT", "/notifications/settings", { kinds: quiet })).body.kinds).toEqual(quiet);
    await failedRun(operator);
    expect(await listOf(operator)).toEqual([]);
    const partly = await operator.call("PUT", "/notifications/settings", { kinds: { mention: quiet.mention } });
    expect(partly.status).toBe(400);
  });
});

test("e-mails gather what is new, at most one in ten minutes, without what was read", async () => {
  hub.world.settings.outbound.mailServer = mailServerAt();
  hub.world.settings.publicUrls = ["https://hub.example.com"];
  const [colleague, reader] = [await org.withRole("operator"), await org.withRole("operator")];
  const { email } = (await reader.get("/me")).body.actor;
  const mention = (text: string) =>
    colleague.post(`/exceptions/${exception}/comments`, { text, mentions: [reader.userId] });
  const mail = async () => {
    await make();
    await mailDigests(hub.world);
    await workOff(hub.world, mailWork);
    return mailsTo(email);
  };
  await mention("First");
  await mention("Second");
  const [digest, ...more] = await mail();
  expect(more).toEqual([]);
  expect(digest!.text).toContain("Subject: 2 notifications");
  expect(digest!.text).toContain(`https://hub.example.com/exceptions?open=${exception}`);
  // The comment itself stays in the hub.
  expect(digest!.text).not.toContain("First");
  await mention("Third");
  expect(await mail()).toHaveLength(1);
  hub.advance(11 * 60_000);
  await Promise.all([mailDigests(hub.world), mailDigests(hub.world)]);
  expect(await mail()).toHaveLength(2);
  hub.advance(11 * 60_000);
  await mention("Fourth");
  await make();
  await hub.client(undefined).get("/auth/methods");
  await hub.world.db.query("update notifications set read_at = now(), mail_due = false where user_id = $1", [
    reader.userId,
  ]);
  expect(await mail()).toHaveLength(2);
  delete hub.world.settings.outbound.mailServer;
});

test("old notifications are removed", async () => {
  const operator = await org.withRole("operator");
  await failedRun(operator);
  expect(await listOf(operator)).toHaveLength(1);
  await hub.world.db.query("update notifications set created_at = now() - interval '61 days' where user_id = $1", [
    operator.userId,
  ]);
  await removeOldNotifications(hub.world);
  expect(await listOf(operator)).toEqual([]);
});
