import { pathToFileURL } from "node:url";
import { storedCron } from "../features/schedules/cron/cron.ts";
import { nextOccurrence } from "../features/schedules/cron/cron-occurrences.ts";
import { clockChanges, naiveCron, naiveRuns, wallClock, wallTimes } from "./cron-oracle.ts";

/**
 * Compares the evaluator with the oracle around every DST transition. All zones take minutes:
 *   npx node server/src/testing/prove-cron.ts [zone ...]
 */
const provenExpressions = [
  "* * * * *",
  "*/5 * * * *",
  "*/7 * * * *",
  "*/20 2 * * *",
  "*/30 0 * * *",
  "*/15 1-3 * * *",
  "* 0 * * *",
  "*/10 */2 * * *",
  "0 * * * *",
  "30 * * * *",
  "5,35 * * * *",
  "59 * * * *",
  "0 */2 * * *",
  "30 */3 * * *",
  "0 */1 * * *",
  "0 0-23 * * *",
  "0 0 * * *",
  "1 0 * * *",
  "30 0 * * *",
  "0 1 * * *",
  "30 1 * * *",
  "15,45 1 * * *",
  "0 2 * * *",
  "15 2 * * *",
  "30 2 * * *",
  "0,30 2 * * *",
  "30 2,3 * * *",
  "0 2,3 * * *",
  "30 3 * * *",
  "59 23 * * *",
  "0,15,30,45 0-4 * * *",
  "0 9 * * MON-FRI",
  "0 0 * * 0",
  "30 0 * * 5",
  "30 2 * * SUN#2",
  "0 2 * * 0L",
  "30 1 1 * *",
  "0 0 L * *",
  "30 2 1,15 * SUN",
  "0 0 30 12 *",
  "30 2 * 3 *",
  "*/20 1,2 * 10,11 ?",
];

const hourMs = 3_600_000;

export type Proof = { zones: number; changes: number; cases: number; runs: number; differences: string[] };

export function proveZone(zone: string, proof: Proof, from = Date.UTC(2000, 0, 1), to = Date.UTC(2038, 0, 1)): void {
  const clock = wallClock(zone);
  const pairs = provenExpressions.map((text) => ({ text, cron: storedCron(text), naive: naiveCron(text) }));
  proof.zones++;
  for (const change of clockChanges(clock, from, to)) {
    proof.changes++;
    // The oracle starts 30 h earlier, which is longer than any transition.
    const [watchFrom, start, end] = [change - 33 * hourMs, change - 3 * hourMs, change + 27 * hourMs];
    const times = wallTimes(clock, watchFrom, end);
    for (const { text, cron, naive } of pairs) {
      proof.cases++;
      const expected = naiveRuns(naive, times, watchFrom, start);
      const found: number[] = [];
      let last = start - 1;
      while ((last = nextOccurrence(cron, zone, last)) < end && found.length <= expected.length) found.push(last);
      proof.runs += expected.length;
      if (found.join() !== expected.join()) proof.differences.push(report(zone, text, change, expected, found));
    }
  }
}

function report(zone: string, text: string, change: number, expected: number[], found: number[]): string {
  const show = (runs: number[], others: number[]): string =>
    runs
      .filter((run) => !others.includes(run))
      .slice(0, 4)
      .map((run) => new Date(run).toISOString())
      .join(" ");
  const at = new Date(change).toISOString();
  return `${zone} ${text} at ${at}: missing [${show(expected, found)}] unexpected [${show(found, expected)}]`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const proof: Proof = { zones: 0, changes: 0, cases: 0, runs: 0, differences: [] };
  const given = process.argv.slice(2);
  const startedAt = performance.now();
  for (const zone of given.length > 0 ? given : ["UTC", ...Intl.supportedValuesOf("timeZone")]) proveZone(zone, proof);
  const { differences, ...counts } = proof;
  console.log({
    ...counts,
    differences: differences.length,
    seconds: Math.round((performance.now() - startedAt) / 1e3),
  });
  for (const difference of differences.slice(0, 20)) console.log(difference);
  process.exitCode = differences.length > 0 ? 1 : 0;
}
