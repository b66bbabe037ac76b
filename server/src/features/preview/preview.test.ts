import { describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { comparisonWork } from "../rate-comparisons/rate-comparisons.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const ports = { live: 8080, preview: 8081 };
const hub = await startTestHub({ environment: "preview", settings: { ports } });
const live = await startTestHub();
const preview = hub.operator;

describe("the preview surface", () => {
  test("has its own keys, and each environment rejects tokens of the other by name", async () => {
    const { body } = await preview.post("/api-keys", { name: "test key" });
    expect(body.key).toMatch(/^ooh_test_/);
    expect((await live.client(body.key).get("/me")).body).toMatchObject({ status: 401, code: "environment_mismatch" });
    const { body: liveKey } = await live.operator.post("/api-keys", { name: "live key" });
    expect((await hub.client(liveKey.key).get("/me")).body).toMatchObject({
      status: 401,
      code: "environment_mismatch",
    });
    expect((await live.client(preview.token).get("/me")).body.code).toBe("environment_mismatch");
    expect((await hub.client(live.operator.token).get("/me")).body.code).toBe("environment_mismatch");
  });

  test("tells its callers the ports of both environments, and a hub without a preview tells none", async () => {
    expect((await preview.get("/me")).body).toMatchObject({ environment: "preview", ports });
    expect((await live.operator.get("/me")).body.ports).toBeUndefined();
  });

  test("has routes that the live surface does not have", async () => {
    expect((await live.operator.get("/preview/clock")).status).toBe(404);
    expect((await live.operator.post("/preview/reset")).status).toBe(404);
  });

  test("has a clock that can jump, stand still, run on and go back to real time, on every node", async () => {
    const other = await hub.secondNode();
    const elsewhere = other.client(preview.token);
    const frozen = await preview.post("/preview/clock", { now: "2027-03-14T09:00:00Z", frozen: true });
    expect(frozen.body).toEqual({ now: "2027-03-14T09:00:00.000Z", mode: "frozen" });
    await expect.poll(async () => (await elsewhere.get("/preview/clock")).body).toEqual(frozen.body);
    const { body: set } = await preview.post("/condition-sets", { name: "In the future" });
    expect(set.createdAt).toBe("2027-03-14T09:00:00.000Z");
    expect((await preview.post("/preview/clock", { advanceSeconds: 3600 })).body.now).toBe("2027-03-14T10:00:00.000Z");
    const running = await preview.post("/preview/clock", { frozen: false });
    expect(running.body.mode).toBe("shifted");
    expect(running.body.now).toMatch(/^2027-03-14T10:00:0/);
    expect((await preview.post("/preview/clock", { reset: true })).body.mode).toBe("real");
  });

  test("rejects a clock setting that is empty, contradictory or out of range", async () => {
    for (const body of [
      {},
      { now: "2027-01-01T00:00:00Z", advanceSeconds: 5 },
      { now: "1960-01-01T00:00:00Z" },
      { now: "soon" },
    ]) {
      expect((await preview.post("/preview/clock", body)).status).toBe(400);
    }
  });

  test("can be reset; users and keys stay", async () => {
    const { body } = await preview.post("/api-keys", { name: "survivor" });
    await preview.post("/condition-sets", { name: "gone soon" });
    const headers = { "idempotency-key": "reset-once" };
    expect((await preview.post("/preview/reset", undefined, { headers })).body).toEqual({ reset: true });
    const sets = (await preview.get("/condition-sets")).body.data.map(({ name }: { name: string }) => name);
    expect(sets).toEqual(["Remote states"]);
    expect((await hub.client(body.key).get("/me")).status).toBe(200);
    const replayed = await preview.post("/preview/reset", undefined, { headers });
    expect(replayed.headers.get("idempotency-replayed")).toBe("true");
    const audit = (await preview.get("/audit?limit=100")).body.data as { type: string }[];
    const events = new Set(audit.map(({ type }) => type).toReversed());
    const seeding = ["preview.reset", "bridge.created", "orders.created", "invoice.imported", "preview.seeded"];
    expect([...events].slice(0, 5)).toEqual(seeding);
    const counts = (await preview.get("/orders/counts?archived=any")).body;
    expect(counts.total).toBe(2_000);
    const overview = (
      await preview.get(`/v1/overview?organization_id=${(await preview.get("/me")).body.organization.id}`)
    ).body;
    for (const figure of ["delivered", "in_transit", "at_risk", "on_time_pct", "avg_transit_days"]) {
      expect(overview.data[figure], figure).toBeGreaterThan(0);
    }
    expect(overview.data.on_time_pct).toBeLessThan(100);
    const shipments = (await preview.get("/shipments/counts")).body;
    const labels = (await preview.get("/shipments/labels?status=purchased")).body.pagination.total;
    expect(shipments.total).toBe(counts.partially_shipped + counts.shipped + counts.delivered + labels);
    const pickups = (await preview.get("/pickups")).body.data.map(({ status }: { status: string }) => status);
    expect(new Set(pickups)).toEqual(new Set(["scheduled", "completed", "missed", "cancelled"]));
    await workOff(hub.world, comparisonWork);
    const [comparison] = (await preview.get("/rate-comparisons")).body.data;
    const { totals, outcomes } = (await preview.get(`/rate-comparisons/${comparison.id}/summary`)).body;
    expect(totals.savingsPct).toBeGreaterThan(2);
    expect(totals.savingsPct).toBeLessThan(15);
    expect(Math.min(outcomes.wins, outcomes.losses)).toBeGreaterThan(50);
  });

  test("can be set and reset only by operators of the hub", async () => {
    const org = await hub.org();
    expect((await org.post("/preview/reset")).status).toBe(403);
    expect((await org.post("/preview/clock", { reset: true })).status).toBe(403);
  });
});
