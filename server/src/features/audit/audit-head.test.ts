import { verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { systemContext } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { chainColumns, chainHash, firstHash } from "../../events/chain.ts";
import type { ChainRow } from "../../events/chain.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { checkSavedHead } from "./audit.ts";

const hub = await startTestHub();
const { db } = hub.world;

async function orgWithLog(): Promise<TestOrg> {
  const org = await hub.org();
  for (let i = 0; i < 5; i++) await org.post("/condition-sets", { name: `set ${i}` });
  await org.get("/audit");
  return org;
}

/** As an attacker with full access to the database would. */
async function tamper(work: (tx: Tx) => Promise<unknown>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    await work(tx);
  });
}

const verification = async (org: TestOrg) => (await org.get("/audit/verification")).body;

describe("security 13: the end of an audit log", () => {
  test("is signed, so that a stored copy can be checked without the hub", async () => {
    const org = await orgWithLog();
    const { status, body } = await org.get("/audit/head");
    expect(status).toBe(200);
    const { head } = await verification(org);
    expect(body).toMatchObject({ organizationId: org.id, environment: "live", algorithm: "Ed25519", ...head });
    const signature = Buffer.from(body.signature, "base64");
    expect(verify(null, Buffer.from(body.signedText), body.publicKey, signature)).toBe(true);
    expect(body.signedText.split("\n")).toEqual([
      "order-operations-hub audit head",
      "live",
      org.id,
      String(body.sequence),
      body.hash,
      body.signedAt,
    ]);
    const ctx = systemContext(hub.world, org.id, "test");
    await org.post("/condition-sets", { name: "later" });
    await org.get("/audit");
    expect(await checkSavedHead(ctx, body)).toBeUndefined();
    expect(await checkSavedHead(ctx, { ...body, sequence: 2 })).toMatch(/changed/);
    expect(await checkSavedHead(ctx, { ...body, keyId: "00000000" })).toMatch(/does not have/);
    const other = systemContext(hub.world, (await orgWithLog()).id, "test");
    expect(await checkSavedHead(other, body)).toMatch(/signed by another hub/);
  });

  test("TRUNCATE is rejected like every other change", async () => {
    for (const table of ["events", "unsealed_events", "events, unsealed_events cascade"]) {
      await expect(db.query(`truncate ${table}`)).rejects.toThrow("append-only");
    }
  });

  test("an emptied log is reported as broken, with or without its stored head", async () => {
    for (const alsoHead of [false, true]) {
      const org = await orgWithLog();
      await tamper(async (tx) => {
        await tx.query("delete from events where org_id = $1", [org.id]);
        if (alsoHead) await tx.query("delete from audit_heads where org_id = $1", [org.id]);
      });
      const reason = alsoHead ? "the log is empty" : expect.stringMatching(/^the stored head is entry \d+$/);
      expect(await verification(org)).toMatchObject({
        ok: false,
        entries: 0,
        firstInvalidEntry: { sequence: 1, reason },
      });
      if (alsoHead) expect((await org.get("/audit/head")).status).toBe(409);
    }
  });

  test("a truncated log is reported as broken, also after further entries", async () => {
    const org = await orgWithLog();
    const saved = (await org.get("/audit/head")).body;
    const { entries } = await verification(org);
    await tamper((tx) => tx.query("delete from events where org_id = $1 and sequence > $2", [org.id, entries - 2]));
    const broken = { ok: false, firstInvalidEntry: { sequence: entries - 1 } };
    expect(await verification(org)).toMatchObject(broken);
    await org.post("/condition-sets", { name: "afterwards" });
    expect(await verification(org)).toMatchObject({ ...broken, firstInvalidEntry: { reason: "an entry is missing" } });
    expect(await checkSavedHead(systemContext(hub.world, org.id, "test"), saved)).toMatch(/no longer has entry/);
  });

  test("a recomputed chain has another head, which cannot be signed without the key", async () => {
    const org = await orgWithLog();
    const saved = (await org.get("/audit/head")).body;
    const rewrite = async (tx: Tx): Promise<Buffer> => {
      await tx.query("update events set request_id = 'other' where org_id = $1 and sequence = 2", [org.id]);
      const rows = await tx.query<ChainRow>(`select ${chainColumns} from events where org_id = $1 order by sequence`, [
        org.id,
      ]);
      let hash: Buffer = firstHash;
      for (const [index, row] of rows.entries()) {
        const previous = hash;
        hash = chainHash(previous, index + 1, row);
        const seal = [org.id, index + 1, previous, hash];
        await tx.query("update events set previous_hash = $3, hash = $4 where org_id = $1 and sequence = $2", seal);
      }
      return hash;
    };
    await tamper(rewrite);
    expect(await verification(org)).toMatchObject({
      ok: false,
      firstInvalidEntry: { reason: "the stored head has another hash" },
    });
    await tamper(async (tx) =>
      tx.query("update audit_heads set hash = $2 where org_id = $1", [org.id, await rewrite(tx)]),
    );
    expect(await verification(org)).toMatchObject({
      ok: false,
      firstInvalidEntry: { reason: "the stored head was not signed by this hub" },
    });
    expect(await checkSavedHead(systemContext(hub.world, org.id, "test"), saved)).toMatch(/another hash/);
  });
});
