import { describe, expect, test } from "vitest";
import type { HubError } from "../core/errors.ts";
import type { Admission, AdmittedRequest, RequestSource } from "./admission.ts";
import { createAdmission } from "./admission.ts";

const verified: RequestSource = { kind: "verified", address: "127.0.0.1" };

function admit(admission: Admission, orgId: string): AdmittedRequest {
  const request = admission.admit(verified, { on() {} });
  request.assignOrganization(orgId);
  return request;
}

function blockEventLoop(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe("admission", () => {
  test("does not count clients that disconnected before they were authenticated", () => {
    const admission = createAdmission({ maxOpenRequests: 4, slots: 4, maxEventLoopDelayMs: 1_000 });
    for (let i = 0; i < 20; i++) {
      let close = (): void => {};
      const kind = i % 2 === 0 ? "verified" : "unverified";
      const response = { on: (_event: "close", listener: () => void) => (close = listener) };
      const request = admission.admit({ kind, address: "127.0.0.1" }, response);
      close();
      expect(() => request.assignOrganization("a")).toThrow("disconnected");
    }
    for (let i = 0; i < 3; i++) admit(admission, "a");
    expect(admission.openRequests()).toBe(3);
    admission.stop();
  });

  test("removes clients that disconnect while they wait from the queue", async () => {
    const admission = createAdmission({ maxOpenRequests: 400, slots: 2, maxEventLoopDelayMs: 10_000 });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const running = admit(admission, "a").run(() => held);
    const begun: string[] = [];
    let disconnect = (): void => {};
    const response = { on: (_event: "close", listener: () => void) => (disconnect = listener) };
    const gone = admission.admit(verified, response);
    gone.assignOrganization("a");
    const abandoned = gone.run(async () => begun.push("abandoned"));
    const next = admit(admission, "a").run(async () => begun.push("next"));
    disconnect();
    await expect(abandoned).rejects.toThrow("disconnected");
    expect(admission.openRequests()).toBe(2);
    release();
    await Promise.all([running, next]);
    expect(begun).toEqual(["next"]);
    admission.stop();
  });

  test("lowers the concurrency of an organization while the event loop is late, and raises it again", async () => {
    const admission = createAdmission({ maxOpenRequests: 400, slots: 16, maxEventLoopDelayMs: 500 });
    const countRunning = async (): Promise<number> => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      let running = 0;
      const requests = Array.from({ length: 20 }, async () => {
        const request = admit(admission, "a");
        await request.run(() => {
          running++;
          return held;
        });
        request.leave();
      });
      await new Promise(setImmediate);
      const counted = running;
      release();
      await Promise.all(requests);
      return counted;
    };
    expect(await countRunning()).toBe(12);
    expect(admission.isBusy()).toBe(false);
    await expect.poll(() => (blockEventLoop(150), countRunning()), { interval: 1, timeout: 10_000 }).toBe(2);
    expect(admission.isBusy()).toBe(true);
    await expect.poll(countRunning, { interval: 100, timeout: 20_000 }).toBe(12);
    admission.stop();
  });

  test("queues fewer requests while the event loop is far too late, and serves organizations that have few", async () => {
    const admission = createAdmission({ maxOpenRequests: 100, slots: 4, maxEventLoopDelayMs: 30 });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    // Two or three are running, the others wait.
    const running = Array.from({ length: 19 }, () => admit(admission, "a").run(() => held));
    const outcomeOf = (orgId: string): Promise<unknown> =>
      Promise.race([
        admit(admission, orgId).run(() => Promise.resolve("done")),
        new Promise((resolve) => setImmediate(resolve, "waiting")),
      ]).catch((error: HubError) => error.code);
    await expect.poll(() => (blockEventLoop(300), outcomeOf("a")), { interval: 120 }).toBe("overloaded");
    expect(await outcomeOf("b")).toBe("done");
    await expect.poll(() => outcomeOf("a"), { interval: 50 }).toBe("waiting");
    release();
    await Promise.all(running);
    admission.stop();
  });
});
