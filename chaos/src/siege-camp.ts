import { once } from "node:events";
import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { attacksOf, startAttack } from "./siege-attacks.ts";
import type { Noisy } from "./siege-floods.ts";
import { floodOf, measureCapacity, readsOf, startFlood, strangersFlood } from "./siege-floods.ts";
import type { Tally } from "./siege-tally.ts";
import { createTally } from "./siege-tally.ts";
import type { Place } from "./siege-wire.ts";
import { renderRequest } from "./siege-wire.ts";

/*
 * A process of besiegers: told what to do by a message, it answers what became of it and ends. It takes what the hub
 * leaves of the processors, as if it were on other machines.
 */
export type CampTask = { place: Place; orgs: Noisy[]; seconds: number } & (
  | { does: "measure capacity" }
  | { does: "flood"; perSecond: number }
  | { does: "flood as strangers"; perSecond: number }
  | { does: "attack"; kind: "all" | "small" }
);
export type CampReport = { capacity: number } | { tally: Tally };

const niceness = 19;

setPriority(niceness);
const [task] = (await once(process, "message")) as [CampTask];
const report = await carryOut(task);
await new Promise((resolve) => process.send!(report, resolve));
process.exit(0);

async function carryOut({ place, orgs, seconds, ...what }: CampTask): Promise<CampReport> {
  if (what.does === "measure capacity") {
    const requests = orgs.flatMap(readsOf).map(renderRequest);
    return { capacity: await measureCapacity(place, requests, seconds) };
  }
  const keeper = createTally();
  const started =
    what.does === "attack"
      ? attacksOf(orgs, what.kind).map((attack) => startAttack(place, attack, keeper))
      : what.does === "flood"
        ? orgs.map((noisy) => startFlood(place, floodOf(noisy, what.perSecond / orgs.length), keeper))
        : [startFlood(place, strangersFlood(what.perSecond), keeper)];
  await delay(seconds * 1000);
  for (const { stop } of started) stop();
  return { tally: keeper.tally };
}
