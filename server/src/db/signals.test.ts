import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { startPooler } from "../testing/stand-in-pooler.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import type { Connection } from "./server-client.ts";
import { openSignals } from "./signals.ts";

let through: (port: number) => Connection;
beforeAll(async () => {
  const { connection, drop } = await cloneDatabase();
  afterFile(drop);
  through = (port) => ({ ...connection, host: "127.0.0.1", port });
});

test("the hub does not start behind a pooler that loses notifications, and reports the reason (reliability R7)", async () => {
  const pooler = await startPooler({ passes: "transactions" });
  await expect(openSignals(through(pooler.port), { onError: () => {} })).rejects.toThrow(/pooler in transaction mode/);
});

test("lost notifications are detected, although queries still work (reliability R7)", async () => {
  const pooler = await startPooler();
  const errors: Error[] = [];
  const signals = await openSignals(through(pooler.port), { heartbeatMs: 100, onError: (error) => errors.push(error) });
  afterFile(() => signals.close());
  expect(signals.isConnected()).toBe(true);
  let gaps = 0;
  signals.onGap(() => gaps++);
  pooler.passes = "none";
  await expect.poll(() => signals.isConnected(), { timeout: 20_000 }).toBe(false);
  expect(errors.map(({ message }) => message).join()).toMatch(/pooler/);
  pooler.passes = "everything";
  await expect.poll(() => signals.isConnected(), { timeout: 20_000 }).toBe(true);
  expect(gaps).toBe(1);
});
