import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import type { Location } from "./locations.schemas.ts";
import { planLocationSync, suggestDuplicates } from "./plan-location-sync.ts";

const hub = await startTestHub();

async function aShop() {
  const org = await hub.org();
  const bridge = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body;
  return { org, bridge, sync: (query = "") => org.post(`/locations/sync/${bridge.id}${query}`) };
}

describe("syncing locations from a bridge", () => {
  test("a dry run says what would happen and changes nothing; the sync then does just that", async () => {
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

  test("what was edited here stays, and the report says so", async () => {
    const { org, sync } = await aShop();
    const made = (await sync()).body.changes;
    const path = `/locations/${made[0].location_id}`;
    const renamed = await org.patch(path, { name: "Our own name" });
    expect(renamed.body.locked_fields).toEqual(["name"]);
    const again = (await sync()).body;
    expect(again.summary).toMatchObject({ updated: 0, unchanged: 3 });
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

  test("an unknown bridge is a 404, an inactive one a 409, and nothing is changed", async () => {
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

  test("what vanished is deactivated, unless it is the default", () => {
    const known = [stored("1"), stored("2", { is_default: true }), stored("3", { is_active: false })];
    const actions = planLocationSync(known, [], new Set()).map(({ change }) => [change.location_id, change.action]);
    expect(actions).toEqual([["1", "deactivated"]]);
  });

  test("a name that is taken here does not stop the sync", () => {
    const plan = planLocationSync([stored("1")], [pulled("1", "Taken"), pulled("9", "taken")], new Set(["Taken"]));
    expect(plan[0]!.change).toMatchObject({ action: "unchanged", kept_local: ["name"] });
    expect(plan[1]!.change).toMatchObject({ action: "created", name: "taken (9)" });
  });

  test("two locations at one address are suggested as duplicates", () => {
    const address = { address1: "1 Port St.", zip: "07114", countryCode: "US" };
    const twins = [
      stored("1", { address }),
      stored("2", { address: { ...address, address1: "1 port st" } }),
      stored("3"),
    ];
    expect(suggestDuplicates(twins)).toMatchObject([{ location_ids: ["1", "2"], because: ["same address"] }]);
  });
});
