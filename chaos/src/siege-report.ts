import type { SiegeResult } from "./siege.ts";
import type { QuietReplies, Reply } from "./siege-quiet.ts";
import type { Outcome, Tally } from "./siege-tally.ts";
import { quantile } from "./siege-tally.ts";
import type { Hold } from "./siege-watch.ts";

const bars = {
  /** p99 of the quiet organization, beside that of the floor at the same time. */
  timesFloor: 3,
  recoveryMs: 5_000,
  hubMegabytes: 1_536,
  /** Of two worker processes. */
  workerMegabytes: 3_584,
  /** CPU time that one iteration of the event loop may take; measured under small attacks, with cores to spare. */
  holdMs: 50,
};

const calmMs = 1_000;

const isSuccess = ({ status }: Reply): boolean => status >= 200 && status < 300;
const timesOf = (replies: Reply[]): number[] => replies.map(({ ms }) => ms);
const p99 = (replies: Reply[]): number => quantile(timesOf(replies), 0.99);
const ofHub = ({ hub, changes }: QuietReplies): Reply[] => [...hub, ...changes];
const timesFloor = ({ hub, floor }: QuietReplies): number => p99(hub) / p99(floor);

/** What must never happen, however slow the machine is. */
export function brokenPromises({ unloaded, besieged, sightings, attacks, died }: SiegeResult): string[] {
  return namesOf([
    ["the hub died", died !== undefined],
    ["the quiet organization was refused", ![...ofHub(unloaded), ...ofHub(besieged)].every(isSuccess)],
    ["5xx other than 503 with Retry-After", attacks.violations.length > 0],
    ["health did not answer", sightings.health.failed > 0],
    [`the hub took more than ${bars.hubMegabytes} MB`, sightings.memory.hub > bars.hubMegabytes],
    [`worker processes took more than ${bars.workerMegabytes} MB`, sightings.memory.workers > bars.workerMegabytes],
  ]);
}

/** The names of the bars that were missed; none: the hub has withstood. */
export function missedBars(result: SiegeResult, kind: "all" | "small"): string[] {
  const recovered = recoveryOf(result);
  const longestHold = quantile(
    result.holds.during.map(({ cpuMs }) => cpuMs),
    1,
  );
  return [
    ...brokenPromises(result),
    ...namesOf([
      [`p99 is more than ${bars.timesFloor} times that of the floor`, timesFloor(result.besieged) > bars.timesFloor],
      [`it did not recover within ${bars.recoveryMs} ms`, recovered === undefined || recovered > bars.recoveryMs],
      [`the event loop was held for more than ${bars.holdMs} ms`, kind === "small" && longestHold > bars.holdMs],
    ]),
  ];
}

const namesOf = (checks: [name: string, isMissed: boolean][]): string[] =>
  checks.filter(([, isMissed]) => isMissed).map(([name]) => name);

/** From the end of the attack until a second began in which responses were as fast as before. */
function recoveryOf({ unloaded, after }: SiegeResult): number | undefined {
  const limitMs = bars.timesFloor * p99(unloaded.hub);
  const replies = after.replies.toSorted((a, b) => a.at - b.at);
  const last = replies.at(-1)?.at ?? 0;
  for (const { at: from } of replies) {
    if (from + calmMs > last) return undefined;
    const inSecond = replies.filter(({ at }) => at >= from && at < from + calmMs);
    if (inSecond.every((reply) => isSuccess(reply) && reply.ms <= limitMs)) return from - after.endedAt;
  }
  return undefined;
}

export function describeSiege(result: SiegeResult, kind: "all" | "small"): string {
  const { unloaded, besieged, attacks, holds, sightings } = result;
  const recovered = recoveryOf(result);
  const missed = missedBars(result, kind);
  const { memory, health } = sightings;
  return [
    `hub, unloaded         ${describeReplies(unloaded.hub)}`,
    `floor, unloaded       ${describeReplies(unloaded.floor)}; the hub's p99 is ${timesFloor(unloaded).toFixed(2)} times as long`,
    `hub, under siege      ${describeReplies(besieged.hub)}`,
    `floor, under siege    ${describeReplies(besieged.floor)}; the hub's p99 is ${timesFloor(besieged).toFixed(2)} times as long`,
    ...describeKinds(unloaded.changes, besieged.changes),
    `recovered after       ${recovered === undefined ? "NOT WITHIN THE TIME" : `${Math.round(recovered)} ms`}`,
    `event loop, unloaded  ${describeHolds(holds.before)}`,
    `event loop, besieged  ${describeHolds(holds.during)}`,
    `memory at most        hub ${Math.round(memory.hub)} MB, worker processes ${Math.round(memory.workers)} MB`,
    `health                ${health.failed} times not answered, longest ${Math.round(health.longest)} ms`,
    `died                  ${result.died ?? "no"}`,
    ...describeTally(attacks),
    ...ofHub(besieged)
      .filter((reply) => !isSuccess(reply))
      .slice(0, 10)
      .map((reply) => `  ! quiet: ${reply.kind}: ${reply.status} ${reply.text.slice(0, 300)}`),
    ...attacks.violations.slice(0, 20).map((line) => `  ! ${line}`),
    ...missed.map((bar) => `  ! ${bar}`),
    missed.length === 0 ? "withstood" : `NOT WITHSTOOD; evidence kept in ${result.evidence}`,
  ].join("\n");
}

function describeReplies(replies: Reply[]): string {
  return `${replies.filter(isSuccess).length} of ${replies.length} answered 2xx, ${describeTimes(timesOf(replies))}`;
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
  const long = (times: number[]): number => times.filter((ms) => ms > bars.holdMs).length;
  const wall = holds.map(({ ms }) => ms);
  return (
    `held at most ${quantile(own, 1).toFixed(0)} ms by its own work, ${long(own)} times over ${bars.holdMs} ms; ` +
    `late by ${quantile(wall, 1).toFixed(0)} ms at most, ${long(wall)} times over ${bars.holdMs} ms`
  );
}

function describeTally({ outcomes }: Tally): string[] {
  return Object.entries(outcomes).map(([name, outcome]) => `  ${name.padEnd(34)}${describeOutcome(outcome)}`);
}

function describeOutcome({ sent, statuses, cut }: Outcome): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return [`sent ${sent}`, ...counts, `disconnected ${cut}`].join(", ");
}
