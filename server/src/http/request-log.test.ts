import { expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";

test("repeated rejections cannot fill the log: most are only counted", async () => {
  const hub = await startTestHub();
  const org = await hub.org();
  hub.logs.length = 0;
  const count = 300;
  const stranger = hub.client("not-a-token");
  await Promise.all(Array.from({ length: count }, () => stranger.get("/orders")));
  const made = await org.post("/orders", {});
  type Line = { msg: string; status?: number; byStatus?: Record<string, number>; requestId?: string };
  const lines = (): Line[] => hub.logs.map((line) => JSON.parse(line) as Line);
  const refused = (): Line[] => lines().filter(({ msg, status }) => msg === "request" && status === 401);
  const counted = (): number => lines().reduce((sum, { byStatus }) => sum + (byStatus?.["401"] ?? 0), 0);
  await expect.poll(() => refused().length + counted()).toBe(count);
  expect(counted()).toBeGreaterThan(0);
  // Whatever was done has a line.
  expect(lines().some(({ requestId }) => requestId === made.headers.get("x-request-id"))).toBe(true);
});
