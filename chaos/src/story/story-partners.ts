import path from "node:path";
import type { Fault } from "../../../server/src/testing/stand-in-shop.ts";
import { startStandInShop } from "../../../server/src/testing/stand-in-shop.ts";
import { createRandom } from "../chaos-plan.ts";
import { partnerNames, tokenOf } from "./story-plan.ts";

/*
 * The three shops and the warehouse, in a process of their own that nobody kills, each with a journal of what was done to it
 * on the disk. Now and then they fail: too many requests, errors, answers that are no JSON, connections that break before and
 * after something was done. Run with: a folder, a seed.
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

/** What changes something fails once at most: whoever tries again gets through, before it is given up. */
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
