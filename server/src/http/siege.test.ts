import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { brokenPromises, describeSiege } from "../../../chaos/src/siege-report.ts";
import { runSiege } from "../../../chaos/src/siege.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";

/** How fast is asked by `npm run chaos -- --siege`; here, that nobody is refused, nothing breaks and nothing grows. */
test("a siege in short: the quiet organization is answered, others get 503 with Retry-After at worst, health answers", async () => {
  const seconds = { capacity: 0, warmUp: 0.5, unloaded: 0.5, siege: 4, after: 0.5 };
  const size = { orders: 1_000, parcels: 2_000 };
  const dataDir = await readyDataDir();
  const result = await runSiege({ size, seconds, capacity: 300, mostOpen: 3, overload: 2, dataDir }, () => {});
  expect(brokenPromises(result), describeSiege(result)).toEqual([]);
  expect(result.besieged.length).toBeGreaterThan(20);
  expect(Object.keys(result.attacks.outcomes).length).toBeGreaterThan(10);
  await rm(result.evidence, { recursive: true, force: true });
}, 120_000);
