import { removeExpiredSessions } from "../features/auth/auth.ts";
import { tendLabels } from "../features/labels/labels.ts";
import { foldOrderCounts, releaseDueHolds } from "../features/orders/orders.ts";
import { resumeComparisons } from "../features/rate-comparisons/execute-comparison.ts";
import { tendPickups } from "../features/pickups/pickups.ts";
import { followParcels } from "../features/shipments/shipments.ts";
import { removeOldSamples } from "../features/tasks/tasks.ts";
import type { Chore } from "./worker.ts";

const minute = 60_000;

/** Everything the worker does by itself. Each one's look into the database counts: an idle hub has two queries a second. */
export const chores: Chore[] = [
  { name: "rate comparisons", everyMs: 10_000, wakeOn: ["rate_comparison"], run: resumeComparisons },
  { name: "timed holds", everyMs: 10_000, wakeOn: ["clock"], run: releaseDueHolds },
  { name: "order counts", everyMs: 30_000, run: foldOrderCounts },
  { name: "pickups", everyMs: 20_000, wakeOn: ["clock"], run: tendPickups },
  { name: "labels", everyMs: minute, wakeOn: ["clock"], run: tendLabels },
  { name: "tracking", everyMs: minute, wakeOn: ["clock"], run: followParcels },
  { name: "old samples", everyMs: 10 * minute, run: removeOldSamples },
  { name: "expired sessions", everyMs: 10 * minute, run: removeExpiredSessions },
];
