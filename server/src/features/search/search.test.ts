import { describe, expect, test } from "vitest";
import { buildOneOfEverything } from "../../testing/builders.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { kinds } from "./search.schemas.ts";

const hub = await startTestHub({ taskSlots: 0 });
const org = await hub.org();
type Hit = { kind: string; id: string; title: string; detail: string | null };
const find = async (q: string, client: { get: typeof org.get } = org): Promise<Hit[]> =>
  (await client.get(`/search?q=${encodeURIComponent(q)}`)).body.data;

describe("a search", () => {
  test("finds a record of every kind by its ID, except those of other organizations", async () => {
    const made = await buildOneOfEverything(org);
    const stranger = await hub.org();
    for (const kind of kinds) {
      expect(await find(made[kind]), kind).toMatchObject([{ kind, id: made[kind] }]);
      expect(await find(made[kind], stranger), kind).toEqual([]);
    }
  });

  test("finds an order by its number before others with the same beginning, and an archived one only by its full number", async () => {
    const numbers = ["FIND-10", "FIND-100", "FIND-101", "FIND-102", "FIND-103", "FIND-104", "FIND-105"];
    for (const number of numbers) await org.post("/orders", { number });
    const hits = await find("FIND-10");
    expect(hits).toHaveLength(5);
    expect(hits[0]).toMatchObject({ kind: "order", title: "FIND-10", detail: "new" });
    const { id } = (await find("FIND-105"))[0]!;
    await org.post("/operations/run", {
      order_ids: [id],
      actions: [{ type: "cancel", params: { reason: "other" } }, { type: "archive" }],
    });
    expect((await org.get(`/orders/${id}`)).body.archived).toBe(true);
    expect((await find("FIND-105")).map((hit) => hit.id)).toEqual([id]);
  });

  test("finds parcels by tracking number in any notation, and other records by a part of their name", async () => {
    const shipment = await org.post("/shipments", { trackingNumber: "1Z999AA10123456784" });
    expect(await find("1z 999 aa1 01 2345 6784")).toContainEqual(
      expect.objectContaining({ kind: "shipment", id: shipment.body.id }),
    );
    expect((await find("1Z999AA"))[0]).toMatchObject({ kind: "shipment", title: "1Z999AA10123456784" });
    const location = await org.post("/locations", { name: "50%_off\\outlet Reno" });
    expect(await find("%_off\\")).toMatchObject([{ kind: "location", id: location.body.id }]);
    expect(await find("%")).toMatchObject([{ kind: "location" }]);
  });

  test("finds only what the caller may read: users only for administrators, recipients only with pii:read", async () => {
    const { body: order } = await org.post("/orders", { customer: { name: "Zebulon Quartermain" } });
    expect(await find("Quartermain")).toMatchObject([{ kind: "order", id: order.id }]);
    const reader = await org.withScopes(["orders:read", "locations:read"]);
    expect(await find("Quartermain", reader)).toEqual([]);
    expect(await find(order.number, reader)).toMatchObject([{ id: order.id }]);
    const viewer = await org.withRole("viewer");
    expect(await find(viewer.userId, viewer)).toEqual([]);
    const withoutScopes = await org.withScopes(["events:read"]);
    expect(await find(order.number, withoutScopes)).toEqual([]);
  });

  test("does not find private pipelines of others", async () => {
    const [ann, bob] = [await org.withRole("operator"), await org.withRole("operator")];
    const actions = [{ type: "add_tags", params: { tags: ["x"] } }];
    await ann.post("/operations/pipelines", { name: "Anns secret preset", is_shared: false, actions });
    expect(await find("secret preset", ann)).toMatchObject([{ kind: "pipeline" }]);
    expect(await find("secret preset", bob)).toEqual([]);
  });

  test("accepts any text", async () => {
    for (const q of ["   ", "'", "!!!", "&|", "\\", "a".repeat(200), "🧦", "<script>", "null", ":*"]) {
      expect((await org.get(`/search?q=${encodeURIComponent(q)}`)).status, q).toBe(200);
    }
    expect((await org.get("/search?q=")).status).toBe(400);
    expect((await org.get("/search")).status).toBe(400);
  });
});
