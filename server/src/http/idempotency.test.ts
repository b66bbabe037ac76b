import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { secretKey, startTestHub } from "../testing/test-hub.ts";
import { lockWaits } from "../testing/lock-waits.ts";

const hub = await startTestHub();
const org = await hub.org();
const withKey = (key: string) => ({ headers: { "idempotency-key": key } });
const countSets = async (name: string): Promise<number> =>
  (await org.get(`/condition-sets?search=${name}`)).body.pagination.total;

describe("Idempotency-Key", () => {
  test("a repeated request returns the same bytes and changes nothing", async () => {
    const key = randomUUID();
    const first = await org.post("/condition-sets", { name: "only-once" }, withKey(key));
    const again = await org.post("/condition-sets", { name: "only-once" }, withKey(key));
    expect(first.status).toBe(201);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    for (const { headers } of [first, again])
      expect((await org.get(`!${headers.get("location")}`)).body).toEqual(first.body);
    expect(await countSets("only-once")).toBe(1);
  });

  test("security 12: the stored fingerprint of a body cannot be computed without the secret key", async () => {
    const own = await startTestHub();
    const rotated = await own.secondNode({ secretKeys: ["another-secret-key-another-secret-key-42", secretKey] });
    const caller = await own.org();
    const token = (await caller.post("/api-keys", { name: "both", scopes: ["admin"] })).body.key as string;
    const body = { email: `${randomUUID()}@org.example`, role: "viewer", password: "a long passphrase" };
    const fingerprintBy = async (url: typeof own, status: number): Promise<string> => {
      const key = randomUUID();
      expect((await url.client(token).post("/users", body, withKey(key))).status).toBe(status);
      const [row] = await own.world.db.query<{ fingerprint: Buffer }>(
        "select fingerprint from idempotency_keys where key = $1",
        [key],
      );
      return row!.fingerprint.toString("hex");
    };
    // The same request of the same caller, so that nothing but the secret keys of the two hubs differs.
    const [one, again, other] = [
      await fingerprintBy(own, 201),
      await fingerprintBy(own, 409),
      await fingerprintBy(rotated, 409),
    ];
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  test("the same key with another body or path gets 422", async () => {
    const key = randomUUID();
    await org.post("/condition-sets", { name: "first-body" }, withKey(key));
    expect((await org.post("/condition-sets", { name: "other-body" }, withKey(key))).body).toMatchObject({
      status: 422,
      code: "idempotency_key_reused",
    });
    expect((await org.post("/api-keys", { name: "first-body" }, withKey(key))).status).toBe(422);
    expect(await countSets("other-body")).toBe(0);
  });

  test("belongs to its caller: the same key of another caller is separate", async () => {
    const key = randomUUID();
    const [other, colleague] = [await hub.org(), await org.withRole("operator")];
    expect((await org.post("/condition-sets", { name: "mine" }, withKey(key))).status).toBe(201);
    expect((await other.post("/condition-sets", { name: "mine" }, withKey(key))).status).toBe(201);
    expect((await colleague.post("/condition-sets", { name: "theirs" }, withKey(key))).status).toBe(201);
  });

  test("forty concurrent requests over two nodes create one record; each gets its response or a 409 with Retry-After", async () => {
    const nodes = [hub.client(org.token), (await hub.secondNode()).client(org.token)];
    for (let round = 0; round < 5; round++) {
      const [key, name] = [randomUUID(), `race-${round}-${randomUUID()}`];
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => nodes[i % 2]!.post("/condition-sets", { name }, withKey(key))),
      );
      const made = answers.filter(({ status }) => status === 201);
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
      for (const { status, body, headers } of answers.filter(({ status }) => status !== 201)) {
        expect(status).toBe(409);
        expect(body.code).toBe("idempotency_key_in_use");
        expect(headers.get("retry-after")).toBe("1");
      }
      expect(await countSets(name)).toBe(1);
    }
  });

  test("a request that lost its claim cannot commit: the work is done once", async () => {
    const { id } = (await org.post("/condition-sets", { name: `slow ${randomUUID()}` })).body;
    const key = randomUUID();
    const add = () => org.post(`/condition-sets/${id}/values`, { values: ["a"] }, withKey(key));
    let release = (): void => {};
    const locked = new Promise<void>((resolve) => (release = resolve));
    const isHeld = Promise.withResolvers<void>();
    const blocker = hub.world.db.transaction(async (tx) => {
      await tx.query("select 1 from condition_sets where id = $1 for update", [id]);
      isHeld.resolve();
      await locked;
    });
    await isHeld.promise;
    const first = add();
    await lockWaits(hub.world.db, { statement: "condition_sets" });
    hub.advance(61_000);
    const second = add();
    await lockWaits(hub.world.db, { statement: "condition_sets", count: 2 });
    release();
    await blocker;
    const answers = await Promise.all([first, second]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 200)!.body).toEqual({ added: 1, alreadyPresent: 0, valueCount: 1 });
    expect((await org.get(`/condition-sets/${id}`)).body.version).toBe(2);
  });

  test("a rejection by the verb is stored, a failed request check is not", async () => {
    const key = randomUUID();
    await org.post("/condition-sets", { name: "conflict" });
    const refused = await org.post("/condition-sets", { name: "conflict" }, withKey(key));
    const again = await org.post("/condition-sets", { name: "conflict" }, withKey(key));
    expect(refused.status).toBe(409);
    expect(again.text).toBe(refused.text);
    expect(again.headers.get("content-type")).toContain("application/problem+json");
    const other = randomUUID();
    expect((await org.post("/condition-sets", { nmae: "x" }, withKey(other))).status).toBe(400);
    expect((await org.post("/condition-sets", { name: "mended" }, withKey(other))).status).toBe(201);
  });

  test("a database failure is not stored: the same key can be retried", async () => {
    const key = randomUUID();
    await hub.world.db.query(`create function deadlock() returns trigger language plpgsql as
      $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`);
    await hub.world.db.query("create trigger deadlock before insert on condition_sets execute function deadlock()");
    const failed = await org.post("/condition-sets", { name: "in-the-end" }, withKey(key));
    await hub.world.db.query("drop trigger deadlock on condition_sets");
    expect(failed.status).toBe(409);
    const again = await org.post("/condition-sets", { name: "in-the-end" }, withKey(key));
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotency-replayed")).toBeNull();
  });

  test("the value of an API key is replayed, though nothing readable was stored", async () => {
    const key = randomUUID();
    const first = await org.post("/api-keys", { name: "sealed" }, withKey(key));
    const again = await org.post("/api-keys", { name: "sealed" }, withKey(key));
    expect(again.text).toBe(first.text);
    const [row] = await hub.world.db.query<{ answer: string }>("select answer from idempotency_keys where key = $1", [
      key,
    ]);
    expect(row!.answer).toMatch(/^s1\./);
  });

  test("must be visible ASCII of at most 255 characters", async () => {
    for (const key of ["", " ", "x".repeat(256), "ü"]) {
      const answer = await org.post("/condition-sets", { name: randomUUID() }, withKey(key));
      expect(answer.body.errors).toEqual([expect.objectContaining({ pointer: "header/idempotency-key" })]);
    }
  });

  test("expires after a day", async () => {
    const { removeOldIdempotencyKeys } = await import("./idempotency.ts");
    const key = randomUUID();
    await org.post("/condition-sets", { name: "yesterday" }, withKey(key));
    await removeOldIdempotencyKeys(hub.world);
    expect((await org.post("/condition-sets", { name: "yesterday" }, withKey(key))).status).toBe(201);
    hub.advance(25 * 3_600_000);
    await removeOldIdempotencyKeys(hub.world);
    expect((await org.post("/condition-sets", { name: "yesterday" }, withKey(key))).status).toBe(409);
  });
});
