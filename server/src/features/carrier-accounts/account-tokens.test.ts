import { beforeEach, expect, test } from "vitest";
import { systemContext } from "../../context.ts";
import { startStandInCarrier } from "../../testing/stand-in-carrier.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { openCarrier, singleCall } from "./open-carrier.ts";

const hub = await startTestHub();
const node = await hub.secondNode();
const org = await hub.org();
const carrier = await startStandInCarrier();

let fetched: string[] = [];
beforeEach(() => {
  fetched = [];
});

/** Calls `token` as a carrier does, in one of two processes. */
async function tokenOf(
  accountId: string,
  { on = hub, name = "oauth", lifetimeMs = 3_600_000, fetch = fetchNext } = {},
) {
  const open = await openCarrier(systemContext(on.world, org.id, "test"), accountId);
  const { signal } = new AbortController();
  return await open.call(singleCall("key"), signal).token(name, () => fetch(lifetimeMs));
}

async function fetchNext(lifetimeMs: number) {
  fetched.push(`secret-${fetched.length + 1}`);
  return { value: fetched.at(-1)!, lifetimeMs };
}

const stored = async (accountId: string) =>
  await hub.world.db.query<{ sealed: string | null }>(
    "select sealed from carrier_account_tokens where account_id = $1",
    [accountId],
  );

test("one process fetches a token, and all of them use it", async () => {
  const id = await carrier.account(hub, org);
  const calls = await Promise.all([tokenOf(id), tokenOf(id), tokenOf(id, { on: node }), tokenOf(id, { on: node })]);
  expect(calls.map(({ value }) => value)).toEqual(Array.from({ length: 4 }, () => "secret-1"));
  expect(fetched).toHaveLength(1);
  const [row] = await stored(id);
  expect(row!.sealed).toMatch(/^s1\./);
  expect((await tokenOf(id, { name: "payment" })).value).toBe("secret-2");
  expect((await tokenOf(await carrier.account(hub, org))).value).toBe("secret-3");
});

test("a failed fetch is the failure of its own call only", async () => {
  const id = await carrier.account(hub, org);
  await expect(tokenOf(id, { fetch: () => Promise.reject(new Error("no token")) })).rejects.toThrow("no token");
  expect((await tokenOf(id, { on: node })).value).toBe("secret-1");
});

test("a refused or expired token is fetched again, once", async () => {
  const id = await carrier.account(hub, org);
  const [here, there] = [await tokenOf(id), await tokenOf(id, { on: node })];
  await here.forget();
  expect((await tokenOf(id)).value).toBe("secret-2");
  // The other process was refused the same token: it takes the new one.
  await there.forget();
  expect((await tokenOf(id, { on: node })).value).toBe("secret-2");
  await (await tokenOf(id)).forget();
  expect((await tokenOf(id, { lifetimeMs: 1 })).value).toBe("secret-3");
  expect((await tokenOf(id)).value).toBe("secret-4");
  await expect(tokenOf(id, { name: "other", lifetimeMs: -1 })).rejects.toMatchObject({ code: "unexpected_response" });
});

test("other credentials or another address need another token", async () => {
  const id = await carrier.account(hub, org);
  expect((await tokenOf(id)).value).toBe("secret-1");
  await org.patch(`/carrier-accounts/${id}`, { description: "Renewed" });
  expect((await tokenOf(id)).value).toBe("secret-1");
  await org.patch(`/carrier-accounts/${id}`, { credentials: { token: "new" } });
  expect(await stored(id)).toEqual([]);
  expect((await tokenOf(id)).value).toBe("secret-2");
  // As a process that still has the token in memory sees it.
  await hub.world.db.query(
    `update carrier_accounts set settings = '{"baseUrl": "https://other.example"}' where id = $1`,
    [id],
  );
  expect((await tokenOf(id)).value).toBe("secret-3");
  await org.delete(`/carrier-accounts/${id}`);
  expect(await stored(id)).toEqual([]);
});
