import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import type { MountedRoute } from "../../testing/route-samples.ts";
import { allRoutes, exampleBody, pathOf } from "../../testing/route-samples.ts";
import { buildOne, buildOneOfEverything } from "../../testing/builders.ts";

const hub = await startTestHub();
const { db } = hub.world;

describe("the audit log", () => {
  test("records who changed what, when and with which request", async () => {
    const org = await hub.org();
    const { body: set } = await org.post(
      "/condition-sets",
      { name: "Audited" },
      { headers: { "x-request-id": "audit-1" } },
    );
    const { body } = await org.get(`/audit?objectId=${set.id}`);
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({
      type: "condition_set.created",
      objectType: "condition_set",
      objectId: set.id,
      actor: { type: "api_key", name: "everything" },
      requestId: "audit-1",
      data: { name: "Audited" },
    });
    expect((await org.get("/audit?type=condition_set.created")).body.pagination.total).toBe(1);
    expect((await org.get(`/audit?actorId=${body.data[0].actor.id}`)).body.data[0].id).toBe(body.data[0].id);
    expect((await org.get("/audit?from=2100-01-01T00:00:00Z")).body.data).toEqual([]);
  });

  test("can be filtered by object and text; the export has the same entries as the list", async () => {
    const org = await hub.org();
    const other = await hub.org();
    await other.post("/condition-sets", { name: "Remote ZIPs 100% mine" });
    const { body: set } = await org.post("/condition-sets", { name: "Remote ZIPs 100%" });
    await org.post("/locations", { name: "Newark" });
    const found = async (query: string) =>
      (await org.get(`/audit?${query}`)).body.data.map(({ objectId }: { objectId: string }) => objectId);
    expect(await found("objectType=condition_set")).toEqual([set.id]);
    expect(await found("search=remote%20zips%20100%25")).toEqual([set.id]);
    expect(await found(`search=${set.id.slice(0, 13)}`)).toEqual([set.id]);
    expect(await found("search=100_")).toEqual([]);
    expect(await found("search=remote&objectType=location")).toEqual([]);
    const wrong = await org.get("/audit?objectType=condition_sets");
    expect([wrong.status, wrong.body.errors[0]]).toMatchObject([400, { suggestion: "condition_set" }]);
    const { text } = await org.get("/audit/export.csv?search=remote");
    const [header, ...rows] = text.trim().split("\r\n");
    expect(header).toContain("sequence,occurredAt,type");
    expect(rows).toEqual([expect.stringContaining(`condition_set.created,condition_set,${set.id}`)]);
    const all = (await org.get("/audit/export.csv")).text.trim().split("\r\n").slice(1);
    expect(all).toHaveLength((await org.get("/audit?limit=1")).body.pagination.total);
  });

  test("has an entry for every change, and none for rejected requests and reads", async () => {
    const org = await hub.org();
    const made = await buildOneOfEverything(org);
    // Only those of the request: what earlier ones began may still be going on.
    const entriesOf = async (requestId: string | null): Promise<number> => {
      const { data } = (await org.get("/audit?limit=100")).body as { data: { requestId: string }[] };
      return data.filter((entry) => entry.requestId === requestId).length;
    };
    const changing = allRoutes(hub.mounts).filter(
      ({ route: { method, scope } }) => method !== "GET" && scope !== "public" && scope !== "organizations:write",
    );
    const isDelete = ({ route }: MountedRoute): boolean => route.method === "DELETE";
    // Deletes come last, each with records of its own: no other route misses what they take away.
    for (const mounted of changing.toSorted((a, b) => Number(isDelete(a)) - Number(isDelete(b)))) {
      const { route } = mounted;
      const kinds = isDelete(mounted) ? Object.values(route.ids ?? {}) : [];
      for (const kind of kinds) made[kind] = await buildOne(org, kind);
      const answer = await org.call(
        route.method,
        pathOf(mounted, (kind) => made[kind]),
        exampleBody(route),
      );
      const { added, removed, matched, revokedCount, dryRun, preflight_token: token, summary } = answer.body ?? {};
      // The example unassigns an exception that has no assignee.
      const isSame = route.name === "exceptions.assignee.replace";
      const isLook = isSame || route.isReadOnly === true || dryRun === true || token !== undefined;
      const counts = [added, removed, matched, revokedCount, summary?.queued];
      const hasDone = !counts.includes(0);
      // What a carrier refuses was asked of it, and what a packer scans by mistake was scanned; both are on record.
      const isOnRecord = ["label_rejected", "wrong_item", "too_many_items", "item_not_needed"].includes(
        answer.body?.code,
      );
      const isChange = (answer.status < 300 && hasDone && !isLook) || isOnRecord;
      const entries = await entriesOf(answer.headers.get("x-request-id"));
      if (isChange) expect.soft(entries, `${mounted.name} ${answer.status}`).toBeGreaterThan(0);
      else expect.soft(entries, `${mounted.name} ${answer.status}`).toBe(0);
    }
  });

  test("numbers and chains entries without gaps, also with concurrent writers", async () => {
    const org = await hub.org();
    const other = await hub.secondNode();
    const elsewhere = other.client(org.token);
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => (i % 2 ? org : elsewhere).post("/condition-sets", { name: `chain ${i}` })),
    );
    const { data, pagination } = (await org.get("/audit?limit=100")).body;
    expect(data.map((entry: { sequence: number }) => entry.sequence)).toEqual(
      data.map((_: unknown, i: number) => pagination.total - i),
    );
    for (let i = 0; i + 1 < data.length; i++) expect(data[i].previousHash).toBe(data[i + 1].hash);
    expect((await org.get("/audit/verification")).body).toMatchObject({
      ok: true,
      entries: pagination.total,
      firstInvalidEntry: null,
    });
  });

  test("cannot be changed with SQL", async () => {
    for (const table of ["events", "unsealed_events"]) {
      await expect(db.query(`update ${table} set type = 'x'`)).rejects.toThrow("append-only");
      await expect(db.query(`delete from ${table}`)).rejects.toThrow("append-only");
    }
  });

  test("detects tampering that bypasses the triggers", async () => {
    const org = await hub.org();
    for (let i = 0; i < 12; i++) await org.post("/condition-sets", { name: `tamper ${i}` });
    const { entries } = (await org.get("/audit/verification")).body;
    const tamperings = [
      'update events set data = \'{"name":"other"}\' where org_id = $1 and sequence = $2',
      'update events set actor = \'{"type":"system","name":"x"}\' where org_id = $1 and sequence = $2',
      "update events set occurred_at = occurred_at + interval '1 second' where org_id = $1 and sequence = $2",
      "update events set request_id = 'x' where org_id = $1 and sequence = $2",
      "update events set type = type || 'x' where org_id = $1 and sequence = $2",
      "update events set previous_hash = hash where org_id = $1 and sequence = $2",
      "delete from events where org_id = $1 and sequence = $2",
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tamperings), fc.integer({ min: 1, max: entries - 1 }), async (sql, at) => {
        const undone = new Error("undo");
        const outcome = await db
          .transaction(async (tx) => {
            await tx.query("set local session_replication_role = replica");
            await tx.query(sql, [org.id, at]);
            const { verifyAudit } = await import("./audit.ts");
            const ctx = {
              ...hub.world,
              orgId: org.id,
              db: { ...db, query: tx.query },
              sealer: { ...hub.world.sealer, sealNow: async () => {} },
            };
            const found = await verifyAudit(ctx as never);
            throw Object.assign(undone, { found });
          })
          .catch((error: Error & { found?: { ok: boolean; firstInvalidEntry: { sequence: number } } }) => error.found);
        expect(outcome).toMatchObject({ ok: false, firstInvalidEntry: { sequence: at } });
      }),
      { numRuns: 60 },
    );
    expect((await org.get("/audit/verification")).body.ok).toBe(true);
  });

  test("requires the scope to read it", async () => {
    const org = await hub.org();
    const operator = await org.withRole("operator");
    expect((await operator.get("/audit")).body.code).toBe("insufficient_scope");
  });
});
