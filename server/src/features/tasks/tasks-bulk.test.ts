import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;
let bridgeId: string;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  bridgeId = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id;
});

const noop = (input: object = {}) => ({ bridgeId, taskName: "noop", input });
const total = async (query = ""): Promise<number> =>
  (await org.get(`/tasks/executions?limit=1${query}`)).body.pagination.total;

describe("queuing many tasks in one call", () => {
  test("queues 1,000, each with its own record, and all of them run", async () => {
    const before = await total("&status=succeeded");
    const { status, body } = await org.post("/tasks/bulk", {
      tasks: Array.from({ length: 1_000 }, (_, n) => noop({ n })),
    });
    expect(status).toBe(202);
    expect(body.summary).toEqual({ total: 1_000, queued: 1_000, failed: 0 });
    expect(body.results.map(({ index }: { index: number }) => index)).toEqual(
      Array.from({ length: 1_000 }, (_, n) => n),
    );
    await eventually(
      () => total("&status=succeeded"),
      (count) => count === before + 1_000,
    );
    const { body: last } = await org.get(`/tasks/executions/${body.results[999].id}`);
    expect(last).toMatchObject({ status: "succeeded", input: { n: 999 }, result: { n: 999 }, trigger: "api" });
  });

  test("an execution that cannot be queued fails alone, with its index", async () => {
    const foreign = (await (await hub.org()).post("/bridges", { name: "Theirs", connector: "demo" })).body.id;
    const before = await total();
    const { status, body } = await org.post("/tasks/bulk", {
      tasks: [
        noop(),
        { ...noop(), taskName: "nop" },
        { ...noop(), bridgeId: foreign },
        { bridgeId, taskName: "sleep", input: { ms: "long" } },
      ],
    });
    expect(status).toBe(202);
    expect(body.summary).toEqual({ total: 4, queued: 1, failed: 3 });
    expect(body.results.slice(1)).toMatchObject([
      { index: 1, status: "failed", error: { errors: [{ pointer: "/tasks/1/taskName", suggestion: "noop" }] } },
      { index: 2, status: "failed", error: { code: "bridge_not_found", errors: [{ pointer: "/tasks/2/bridgeId" }] } },
      { index: 3, status: "failed", error: { errors: [{ pointer: "/tasks/3/input/ms" }] } },
    ]);
    expect(await total()).toBe(before + 1);
  });

  test("an invalid entry rejects the whole call with its pointer; 0 and 1,001 entries are rejected", async () => {
    const before = await total();
    const wrong = await org.post("/tasks/bulk", { tasks: [noop(), { ...noop(), maxAttempts: 99 }] });
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ pointer: "/tasks/1/maxAttempts" }] } });
    expect((await org.post("/tasks/bulk", { tasks: [] })).status).toBe(400);
    expect((await org.post("/tasks/bulk", { tasks: Array.from({ length: 1_001 }, () => noop()) })).status).toBe(400);
    expect(await total()).toBe(before);
  });

  test("the same Idempotency-Key queues once", async () => {
    const before = await total();
    const headers = { headers: { "idempotency-key": "bulk-1" } };
    const [first, second] = [
      await org.post("/tasks/bulk", { tasks: [noop({ a: 1 }), noop({ a: 2 })] }, headers),
      await org.post("/tasks/bulk", { tasks: [noop({ a: 1 }), noop({ a: 2 })] }, headers),
    ];
    expect(second.body).toEqual(first.body);
    expect(await total()).toBe(before + 2);
  });
});
