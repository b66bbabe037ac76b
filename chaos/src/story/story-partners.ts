import path from "node:path";
import type { Fault } from "../../../server/src/testing/stand-in-shop.ts";
import { startStandInShop } from "../../../server/src/testing/stand-in-shop.ts";
import { createRandom } from "../chaos-plan.ts";
import { partnerNames, tokenOf } from "./story-plan.ts";

/*
 * The three shops and the warehouse, in a process that is never killed, each with a journal of its changes on disk. They fail at
 * random: 429, errors, responses that are not JSON, connections that break before or after a change. Arguments: a folder and a
 * seed.
 */
const [folder = "", seed = "0"] = process.argv.slice(2);

const failures: readonly Fault["kind"][] = [
  "rate_limit",
  "error",
  "truncated",
  "cut",
  "drop_before",
  "drop_after",
  "slow",
];
const failsOf = 0.03;

/** A change fails at most once, so that a retry succeeds before the attempts run out. */
function createMishaps(own: number): (name: string, body: string) => Fault["kind"] | undefined {
  const random = createRandom(own);
  const hit = new Set<string>();
  return (name, body) => {
    const dice = random.next();
    const kind = random.pick(failures);
    if (dice > failsOf || hit.has(`${name} ${body}`)) return undefined;
    if (!name.startsWith("GET ")) hit.add(`${name} ${body}`);
    return kind;
  };
}

const urls: Record<string, string> = {};
for (const [index, name] of partnerNames.entries()) {
  const mishap = createMishaps(Number(seed) + index);
  const journalFile = path.join(folder, `${name}.jsonl`);
  const { url } = await startStandInShop({ orders: 0, token: tokenOf(name), journalFile, mishap });
  urls[name] = url;
}
console.log(`partners ${JSON.stringify(urls)}`);
