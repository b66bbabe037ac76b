import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { findLocationIds } from "./locations.ts";

const hub = await startTestHub();

async function aLocation(org: Awaited<ReturnType<typeof hub.org>>, more: object = {}) {
  return (await org.post("/locations", { name: `Location ${randomUUID()}`, ...more })).body;
}

describe("a location", () => {
  test("is created, read, listed, changed and deleted", async () => {
    const org = await hub.org();
    const address = { address1: "1 Port Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };
    const created = await org.post("/locations", { name: "Newark", address, metadata: { doors: 12 } });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: "Newark",
      type: "warehouse",
      address,
      is_default: true,
      is_active: true,
      metadata: { doors: 12 },
      version: 1,
    });
    const path = `/locations/${created.body.id}`;
    expect((await org.get(path)).body).toEqual(created.body);
    expect((await org.get("/locations")).body).toMatchObject({ data: [created.body], pagination: { total: 1 } });
    const changed = await org.patch(path, { type: "store", address: { zip: "07115", provinceCode: null } });
    expect(changed.body).toMatchObject({ name: "Newark", type: "store", version: 2 });
    expect(changed.body.address).toEqual({
      address1: "1 Port Street",
      city: "Newark",
      zip: "07115",
      countryCode: "US",
    });
    expect((await org.delete(path)).body).toEqual({ id: created.body.id, deleted: true });
    expect((await org.get(path)).body.code).toBe("location_not_found");
    expect((await org.delete(path)).status).toBe(404);
    const audit = await org.get(`/audit?objectId=${created.body.id}`);
    expect(audit.body.data.map(({ type }: { type: string }) => type)).toEqual([
      "location.deleted",
      "location.updated",
      "location.created",
    ]);
  });

  test("merges metadata key by key, removes keys with null, and limits metadata to 16 KB", async () => {
    const org = await hub.org();
    const { id } = await aLocation(org, { metadata: { a: 1, b: { c: 2, d: 3 } } });
    const { body } = await org.patch(`/locations/${id}`, { metadata: { a: null, b: { c: null }, e: [1] } });
    expect(body.metadata).toEqual({ b: { d: 3 }, e: [1] });
    const large = { metadata: { text: "x".repeat(16 * 1024) } };
    for (const answer of [
      await org.patch(`/locations/${id}`, large),
      await org.post("/locations", { name: "L", ...large }),
    ]) {
      expect(answer.body.errors).toEqual([expect.objectContaining({ pointer: "/metadata", code: "too_large" })]);
    }
    expect((await org.get(`/locations/${id}`)).body.metadata).toEqual({ b: { d: 3 }, e: [1] });
    expect((await org.patch(`/locations/${id}`, { metadata: null, address: null })).body).toMatchObject({
      metadata: {},
      address: {},
    });
  });

  test("has a unique name and a known type, and rejects an empty or stale patch", async () => {
    const org = await hub.org();
    await org.post("/locations", { name: "Berlin" });
    expect((await org.post("/locations", { name: "BERLIN" })).body.code).toBe("name_taken");
    const { id } = await aLocation(org);
    expect((await org.patch(`/locations/${id}`, { name: "berlin" })).status).toBe(409);
    expect((await org.patch(`/locations/${id}`, {})).body.code).toBe("empty_patch");
    const wrong = await org.post("/locations", { name: "x", type: "warehose" });
    expect(wrong.body.errors[0]).toMatchObject({ pointer: "/type", suggestion: "warehouse" });
    const stale = { headers: { "if-match": 'W/"v7"' } };
    expect((await org.patch(`/locations/${id}`, { name: "y" }, stale)).status).toBe(412);
    expect((await org.delete(`/locations/${id}`, undefined, stale)).status).toBe(412);
    expect((await org.get(`/locations?search=berl&type=warehouse&is_active=true`)).body.pagination.total).toBe(1);
    expect((await org.get(`/locations?type=store`)).body.pagination.total).toBe(0);
  });

  test("cannot be deleted while orders refer to it", async () => {
    const org = await hub.org();
    await aLocation(org);
    const { id } = await aLocation(org);
    const order = await org.post("/orders", { locationId: id, status: "draft" });
    expect(order.status).toBe(201);
    expect((await org.delete(`/locations/${id}`)).body).toMatchObject({ status: 409, code: "location_in_use" });
    await org.delete(`/orders/${order.body.id}`);
    expect((await org.delete(`/locations/${id}`)).status).toBe(200);
  });

  test("that is inactive can be read, but not used", async () => {
    const org = await hub.org();
    await aLocation(org);
    const { id } = await aLocation(org);
    const find = async () => [...(await findLocationIds(hub.world.db, org.id, [id, randomUUID()]))];
    expect(await find()).toEqual([id]);
    expect((await org.patch(`/locations/${id}`, { is_active: false })).body.is_active).toBe(false);
    expect(await find()).toEqual([]);
    expect((await org.post("/orders", { locationId: id })).body.code).toBe("location_not_found");
    const refused = await org.patch(`/locations/${id}`, { is_default: true });
    expect(refused.body.errors[0]).toMatchObject({ pointer: "/is_default", code: "inactive" });
  });
});

describe("the default location", () => {
  async function defaults(org: Awaited<ReturnType<typeof hub.org>>): Promise<string[]> {
    const { body } = await org.get("/locations?limit=100");
    return body.data.filter((l: { is_default: boolean }) => l.is_default).map((l: { id: string }) => l.id);
  }

  test("is the first one created, and changes to the one that sets the flag", async () => {
    const org = await hub.org();
    const first = await aLocation(org, { is_default: false });
    expect(first.is_default).toBe(true);
    const second = await aLocation(org);
    expect(second.is_default).toBe(false);
    const third = await aLocation(org, { is_default: true });
    expect(await defaults(org)).toEqual([third.id]);
    expect((await org.patch(`/locations/${second.id}`, { is_default: true })).body.is_default).toBe(true);
    expect(await defaults(org)).toEqual([second.id]);
    expect((await org.get(`/locations/${third.id}`)).body.version).toBe(2);
  });

  test("cannot be unset, deactivated or deleted while there are others", async () => {
    const org = await hub.org();
    const first = await aLocation(org);
    const second = await aLocation(org);
    for (const answer of [
      await org.patch(`/locations/${first.id}`, { is_default: false }),
      await org.patch(`/locations/${first.id}`, { is_active: false }),
      await org.delete(`/locations/${first.id}`),
    ]) {
      expect(answer.body).toMatchObject({ status: 409, code: "default_location_required" });
    }
    expect(await defaults(org)).toEqual([first.id]);
    expect((await org.delete(`/locations/${second.id}`)).status).toBe(200);
    expect((await org.delete(`/locations/${first.id}`)).status).toBe(200);
    expect((await aLocation(org)).is_default).toBe(true);
  });

  test("is exactly one, also with concurrent requests", async () => {
    const org = await hub.org();
    const created = await Promise.all(Array.from({ length: 8 }, () => aLocation(org, { is_default: true })));
    await Promise.all(created.map(({ id }) => org.patch(`/locations/${id}`, { is_default: true })));
    expect(await defaults(org)).toHaveLength(1);
  });
});
