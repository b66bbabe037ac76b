import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { differencesOf } from "./differences.ts";

const hub = await startTestHub();
const org = await hub.org();
const bridgeId = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id as string;

async function transformation(direction: string, mappings: object[], isActive = false): Promise<string> {
  const about = { name: "Draft", bridgeId, taskName: "noop", direction, mappings, isActive };
  return (await org.post("/transformations", about)).body.id;
}

test("a transformation is run on earlier records, and every difference and failure is reported", async () => {
  const first = await transformation("outbound", [{ source: "total", target: "amount" }], true);
  for (const total of ["1.50", "12,50"]) {
    await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop", input: { total } });
  }
  const same = await org.post(`/transformations/${first}/replay`, {});
  expect(same.body.summary).toEqual({ executions: 2, unchanged: 2, changed: 0, failed: 0, notRecorded: 0 });

  const draft = await transformation("outbound", [{ source: "total", target: "amount", type: "number" }]);
  const { status, body } = await org.post(`/transformations/${draft}/replay`, { limit: 5 });
  expect(status).toBe(200);
  expect(body.summary).toEqual({ executions: 2, unchanged: 0, changed: 1, failed: 1, notRecorded: 0 });
  expect(body.results).toMatchObject([
    { status: "failed", errors: [{ target: "amount", code: "type_mismatch" }], differences: [] },
    { status: "changed", differences: [{ path: "/amount", before: "1.50", after: 1.5 }] },
  ]);
  expect((await org.post(`/transformations/${draft}/replay`, { limit: 1 })).body.summary.executions).toBe(1);
  expect((await org.get("/tasks/executions?limit=1")).body.pagination.total).toBe(2);
});

test("the response of a task is replayed as received, not as it was mapped", async () => {
  const inbound = await transformation("inbound", [{ source: "amount", target: "a" }], true);
  await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop", input: { total: "2" } });
  expect((await org.post(`/transformations/${inbound}/replay`, { limit: 1 })).body.results[0].status).toBe("unchanged");
  const draft = await transformation("inbound", [{ source: "amount", target: "b" }]);
  const { body } = await org.post(`/transformations/${draft}/replay`, { limit: 2 });
  expect(body.results).toMatchObject([
    {
      status: "changed",
      differences: [
        { path: "/a", before: "2" },
        { path: "/b", after: "2" },
      ],
    },
    {
      status: "changed",
      differences: [
        { path: "/amount", before: "12,50" },
        { path: "/b", after: "12,50" },
      ],
    },
  ]);
});

test("a response that could not be mapped can be replayed on a corrected mapping", async () => {
  const strict = [{ source: "amount", target: "a", type: "number", required: true }];
  const [active] = (await org.get("/transformations?direction=inbound&isActive=true")).body.data;
  await org.patch(`/transformations/${active.id}`, { mappings: strict });
  const failed = (await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop", input: { total: "3,5" } })).body;
  expect(failed).toMatchObject({ status: "failed", error: { code: "transformation_failed" } });
  const again = await org.post(`/transformations/${active.id}/replay`, { limit: 1 });
  expect(again.body.results).toMatchObject([{ executionId: failed.id, status: "failed" }]);
  const mended = await transformation("inbound", [{ source: "amount", target: "a" }]);
  const { body } = await org.post(`/transformations/${mended}/replay`, { limit: 1 });
  expect(body.results).toMatchObject([{ status: "changed", differences: [{ path: "", after: { a: "3,5" } }] }]);
});

test("records that are not stored as received are reported, not guessed", async () => {
  const [active] = (await org.get("/transformations?direction=inbound&isActive=true")).body.data;
  await org.patch(`/transformations/${active.id}`, { mappings: [{ source: "amount", target: "a" }] });
  await org.post("/tasks/execute-sync", { bridgeId, taskName: "noop", input: { total: "x".repeat(70_000) } });
  const { body } = await org.post(`/transformations/${active.id}/replay`, { limit: 1 });
  expect(body.results).toMatchObject([
    { status: "not_recorded", reason: expect.stringContaining("earlier transformation") },
  ]);
});

test("a key that may not read executions may not replay them", async () => {
  const id = await transformation("outbound", []);
  const key = await org.post("/api-keys", { name: "tester", scopes: ["transformations:read"] });
  const { status, body } = await hub.client(key.body.key).post(`/transformations/${id}/replay`, {});
  expect([status, body.required]).toEqual([403, ["tasks:read", "pii:read"]]);
});

test("differences are reported at the deepest path", () => {
  expect(differencesOf({ a: { "b/c": [1, 2] }, d: 1 }, { a: { "b/c": [1, 3, 4] }, d: 1, e: null })).toEqual([
    { path: "/a/b~1c/1", before: 2, after: 3 },
    { path: "/a/b~1c/2", after: 4 },
    { path: "/e", after: null },
  ]);
  expect(differencesOf([1], { 0: 1 })).toEqual([{ path: "", before: [1], after: { 0: 1 } }]);
});
