import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";

/** Everybody waits for several turns of the event loop; whoever is alone does not notice so much. */
const lateMs = 20;
const sampleMs = 50;
/** One request alone is answered within that, and is not to cost what is long more. */
const lookEveryMs = 5;
/** Whatever goes on: what gives way gets on, too. */
const mostMs = 400;
/** Whoever asks now and then is there, also when nothing of theirs is being done right now. */
const recentMs = 250;
/** From one portion of anything to the next one of anything, while the process is late: the time between is for requests. */
const apartMs = 50;
/** Nobody notices that much, and to give way more often would take longer than the work. */
const portionMs = 5;

let delayMs = 0;
let requests = 0;
let lastRequestAt = -Infinity;
/** When the next portion of anything may begin. */
let nextAt = 0;
let sampler: NodeJS.Timeout | undefined;

/** Of the process, which has one event loop. Smoothed and capped: one long request is not overload, a row of them is. */
function watchLoop(): NodeJS.Timeout {
  let expected = performance.now() + sampleMs;
  return setInterval(() => {
    const now = performance.now();
    delayMs = delayMs * 0.7 + Math.min(Math.max(0, now - expected), 1_000) * 0.3;
    expected = now + sampleMs;
  }, sampleMs).unref();
}

/** A request has its turn, or waits for it; and has no more. */
export function noteRequest(change: 1 | -1): void {
  requests += change;
  lastRequestAt = performance.now();
}

/**
 * Between two portions of something long: others have their turn. While the process is late and there are requests besides the
 * `own` ones they have several, so that what is short stays short beside what is long.
 */
export async function giveWay({ own = 0 } = {}): Promise<void> {
  sampler ??= watchLoop();
  await nextTurn();
  const until = performance.now() + mostMs;
  while (delayMs > lateMs && mustWait(own, until)) await delay(lookEveryMs);
  nextAt = performance.now() + apartMs;
}

function mustWait(own: number, until: number): boolean {
  const now = performance.now();
  if (requests > own && now < until) return true;
  return now < nextAt && now - lastRequestAt < recentMs;
}

/** For work of many short steps: to be called after each, gives way whenever they add up to a portion. */
export function stepwise(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < portionMs) return;
    await giveWay();
    since = performance.now();
  };
}

/** A list in parts of so many, with a turn for others before each: for what is long as a whole, and read already. */
export async function* partsOf<T>(list: readonly T[], count: number): AsyncGenerator<T[]> {
  for (let start = 0; start < list.length; start += count) {
    await nextTurn();
    yield list.slice(start, start + count);
  }
}
