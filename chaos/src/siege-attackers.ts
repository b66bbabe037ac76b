import { once } from "node:events";
import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { AttackKind } from "./siege-attacks.ts";
import { attacksOf, startAttack } from "./siege-attacks.ts";
import type { Attacker } from "./siege-prepare.ts";
import { createTally } from "./siege-tally.ts";
import type { Target } from "./siege-wire.ts";

/*
 * The process of the attackers: receives its task by message, answers with the tally and ends. Its priority is low, as if it
 * ran on other machines.
 */
export type AttackTask = { target: Target; attacker: Attacker; seconds: number; kind: AttackKind };

const niceness = 19;

setPriority(niceness);
const [{ target, attacker, seconds, kind }] = (await once(process, "message")) as [AttackTask];
const keeper = createTally();
const started = attacksOf(attacker, kind).map((one) => startAttack(target, one, keeper));
await delay(seconds * 1000);
for (const { stop } of started) stop();
await new Promise((resolve) => process.send!(keeper.tally, resolve));
process.exit(0);
