import type { BoundaryResult } from "./boundaries.ts";
import type { SessionResult } from "./chaos-session.ts";

export function describeSession(result: SessionResult): string {
  const { kills, counts, findings, recoveries } = result;
  const total = kills.hub + kills.postgres + kills.both;
  return [
    `seed                  ${result.seed}`,
    `kills                 ${total}: hub ${kills.hub}, PostgreSQL ${kills.postgres}, both ${kills.both}`,
    `acknowledgements      ${countAll(result)}: ${list(result.acknowledgements)}`,
    `answers lost          ${counts.lost}; repeated under the same key ${counts.repeated}, replayed ${counts.replayed}`,
    `held by a dead holder ${counts.parked}`,
    `orders made by steps  ${counts.made}`,
    `refused               ${list(counts.refused)}`,
    `runs, observations    ${result.runs}, ${result.observations}`,
    `progress after a kill ${describeTimes(recoveries.any)}`,
    `interrupted runs      ${describeTimes(recoveries.interrupted)} until they went on`,
    `drain                 ${Math.round(result.drainMs)} ms`,
    `lost                  ${findings.lost.length}`,
    `done twice            ${findings.doubled.length}`,
    `illegal transitions   ${findings.illegalTransitions.length}`,
    `other violations      ${findings.broken.length}`,
    ...describeFindings(findings, result.evidence),
  ].join("\n");
}

const shownOfEachKind = 20;

/** The first finding of each kind and the path of the evidence. */
export function describeFindings(findings: Record<string, string[]>, evidence: string): string[] {
  const lines = Object.values(findings).flatMap((kind) => kind.slice(0, shownOfEachKind));
  return [
    ...lines.map((line) => `  ! ${line.slice(0, 2_000)}`),
    ...(evidence === "" ? [] : [`evidence kept in ${evidence}`]),
  ];
}

const list = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, times]) => `${name} ${times}`)
    .join(", ") || "none";

const countAll = ({ acknowledgements }: SessionResult): number =>
  Object.values(acknowledgements).reduce((sum, times) => sum + times, 0);

export const isClean = ({ findings }: SessionResult): boolean =>
  Object.values(findings).every((list) => list.length === 0);

export function describeBoundaries(results: BoundaryResult[]): string {
  return results
    .map(({ scenario, moment, deaths, completedAt, differences }) => {
      const end = completedAt === undefined ? "TIME WAS UP" : `done without dying at ${completedAt}`;
      const lines = differences.slice(0, 3).map((line) => `\n  ! ${line.slice(0, 4_000)}`);
      return `${scenario}, ${moment}: ${deaths} deaths, ${end}, ${differences.length} end states differ${lines.join("")}`;
    })
    .join("\n");
}

function describeTimes(times: number[]): string {
  if (times.length === 0) return "none";
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!);
  return `${times.length} times: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}
