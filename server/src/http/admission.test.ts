import { describe, expect, test } from "vitest";
import type { HubError } from "../core/errors.ts";
import type { Admission, Visit } from "./admission.ts";
import { createAdmission } from "./admission.ts";

function visitOf(admission: Admission, orgId: string): Visit {
  const visit = admission.arrive({ address: "127.0.0.1", as: "recognised" }, { on() {} });
  visit.belongTo(orgId);
  return visit;
}

describe("admission", () => {
  test("does not count callers that have hung up before it was known who they are", () => {
    const admission = createAdmission({ maxInFlight: 4, maxAtWork: 4, maxEventLoopDelayMs: 1_000 });
    for (let i = 0; i < 20; i++) {
      let close = (): void => {};
      const visit = admission.arrive(
        { address: "127.0.0.1", as: i % 2 === 0 ? "recognised" : "unproven" },
        {
          on: (_event: "close", listener: () => void) => (close = listener),
        },
      );
      close();
      expect(() => visit.belongTo("a")).toThrow("hung up");
    }
    const visits = Array.from({ length: 3 }, () =>
      admission.arrive({ address: "127.0.0.1", as: "recognised" }, { on() {} }),
    );
    for (const visit of visits) visit.belongTo("a");
    expect(admission.open()).toBe(3);
    admission.stop();
  });

  test("lets nobody wait behind callers that have hung up in line", async () => {
    const admission = createAdmission({ maxInFlight: 400, maxAtWork: 2, maxEventLoopDelayMs: 10_000 });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const working = Array.from({ length: 2 }, () => visitOf(admission, "a").work(() => held));
    const begun: string[] = [];
    let hangUp = (): void => {};
    const response = { on: (_event: "close", listener: () => void) => (hangUp = listener) };
    const gone = admission.arrive({ address: "127.0.0.1", as: "recognised" }, response);
    gone.belongTo("a");
    const abandoned = gone.work(async () => begun.push("abandoned"));
    const next = visitOf(admission, "a").work(async () => begun.push("next"));
    hangUp();
    await expect(abandoned).rejects.toThrow("hung up");
    expect(admission.open()).toBe(3);
    release();
    await Promise.all([...working, next]);
    expect(begun).toEqual(["next"]);
    admission.stop();
  });

  test("takes places from whoever asks for more than it can do, and not from whoever waits because of others", async () => {
    const admission = createAdmission({ maxInFlight: 400, maxAtWork: 8, maxEventLoopDelayMs: 10_000 });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const ask = (orgId: string, count: number): Promise<void>[] =>
      Array.from({ length: count }, () => visitOf(admission, orgId).work(() => held));
    const works = [...ask("many", 60), ...ask("few", 20)];
    const [many, few] = [visitOf(admission, "many"), visitOf(admission, "few")];
    await expect.poll(() => many.isGreedy(), { interval: 20 }).toBe(true);
    expect(few.isGreedy()).toBe(false);
    // Its line is as long as before; but nobody asks any more.
    await expect.poll(() => many.isGreedy(), { timeout: 10_000 }).toBe(false);
    release();
    await Promise.all(works);
    admission.stop();
  });

  test("takes a long answer for several requests, and knows who is held back, while the event loop is late", async () => {
    const admission = createAdmission({ maxInFlight: 400, maxAtWork: 8, maxEventLoopDelayMs: 500 });
    const begun: string[] = [];
    const ask = (orgId: string): Promise<unknown> =>
      visitOf(admission, orgId)
        .work(async () => begun.push(orgId))
        // Of those that are many some are refused, which is not what this is about.
        .catch(() => {});
    const [writer, noisy, quiet] = ["writer", "noisy", "quiet"].map((orgId) => visitOf(admission, orgId));
    const isNoisyHeldBack = async (): Promise<boolean> => {
      const works = [...Array.from({ length: 20 }, () => ask("noisy")), ask("quiet"), ask("writer")];
      const until = performance.now() + 150;
      while (performance.now() < until);
      await works.at(-1);
      return noisy!.isGreedy();
    };
    await expect.poll(isNoisyHeldBack, { interval: 1 }).toBe(true);
    expect([writer!.isGreedy(), quiet!.isGreedy()]).toEqual([false, false]);
    // As much as 320 requests, and nobody may begin as many in a moment.
    writer!.noteWritten(10 * 1024 ** 2);
    begun.length = 0;
    void ask("writer");
    await ask("quiet");
    expect(begun).toContain("quiet");
    expect(begun).not.toContain("writer");
    admission.stop();
  });

  test("lets strangers wait while the event loop is late, but not for long", async () => {
    const admission = createAdmission({ maxInFlight: 100, maxAtWork: 4, maxEventLoopDelayMs: 500 });
    const delaysOf100 = (): (number | HubError)[] => Array.from({ length: 100 }, () => admission.delayOf("strangers"));
    expect(new Set(delaysOf100())).toEqual(new Set([0]));
    await expect
      .poll(
        async () => {
          const until = performance.now() + 300;
          while (performance.now() < until);
          // Somebody is there who would have to wait for them.
          await visitOf(admission, "a").work(() => Promise.resolve());
          return delaysOf100().filter((delay) => typeof delay !== "number").length;
        },
        { interval: 120, timeout: 10_000 },
      )
      .toBeGreaterThan(0);
    const longest = Math.max(...delaysOf100().filter((delay) => typeof delay === "number"), 0);
    expect(longest).toBeLessThanOrEqual(2_000);
    admission.stop();
  });

  test("lets nobody stand in line while the event loop lags, but who has nothing waiting goes on", async () => {
    const admission = createAdmission({ maxInFlight: 100, maxAtWork: 4, maxEventLoopDelayMs: 30 });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const working = Array.from({ length: 4 }, () => visitOf(admission, "a").work(() => held));
    const block = (): void => {
      const until = performance.now() + 300;
      while (performance.now() < until);
    };
    const refusalOf = (orgId: string): Promise<unknown> =>
      Promise.race([
        visitOf(admission, orgId).work(() => Promise.resolve("done")),
        new Promise((resolve) => setImmediate(resolve, "waiting")),
      ]).catch((error: HubError) => error.code);
    await expect.poll(() => (block(), refusalOf("a")), { interval: 120 }).toBe("overloaded");
    expect(await refusalOf("b")).toBe("done");
    await expect.poll(() => refusalOf("a"), { interval: 50, timeout: 5_000 }).toBe("waiting");
    release();
    await Promise.all(working);
    admission.stop();
  });
});
