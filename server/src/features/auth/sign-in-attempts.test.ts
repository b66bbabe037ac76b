import { describe, expect, test, vi } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";
import { reportFailedSignIns } from "./sign-in-attempts.ts";
import { maxAddresses, signInLimiter } from "./sign-in-limiter.ts";

// Every call says where it comes from, as a proxy in front of the hub would.
const hub = await startTestHub({ config: { trustedProxies: ["127.0.0.1"] } });
const org = await hub.org();
const minute = 60_000;

type At = { address: string; node?: typeof hub };
async function signIn(email: string, password: string, { address, node = hub }: At) {
  return await node.anonymous.post("/auth/token", { email, password }, { headers: { "x-forwarded-for": address } });
}
async function aPerson() {
  const { userId, get } = await org.withRole("viewer");
  return { userId, email: (await get("/me")).body.actor.email as string, password: org.admin.password };
}
const failuresOf = async (userId: string) =>
  (await org.get(`/audit?type=session.sign_in_failed&objectId=${userId}`)).body.data as {
    data: unknown;
    actor: unknown;
  }[];

/** From a new address each: the limit per address has nothing to say. */
async function guess(email: string, count: number, node = hub): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) {
    statuses.push((await signIn(email, "a wrong guess", { address: `203.0.113.${i + 1}`, node })).status);
  }
  return statuses;
}

describe("guesses of one password from many addresses (security 11)", () => {
  test("are paused after ten failures, on every node, also for the correct password from a new network", async () => {
    const { email, password } = await aPerson();
    const other = await hub.secondNode();
    expect(await guess(email, 6)).toEqual(Array(6).fill(401));
    expect((await guess(email, 6, other)).slice(0, 4)).toEqual(Array(4).fill(401));
    await guess(email, 5);
    hub.advance(2_000);
    await guess(email, 1);
    const refused = await signIn(email, password, { address: "198.51.100.7", node: other });
    expect(refused.body).toMatchObject({ status: 429, code: "rate_limited" });
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(300);
    hub.advance(5 * minute);
    expect((await signIn(email, password, { address: "198.51.100.7" })).status).toBe(200);
    expect((await signIn(email, "a wrong guess", { address: "198.51.100.8" })).status).toBe(401);
  });

  test("do not lock out a user at a network they used before", async () => {
    const { email, password } = await aPerson();
    const home = "198.51.100.20";
    expect((await signIn(email, password, { address: home })).status).toBe(200);
    for (let round = 0; round < 6; round++) {
      await guess(email, 12);
      hub.advance(round * 30_000);
    }
    await guess(email, 3);
    expect((await signIn(email, password, { address: "198.51.100.21" })).status).toBe(429);
    expect((await signIn(email, password, { address: home })).status).toBe(200);
    expect((await signIn(email, "a wrong guess", { address: home })).status).toBe(429);
  });

  test("get the same response whether or not the address has an account", async () => {
    const { email } = await aPerson();
    const unknownEmail = `${crypto.randomUUID()}@org.example`;
    const answers = async (address: string) => {
      const statuses = await guess(address, 14);
      const last = await signIn(address, "a wrong guess", { address: "203.0.113.99" });
      return { statuses, code: last.body.code, detail: last.body.detail };
    };
    // The clock stands still: how long a password takes to check must not decide which of the tries come during a pause.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    try {
      const [known, unknown] = [await answers(email), await answers(unknownEmail)];
      expect(known.statuses).toEqual([...Array<number>(10).fill(401), 429, 429, 429, 429]);
      expect(unknown).toEqual(known);
    } finally {
      vi.useRealTimers();
    }
  });

  test("are counted also when they are concurrent", async () => {
    const { email } = await aPerson();
    const tries = Array.from({ length: 40 }, (_, i) => signIn(email, "a wrong guess", { address: `203.0.113.${i}` }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(15);
  });
});

describe("failed sign-ins in the audit log of the organization (security 11)", () => {
  test("are one entry for many, with their addresses", async () => {
    const { email, userId } = await aPerson();
    await signIn(email, "a wrong guess", { address: "203.0.113.1" });
    await expect.poll(() => failuresOf(userId)).toHaveLength(1);
    expect(await failuresOf(userId)).toMatchObject([
      { actor: { type: "system", name: "sign-in" }, data: { failures: 1, addresses: ["203.0.113.1"] } },
    ]);
    await guess(email, 30);
    await reportFailedSignIns(hub.world);
    expect(await failuresOf(userId)).toHaveLength(1);
    hub.advance(16 * minute);
    await reportFailedSignIns(hub.world);
    const [latest, ...earlier] = await failuresOf(userId);
    expect(earlier).toHaveLength(1);
    expect(latest).toMatchObject({ data: { failures: 30 } });
    expect((latest as { data: { addresses: string[] } }).data.addresses).toHaveLength(20);
  });

  test("do not include successful sign-ins", async () => {
    const { email, password, userId } = await aPerson();
    await signIn(email, password, { address: "203.0.113.1" });
    await reportFailedSignIns(hub.world);
    expect(await failuresOf(userId)).toEqual([]);
  });
});

test("when too many addresses are counted, the longest unused ones are dropped (security 11)", async () => {
  const { world } = await startTestHub({ settings: { maxSignInFailures: 2 } });
  const start = (address: string) => signInLimiter(world).start(address);
  const isRefused = (address: string): boolean => {
    try {
      start(address)();
      return false;
    } catch {
      return true;
    }
  };
  const nth = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
  // Both were there first; the one has been quiet since, the other tries once more when all places are taken.
  const [quiet, busy] = ["192.0.2.1", "192.0.2.2"];
  start(quiet);
  start(quiet);
  start(busy);
  for (let i = 0; i < maxAddresses - 2; i++) start(nth(i));
  start(busy);
  expect([isRefused(quiet), isRefused(busy)]).toEqual([true, true]);
  // One more than there are places for takes the place of who was quiet for longest; a thousand more leave the busy one alone.
  start(nth(200_000));
  expect([isRefused(quiet), isRefused(busy)]).toEqual([false, true]);
  for (let i = 1; i < 1_000; i++) start(nth(200_000 + i));
  expect(isRefused(busy)).toBe(true);
});
