import type { SiegeResult } from "./siege.ts";
import type { Reply } from "./siege-quiet.ts";
import type { Outcome, Tally } from "./siege-tally.ts";
import { quantile } from "./siege-tally.ts";
import type { Hold } from "./siege-watch.ts";

/** What has to hold. */
const bars = {
  slowdown: 2,
  recoveryMs: 5_000,
  hubMegabytes: 1_536,
  /** Of two processes. */
  heavyMegabytes: 3_584,
  /** Under small attacks, with processors to spare: of the quiet organization, and of each turn of the event loop. */
  smallP99Ms: 250,
  smallHoldMs: 50,
};

const holdWorthCountingMs = 50;
const calmMs = 1_000;

const isGood = ({ status }: Reply): boolean => status >= 200 && status < 300;
const timesOf = (replies: Reply[]): number[] => replies.map(({ ms }) => ms);
const p99 = (replies: Reply[]): number => quantile(timesOf(replies), 0.99);

/** What nobody may see, however slow the machine is. */
export function brokenPromises({ unloaded, besieged, sightings, floods, attacks, died }: SiegeResult): string[] {
  return namesOf([
    ["the hub died", died !== undefined],
    ["the quiet organization was refused", ![...unloaded, ...besieged].every(isGood)],
    ["5xx other than 503 with Retry-After", floods.violations.length + attacks.violations.length > 0],
    ["health did not answer", sightings.health.failed > 0],
    [`the hub took more than ${bars.hubMegabytes} MB`, sightings.memory.hub > bars.hubMegabytes],
    [`heavy work took more than ${bars.heavyMegabytes} MB`, sightings.memory.heavy > bars.heavyMegabytes],
  ]);
}

/** The names of the bars that were missed; none: the hub has withstood. */
export function missedBars(result: SiegeResult): string[] {
  const { unloaded, besieged } = result;
  const recovered = recoveryOf(result);
  const isSlow = p99(besieged) > bars.slowdown * p99(unloaded);
  return [
    ...brokenPromises(result),
    ...namesOf([
      [`the quiet organization's p99 is more than ${bars.slowdown} times as long`, isSlow],
      [`it did not recover within ${bars.recoveryMs} ms`, recovered === undefined || recovered > bars.recoveryMs],
    ]),
  ];
}

export function missedBarsInSmall(result: SiegeResult): string[] {
  const longest = quantile(
    result.holds.during.map(({ cpuMs }) => cpuMs),
    1,
  );
  return [
    ...brokenPromises(result),
    ...namesOf([
      [`the quiet organization's p99 is more than ${bars.smallP99Ms} ms`, p99(result.besieged) > bars.smallP99Ms],
      [`the event loop was held for more than ${bars.smallHoldMs} ms`, longest > bars.smallHoldMs],
    ]),
  ];
}

const namesOf = (checks: [name: string, isMissed: boolean][]): string[] =>
  checks.filter(([, isMissed]) => isMissed).map(([name]) => name);

/** From the end of the siege until a second began in which all three were answered as before. */
function recoveryOf({ unloaded, after }: SiegeResult): number | undefined {
  const limitMs = bars.slowdown * p99(unloaded);
  const replies = after.replies.flat().toSorted((a, b) => a.at - b.at);
  const last = replies.at(-1)?.at ?? 0;
  for (const { at: from } of replies) {
    if (from + calmMs > last) return undefined;
    const inSecond = replies.filter(({ at }) => at >= from && at < from + calmMs);
    const slow = inSecond.filter(({ ms }) => ms > limitMs).length;
    // One in twenty may be slow: unloaded one in a hundred takes as long as p99 by definition.
    if (inSecond.every(isGood) && slow * 20 <= inSecond.length) return from - after.endedAt;
  }
  return undefined;
}

export function describeSiege(result: SiegeResult): string {
  const { capacity, offered, seconds, unloaded, besieged, floods, attacks, holds, sightings } = result;
  const sent = Object.values(floods.outcomes).reduce((sum, outcome) => sum + outcome.sent, 0);
  const recovered = recoveryOf(result);
  const missed = missedBars(result);
  const { memory, health } = sightings;
  return [
    `capacity              ${Math.round(capacity)} reads a second, asked for by one process, without rate limits`,
    `offered, sent         ${Math.round(offered)}, ${Math.round(sent / seconds)} requests a second for ${seconds} s; late: ${describeTimes(floods.lateMs)}`,
    `quiet, unloaded       ${describeReplies(unloaded)}`,
    `quiet, under siege    ${describeReplies(besieged)}; p99 ${(p99(besieged) / p99(unloaded)).toFixed(2)} times as long`,
    ...describeKinds(unloaded, besieged),
    `recovered after       ${recovered === undefined ? "NOT WITHIN THE TIME" : `${Math.round(recovered)} ms`}`,
    `event loop, unloaded  ${describeHolds(holds.before)}`,
    `event loop, besieged  ${describeHolds(holds.during)}`,
    `memory at most        hub ${Math.round(memory.hub)} MB, its process for heavy work ${Math.round(memory.heavy)} MB`,
    `health                ${health.failed} times not answered, longest ${Math.round(health.longest)} ms`,
    `died                  ${result.died ?? "no"}`,
    ...describeTally(floods),
    ...describeTally(attacks),
    ...besieged
      .filter((reply) => !isGood(reply))
      .slice(0, 10)
      .map(({ kind, status, text }) => `  ! quiet: ${kind}: ${status} ${text.slice(0, 300)}`),
    ...[...floods.violations, ...attacks.violations].slice(0, 20).map((line) => `  ! ${line}`),
    ...missed.map((bar) => `  ! ${bar}`),
    missed.length === 0 ? "withstood" : `NOT WITHSTOOD; evidence kept in ${result.evidence}`,
  ].join("\n");
}

function describeReplies(replies: Reply[]): string {
  const good = replies.filter(isGood).length;
  return `${good} of ${replies.length} answered 2xx, ${describeTimes(timesOf(replies))}`;
}

function describeKinds(unloaded: Reply[], besieged: Reply[]): string[] {
  const before = Map.groupBy(unloaded, ({ kind }) => kind);
  return [...Map.groupBy(besieged, ({ kind }) => kind)].map(
    ([kind, replies]) =>
      `  ${kind.padEnd(20)}${describeTimes(timesOf(before.get(kind) ?? []))}; under siege ${describeTimes(timesOf(replies))}`,
  );
}

function describeTimes(times: number[]): string {
  const at = (share: number): string => quantile(times, share).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} ms`;
}

function describeHolds(holds: Hold[]): string {
  const own = holds.map(({ cpuMs }) => cpuMs);
  const long = (times: number[]): number => times.filter((ms) => ms > holdWorthCountingMs).length;
  const wall = holds.map(({ ms }) => ms);
  return (
    `held at most ${quantile(own, 1).toFixed(0)} ms by its own work, ${long(own)} times over ${holdWorthCountingMs} ms; ` +
    `late by ${quantile(wall, 1).toFixed(0)} ms at most, ${long(wall)} times over ${holdWorthCountingMs} ms`
  );
}

function describeTally({ outcomes }: Tally): string[] {
  return Object.entries(outcomes).map(([name, outcome]) => `  ${name.padEnd(34)}${describeOutcome(outcome)}`);
}

function describeOutcome({ sent, statuses, cut }: Outcome): string {
  const told = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return [`sent ${sent}`, ...told, `cut off ${cut}`].join(", ");
}
