import type { TObject } from "typebox";
import { expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { eventually } from "../../testing/eventually.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { routesOf } from "../../http/routes.ts";
import type { Route } from "../../route.ts";
import { automationWork } from "../automations/automations.ts";
import { auditWork } from "../invoices/invoices.ts";
import { makeNotifications } from "../notifications/notifications.ts";
import { runWork } from "../operations/operations.ts";
import { comparisonWork } from "../rate-comparisons/rate-comparisons.ts";
import { startDeliveries } from "../webhooks/webhooks.ts";

const hub = await startTestHub({ environment: "preview" });
const preview = hub.operator;

/**
 * Only people make these: a key or a user that was not asked for would be a way in, and where there is no chart zones come
 * from the distance. Comments are written by people. Orders wait for an automation only after an event, and are packed by people.
 */
const madeByPeople = [
  "apiKeys.list",
  "carrierAccounts.zoneChart.list",
  "automations.waiting.list",
  "packing.sessions.list",
  "exceptions.comments.list",
  "invitations.list",
];

/** Where the first entry of a list is one that has none of its own, another one is asked. */
const better: Record<string, (row: Record<string, unknown>) => boolean> = {
  "carrierAccounts.list": ({ carrier }) => carrier === "rate-card",
};

test("every list route of the preview has records after it was filled", async () => {
  expect((await preview.post("/preview/reset")).body).toEqual({ reset: true });
  await hub.world.sealer.sealNow();
  while ((await workOff(hub.world, automationWork)) + (await workOff(hub.world, runWork)) > 0) {
    await hub.world.sealer.sealNow();
  }
  await workOff(hub.world, comparisonWork);
  await workOff(hub.world, auditWork);
  await makeNotifications(hub.world);
  const deliveries = startDeliveries(hub.world, { slots: 4 });
  type Webhooks = { body: { data: { health: { lastSuccessAt: string | null; lastFailureAt: string | null } }[] } };
  const wereTried = ({ body }: Webhooks): boolean =>
    body.data.some(({ health }) => health.lastSuccessAt) && body.data.some(({ health }) => health.lastFailureAt);
  await eventually(() => preview.get("/webhooks"), wereTried);
  await deliveries.stop();
  const ended = ({ body }: { body: { data: { finishedAt: string | null }[] } }) =>
    body.data.every(({ finishedAt }) => finishedAt !== null);
  await eventually(() => preview.get("/tasks/executions"), ended);

  const isPaged = ({ answer: [, schema] }: Route): boolean => "pagination" in ((schema as TObject).properties ?? {});
  const lists = routesOf("preview").filter((route) => route.method === "GET" && isPaged(route));
  expect(lists.length).toBeGreaterThan(20);
  const isEmpty: string[] = [];
  for (const { name, path } of lists) {
    const [parent, child] = path.split("/:id");
    let found: { body: { data?: Record<string, unknown>[] } };
    if (child === undefined) found = await preview.get(path);
    else {
      const of = lists.find((route) => route.path === parent)!;
      const rows = (await preview.get(`${parent}?limit=100`)).body.data as { id: string }[];
      const row = rows.find((one) => better[of.name]?.(one) ?? true) ?? rows[0];
      found = row ? await preview.get(`${parent}/${row.id}${child}`) : { body: { data: [] } };
    }
    if ((found.body.data ?? []).length === 0) isEmpty.push(name);
  }
  expect(isEmpty.filter((name) => !madeByPeople.includes(name))).toEqual([]);
});

test("the demo data has runs with every outcome, executions of every kind, and automations with invocations", async () => {
  const runs = (await preview.get("/operations/runs")).body.data as { status: string; undo_of: string | null }[];
  expect(runs.map(({ status }) => status)).toEqual(expect.arrayContaining(["succeeded", "partially_failed"]));
  expect(runs.some(({ undo_of }) => undo_of !== null)).toBe(true);
  const executions = (await preview.get("/tasks/executions")).body.data as { status: string }[];
  expect(new Set(executions.map(({ status }) => status))).toEqual(
    new Set(["succeeded", "completed_with_errors", "failed"]),
  );
  const automations = (await preview.get("/automations")).body.data as {
    mode: string;
    counters: object;
    blocked_reason: null;
  }[];
  const running = automations.find(({ mode }) => mode === "run")!;
  const watching = automations.find(({ mode }) => mode === "preflight")!;
  expect(running).toMatchObject({ counters: { runs: 1, matched: 40 }, blocked_reason: null });
  expect(watching).toMatchObject({ counters: { runs: 0 }, blocked_reason: null });
  expect((watching.counters as { preflights: number }).preflights).toBeGreaterThan(0);
});

type DemoOrder = {
  number: string;
  createdAt: string;
  updatedAt: string;
  holds: { placedAt: string }[];
  shipments: { shippedAt: string }[];
};

async function allOf<T>(path: string): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1; ; page++) {
    const { data, pagination } = (await preview.get(`${path}${path.includes("?") ? "&" : "?"}limit=100&page=${page}`))
      .body;
    rows.push(...data);
    if (!pagination.hasMore) return rows;
  }
}

test("no time in the demo data is in the future or before the creation of its record", async () => {
  const now = Date.now();
  const orders = await allOf<DemoOrder>("/orders?archived=any");
  expect(orders).toHaveLength(2_000);
  const late = orders.filter(({ createdAt, updatedAt, holds, shipments }) => {
    const moments = [createdAt, ...holds.map(({ placedAt }) => placedAt), ...shipments.map((one) => one.shippedAt)];
    return moments.some((at) => Date.parse(at) > now) || updatedAt < createdAt;
  });
  expect(late).toEqual([]);
  const byNumber = orders.toSorted((a, b) => (a.number < b.number ? -1 : 1));
  expect(byNumber.map(({ createdAt }) => createdAt)).toEqual(orders.map(({ createdAt }) => createdAt).toSorted());
  const shipments = await allOf<{ id: string; lastEventAt: string | null; deliveredAt: string | null }>("/shipments");
  expect(
    shipments.filter(({ lastEventAt, deliveredAt }) =>
      [lastEventAt, deliveredAt].some((at) => at && Date.parse(at) > now),
    ),
  ).toEqual([]);
});

test("the saved view of the demo filters, and most deliveries are on time", async () => {
  const [view] = (await preview.get("/views?list=orders")).body.data;
  const { status, tag } = view.settings.filter;
  const { total } = (await preview.get(`/orders?limit=1&status=${status}&tag=${tag}`)).body.pagination;
  expect(total).toBeGreaterThan(5);
  expect(total).toBeLessThan(500);
  const { on_time_pct } = (await preview.get("/v1/overview")).body.data;
  expect(on_time_pct).toBeGreaterThan(80);
  expect(on_time_pct).toBeLessThan(99);
});
