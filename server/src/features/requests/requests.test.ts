import { expect, test } from "vitest";
import { removals } from "../../worker/retention.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();

type Row = { requestId: string; method: string; route: string; status: number; droppedCount: number };
type Caller = Pick<Awaited<ReturnType<typeof hub.org>>, "get">;

async function list(org: Caller, query = ""): Promise<Row[]> {
  return (await org.get(`/requests?limit=100${query}`)).body.data as Row[];
}

test("requests of keys are listed with caller and status, without their content", async () => {
  const org = await hub.org();
  const made = await org.post("/orders", { number: "A-1", customer: { name: "Ada", email: "ada@lovelace.example" } });
  const { id } = made.body as { id: string };
  await org.get(`/orders/${id}`);
  await org.get("/orders/A-1");
  await org.get("/orders?search=Lovelace&page=1");
  const wrong = await org.post("/orders", { number: "A-2", secret: "xyzzy" });
  const answer = await org.get("/requests?limit=6");
  expect(answer.body.data).toMatchObject([
    { method: "POST", route: "/api/v1/orders", status: 400, code: "validation_failed" },
    { method: "GET", route: "/api/v1/orders", status: 200, code: null },
    { method: "GET", route: "/api/v1/orders/:id", status: 200, objectId: null },
    { method: "GET", route: "/api/v1/orders/:id", status: 200, objectId: id },
    { method: "POST", route: "/api/v1/orders", status: 201, objectId: null },
    // Made by the administrator, who is a person: a change.
    { method: "POST", route: "/api/v1/api-keys", actor: { type: "user", email: org.admin.email } },
  ]);
  expect(answer.body.data[0].actor).toMatchObject({ type: "api_key", name: "everything" });
  const text = JSON.stringify(await hub.world.db.query("select * from request_log"));
  for (const secret of ["ovelace", "xyzzy", "A-1", org.admin.email]) expect(text).not.toContain(secret);
  const [found] = await list(org, `&requestId=${wrong.headers.get("x-request-id")}`);
  expect(found).toMatchObject({ method: "POST", status: 400 });
});

test("requests can be filtered by caller, route and status", async () => {
  const org = await hub.org();
  const narrow = await org.withScopes(["orders:read"]);
  await narrow.get("/orders");
  await narrow.get("/condition-sets");
  await org.post("/orders", {});
  const [{ actor } = { actor: { id: "" } }] = (await org.get("/requests?code=insufficient_scope")).body.data;
  expect((await list(org, `&actorId=${actor.id}`)).map(({ route }) => route)).toEqual([
    "/api/v1/condition-sets",
    "/api/v1/orders",
  ]);
  expect(await list(org, `&actorId=${actor.id}&outcome=failed`)).toHaveLength(1);
  expect(await list(org, `&actorId=${actor.id}&outcome=succeeded`)).toHaveLength(1);
  expect(await list(org, "&method=POST&route=/api/v1/orders")).toHaveLength(1);
  expect(await list(org, `&from=${new Date(Date.now() + 3_600_000).toISOString()}`)).toEqual([]);
  expect((await narrow.get("/requests")).body.code).toBe("insufficient_scope");
});

test("reads of users are not logged; their changes and failures are", async () => {
  const org = await hub.org();
  const person = await org.withRole("admin");
  await person.get("/orders");
  await person.get("/orders/none");
  await person.post("/orders", {});
  expect((await list(org, `&actorId=${person.userId}`)).map(({ method, status }) => [method, status])).toEqual([
    ["POST", 201],
    ["GET", 404],
  ]);
});

test("reads of the log itself are not logged; refused ones are", async () => {
  const org = await hub.org();
  const narrow = await org.withScopes(["orders:read"]);
  await list(org);
  await narrow.get("/requests");
  expect((await list(org, "&route=/api/v1/requests")).map(({ status }) => status)).toEqual([403]);
});

test("requests of other organizations and anonymous callers are not listed", async () => {
  const [org, other] = [await hub.org(), await hub.org()];
  await hub.anonymous.get("/orders");
  const made = await other.post("/orders", {});
  expect(await list(org, `&requestId=${made.headers.get("x-request-id")}`)).toEqual([]);
  expect(await list(other, `&requestId=${made.headers.get("x-request-id")}`)).toHaveLength(1);
});

test("above the limit requests are dropped, reads first, and the number of dropped ones is shown", async () => {
  const org = await hub.org();
  // A minute of its own, as the clock has it.
  hub.advance(60_000 - (hub.world.clock.now().getTime() % 60_000));
  for (let i = 0; i < 40; i++) await org.get("/me");
  await org.post("/orders", {});
  hub.advance(60_000);
  const rows = await list(org, "&method=GET&route=/api/v1/me");
  expect(rows).toHaveLength(30);
  const [change] = await list(org, "&method=POST&route=/api/v1/orders");
  expect(change?.droppedCount).toBe(10);
  await org.get("/me");
  expect((await list(org, "&method=GET&route=/api/v1/me"))[0]?.droppedCount).toBe(0);
});

test("old requests are deleted without entries in the audit log", async () => {
  const org = await hub.org();
  await org.post("/orders", {});
  expect((await list(org)).length).toBeGreaterThan(0);
  const { db, clock } = hub.world;
  const old = new Date(clock.now().getTime() - 1_000);
  await db.query("update request_log set at = $1 where org_id = $2", [old, org.id]);
  const removed = await db.transaction((tx) => removals.requests(tx, new Date(old.getTime() + 1)));
  expect(removed).toContain(org.id);
  // What was just asked for is young.
  expect(await list(org)).toEqual([]);
});
