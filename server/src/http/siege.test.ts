import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { brokenPromises, describeSiege } from "../../../chaos/src/siege-report.ts";
import { runSiege } from "../../../chaos/src/siege.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";

/** Response times are measured by `npm run chaos -- --siege`; here, that no request of the quiet organization is refused and nothing fails. */
test("a short siege: the quiet organization is served, attackers get at worst 503 with Retry-After, health responds", async () => {
  const seconds = { warmUp: 0.5, unloaded: 0.5, siege: 4, after: 0.5 };
  const size = { orders: 1_000, parcels: 2_000 };
  const dataDir = await readyDataDir();
  const result = await runSiege({ size, seconds, kind: "all", dataDir }, () => {});
  expect(brokenPromises(result), describeSiege(result, "all")).toEqual([]);
  expect(result.besieged.hub.length).toBeGreaterThan(10);
  expect(Object.keys(result.attacks.outcomes).length).toBeGreaterThan(10);
  await rm(result.evidence, { recursive: true, force: true });
});
