import { describe, expect, test } from "vitest";
import type { Page } from "../../connectors/connector.ts";
import { pullTask } from "../../connectors/standard-tasks.ts";
import { Type } from "../../core/type.ts";
import { installConnector } from "../../testing/scripted-connector.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import type { Location } from "./locations.schemas.ts";
import { lockLocations } from "./locations.store.ts";
import { planLocationSync, suggestDuplicates } from "./plan-location-sync.ts";
import { lockWaits } from "../../testing/lock-waits.ts";

const hub = await startTestHub();

async function aShop() {
  const org = await hub.org();
  const bridge = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body;
  return { org, bridge, sync: (query = "") => org.post(`/locations/sync/${bridge.id}${query}`) };
}

describe("syncing locations from a bridge", () => {
  test("a dry run reports the changes without making them; the sync makes exactly these", async () => {
    const { org, bridge, sync } = await aShop();
    const dry = await sync("?dry_run=true");
    expect(dry.status).toBe(200);
    expect(dry.body).toMatchObject({ bridge_id: bridge.id, dry_run: true, summary: { fetched: 3, created: 3 } });
    expect((await org.get("/locations")).body.pagination.total).toBe(0);
    const real = await sync();
    expect(real.body.summary).toEqual(dry.body.summary);
    const { data } = (await org.get(`/locations?bridge_id=${bridge.id}`)).body;
    expect(data.length).toBe(3);
    expect(data.filter((location: Location) => location.is_default).length).toBe(1);
    expect((await sync()).body.summary).toMatchObject({ created: 0, updated: 0, unchanged: 3, deactivated: 0 });
  });

  test("edited fields stay, and the report names them", async () => {
    const { org, sync } = await aShop();
    const made = (await sync()).body.changes;
    const path = `/locations/${made[0].location_id}`;
    const renamed = await org.patch(path, { name: "Our own name" });
    expect(renamed.body.locked_fields).toEqual(["name"]);
    const again = (await sync()).body;
    expect(again.summary).toMatchObject({ updated: 0, unchanged: 3 });
    expect(again.changes).toMatchObject([{ action: "unchanged", name: "Our own name", kept_local: ["name"] }]);
    expect((await org.get(path)).body.name).toBe("Our own name");
    await org.patch(path, { locked_fields: [] });
    expect((await sync()).body.changes).toMatchObject([{ action: "updated", changes: [{ path: "/name" }] }]);
  });

  test("the task locations.pull does the same in the background", async () => {
    const { org, bridge } = await aShop();
    const run = await org.post("/tasks/execute-sync", { bridgeId: bridge.id, taskName: "locations.pull" });
    expect(run.body).toMatchObject({ status: "succeeded", result: { summary: { created: 3 } } });
    expect((await org.get("/locations")).body.pagination.total).toBe(3);
  });

  test("a location that cannot be mapped does not count as deleted, and the report has the reason", async () => {
    const { org, bridge, sync } = await aShop();
    await sync();
    const transformation = {
      name: "Stores are not understood",
      bridgeId: bridge.id,
      taskName: "locations.pull",
      direction: "inbound",
      mappings: [
        { source: "name", target: "name" },
        { source: "kind", target: "type", transforms: [{ lookup: { map: { warehouse: "warehouse" } } }] },
        { source: "address", target: "address" },
      ],
    };
    await org.post("/transformations", transformation);
    const message = expect.stringMatching(/type: .*"store"/);
    const expected = {
      summary: { fetched: 3, unchanged: 2, deactivated: 0, failed: 1 },
      errors: [{ external_id: "demo-store", code: "transformation_failed", message }],
    };
    expect((await sync()).body).toMatchObject(expected);
    const run = await org.post("/tasks/execute-sync", { bridgeId: bridge.id, taskName: "locations.pull" });
    expect(run.body).toMatchObject({ status: "completed_with_errors", result: expected });
    expect((await org.get("/locations?is_active=true")).body.pagination.total).toBe(3);
  });

  test("while all are inactive none is the default; the first active one becomes the default", async () => {
    for (const next of ["create", "activate", "sync"]) {
      const { org, bridge, sync } = await aShop();
      const inactive = {
        name: "All closed",
        bridgeId: bridge.id,
        taskName: "locations.pull",
        direction: "inbound",
        mappings: [
          { source: "name", target: "name" },
          { value: false, target: "is_active" },
        ],
      };
      const { id } = (await org.post("/transformations", inactive)).body;
      const made = (await sync()).body.changes;
      const defaults = async (): Promise<Location[]> =>
        (await org.get("/locations")).body.data.filter((location: Location) => location.is_default);
      expect(await defaults()).toEqual([]);
      if (next === "create") await org.post("/locations", { name: "Ours", is_default: false });
      if (next === "activate") await org.patch(`/locations/${made[1].location_id}`, { is_active: true });
      if (next === "sync") {
        await org.delete(`/transformations/${id}`);
        await sync();
      }
      expect(await defaults(), next).toMatchObject([{ is_active: true }]);
    }
  });

  test("a bridge whose credentials cannot be decrypted gets a clear error", async () => {
    const { bridge, sync } = await aShop();
    await hub.world.db.query("update bridges set sealed_credentials = 's1.ffffffff.AAAA' where id = $1", [bridge.id]);
    expect((await sync()).body).toMatchObject({ status: 502, code: "bridge_failed", cause: "credentials_unreadable" });
  });

  test("more than ten thousand are rejected", async () => {
    const pages = async function* (): AsyncGenerator<Page> {
      for (let n = 0; ; n += 4_000) {
        const records = Array.from({ length: 4_000 }, (_, i) => ({
          externalId: String(n + i),
          raw: {},
          canonical: { name: `Shelf ${n + i}` },
        }));
        yield { records, cursor: { n } };
      }
    };
    const parts = { description: "Endless", input: Type.Object({}), isIncremental: false, pull: pages };
    const connector = installConnector([pullTask("locations.pull", parts)]);
    const org = await hub.org();
    const { id: bridgeId } = (await org.post("/bridges", { name: "Endless", connector })).body;
    expect((await org.post(`/locations/sync/${bridgeId}`)).body.code).toBe("bridge_failed");
    const run = await org.post("/tasks/execute-sync", { bridgeId, taskName: "locations.pull", timeoutSeconds: 20 });
    expect(run.body).toMatchObject({ status: "failed", error: { code: "too_many_records" } });
    expect((await org.get("/locations")).body.pagination.total).toBe(0);
  });

  test("a cancelled pull writes nothing", async () => {
    const { org, bridge } = await aShop();
    const lock = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const holding = hub.world.db.transaction(async (tx) => {
      await lockLocations(tx, org.id);
      held.resolve();
      await lock.promise;
    });
    await held.promise;
    const { id } = (await org.post("/tasks/execute", { bridgeId: bridge.id, taskName: "locations.pull" })).body;
    await lockWaits(hub.world.db, { lock: "advisory" });
    expect((await org.post(`/tasks/executions/${id}/cancel`)).body.status).toBe("cancelled");
    lock.resolve();
    await holding;
    // A request that starts now comes after it.
    await org.post("/locations", { name: "Ours" });
    expect((await org.get("/locations")).body.data.map(({ name }: Location) => name)).toEqual(["Ours"]);
  });

  test("if the bridge is deleted during the sync, no locations are stored", async () => {
    const { org, bridge, sync } = await aShop();
    const lock = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const deleting = hub.world.db.transaction(async (tx) => {
      await tx.query("update bridges set deleted_at = now(), is_active = false where id = $1", [bridge.id]);
      held.resolve();
      await lock.promise;
    });
    await held.promise;
    const synced = sync();
    await lockWaits(hub.world.db, { lock: "transactionid" });
    lock.resolve();
    await deleting;
    expect((await synced).body.code).toBe("bridge_not_found");
    expect((await org.get("/locations")).body.pagination.total).toBe(0);
  });

  test("an unknown bridge gets 404, an inactive one 409, and nothing is changed", async () => {
    const { org, bridge, sync } = await aShop();
    await org.patch(`/bridges/${bridge.id}`, { isActive: false });
    expect((await sync()).body.code).toBe("bridge_inactive");
    const stranger = await hub.org();
    expect((await stranger.post(`/locations/sync/${bridge.id}`)).body.code).toBe("bridge_not_found");
    expect((await org.get("/locations")).body.pagination.total).toBe(0);
  });
});

describe("the plan of a sync", () => {
  const stored = (id: string, more: Partial<Location> = {}): Location => ({
    id,
    name: `Location ${id}`,
    type: "warehouse",
    address: {},
    is_default: false,
    is_active: true,
    cutoff_time: null,
    timezone: null,
    metadata: {},
    bridge_id: "b",
    external_id: id,
    locked_fields: [],
    last_synced_at: null,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    version: 1,
    ...more,
  });
  const pulled = (externalId: string, name: string) => ({
    externalId,
    name,
    type: "warehouse" as const,
    address: {},
    isActive: true,
  });

  test("missing locations are deactivated; the report says if the default had to stay active", () => {
    const known = [stored("1"), stored("2", { is_default: true }), stored("3", { is_active: false })];
    const changes = planLocationSync(known, [], new Set()).map(({ change }) => change);
    expect(changes).toMatchObject([
      { location_id: "1", action: "deactivated", kept_local: [] },
      { location_id: "2", action: "unchanged", kept_local: ["is_active"] },
    ]);
    const closed = { ...pulled("2", "2"), isActive: false };
    const [told] = planLocationSync([stored("2", { name: "2", is_default: true })], [closed], new Set());
    expect(told).toMatchObject({
      change: { action: "unchanged", kept_local: ["is_active"] },
      location: { is_active: true },
    });
    const [kept] = planLocationSync([stored("4", { locked_fields: ["is_active"] })], [], new Set());
    expect(kept!.change).toMatchObject({ action: "unchanged", changes: [], kept_local: ["is_active"] });
    expect(kept!.location.is_active).toBe(true);
  });

  test("a duplicate name does not stop the sync", () => {
    const plan = planLocationSync([stored("1")], [pulled("1", "Taken"), pulled("9", "taken")], new Set(["Taken"]));
    expect(plan[0]!.change).toMatchObject({ action: "unchanged", kept_local: ["name"] });
    expect(plan[1]!.change).toMatchObject({ action: "created", name: "taken (9)" });
    const twins = [pulled(`1${"x".repeat(60)}`, "Taken"), pulled(`2${"x".repeat(60)}`, "Taken"), pulled("9", "Taken")];
    const names = planLocationSync([], twins, new Set(["Taken", "Taken (9)"])).map(({ change }) => change.name);
    expect(new Set([...names, "Taken", "Taken (9)"]).size).toBe(5);
    expect(names.every((name) => name.length <= 100)).toBe(true);
  });

  test("two locations at one address are suggested as duplicates", () => {
    const address = { address1: "1 Port St.", zip: "07114", countryCode: "US" };
    const twins = [
      stored("1", { address }),
      stored("2", { address: { ...address, address1: "1 port st" } }),
      stored("3"),
    ];
    expect(suggestDuplicates(twins)).toMatchObject([{ location_ids: ["1", "2"], reasons: ["same address"] }]);
  });
});
