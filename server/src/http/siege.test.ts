import { expect, test } from "vitest";
import { runSiege } from "../../../chaos/src/siege.ts";

const seconds = { capacity: 1, warmUp: 1, unloaded: 1, siege: 6, after: 4 };

test("under siege one organization is answered as ever, and afterwards all are (security 2 to 7, protocol 1 and 6)", async () => {
  const result = await runSiege({ size: { orders: 1_000, parcels: 5_000 }, seconds, overload: 0.5 }, () => {});
  expect(result.died).toBeUndefined();
  const { unloaded, besieged, floods, attacks, after } = result;
  expect(besieged.length).toBeGreaterThan(50);
  expect([...unloaded, ...besieged].filter(({ status }) => status < 200 || status >= 300)).toEqual([]);
  expect([...floods.violations, ...attacks.violations]).toEqual([]);
  // Some were over their share, and nothing that was tried was left out.
  const statuses = Object.values(floods.outcomes).flatMap((outcome) => Object.keys(outcome.statuses));
  expect(statuses).toContain("429");
  expect(Object.values(attacks.outcomes).filter(({ sent }) => sent === 0)).toEqual([]);
  for (const replies of after.replies)
    expect(replies.at(-1)).toSatisfy(({ status }: { status: number }) => status < 300);
}, 120_000);
