/**
 * How late the process is with its own work, and how much each may begin while it is. What is done for a request takes several
 * turns of the event loop, and a turn takes as long as all that has come since the last one: when the loop is nearly
 * always busy everybody waits, and nobody is served any faster for that. So while it is late each lane (an organization, or
 * all strangers together) begins at most so many requests a second, as many as any other, and fewer until it is not late any
 * more. Whoever asks for less than that does not notice.
 */
export type Pace = {
  /** Later than its administrator allows. */
  isLate(): boolean;
  isSlow(): boolean;
  /** It is late, or was a moment ago and this lane is not alone: what can be done elsewhere should be. */
  isStrained(lane: string): boolean;
  /** How many it should work for at a time: the more there are, the longer takes each turn of the event loop. */
  goodPlaces(): number;
  /** How long until somebody of this lane may begin. */
  waitMs(lane: string): number;
  noteBegin(lane: string): void;
  /** What was begun has turned out to be as much as so many more. */
  noteMore(lane: string, beginnings: number): void;
  /** Whether anything is done for it, or not. */
  noteAsked(lane: string): void;
  /** It asks for more than everybody may begin however late the process is. */
  asksForMuch(lane: string): boolean;
  /** It asks for more than it may begin now. */
  isHeldBack(lane: string): boolean;
};

export type PaceLimits = { maxAtWork: number; maxEventLoopDelayMs: number };

/** Those who have not said who they are, and those whose word was not checked yet: each of them all together. */
const outsiders = ["strangers", "unproven"] as const;
export type Outsiders = (typeof outsiders)[number];
const isOutside = (lane: string): boolean => outsiders.some((name) => name === lane);

const sampleMs = 100;
/** Everybody waits for several turns of the event loop; whoever is alone does not notice twenty milliseconds. */
const slowMs = 20;
/** However slow the process is. */
const fewestAtWork = 4;
/** Of what its administrator allows: from here on everybody begins less. */
const strainedPart = 1 / 50;
/** Requests that a lane begins in a second: this many is no limit. */
const mostPerSecond = 1_000;
/** However late it is: something else may be the reason. */
const leastPerSecond = 40;
/** So much may be begun at once, as by a page that asks for ten things. */
const burstMs = 250;
/** Whoever has begun something since then is there. */
const recentMs = 2_000;

/** `sample` is told every now and then how late the event loop was. */
export function createPace(
  { maxAtWork, maxEventLoopDelayMs }: PaceLimits,
  now: () => number = () => performance.now(),
): Pace & { sample(lateMs: number): void } {
  // Smoothed and capped: one long request is not overload, a row of them is.
  let delayMs = 0;
  let places = maxAtWork;
  let perSecond = mostPerSecond;
  const lanes = new Map<string, PacedLane>();
  const isSlow = (): boolean => delayMs > slowMs;

  const laneOf = (name: string): PacedLane =>
    lanes.getOrInsertComputed(name, () => ({ dueAt: now(), begun: 0, begins: 0, asked: 0, asks: 0 }));

  function note(name: string, beginnings: number): void {
    if (beginnings === 0) return;
    const lane = laneOf(name);
    lane.dueAt = Math.max(lane.dueAt, now()) + (1000 / perSecond) * beginnings;
    lane.begun += beginnings;
  }

  const asksOf = (name: string): number => lanes.get(name)?.asks ?? 0;

  /** Fewer than the busiest one begins, or nothing would change; and the later it is the fewer, or it would be late for long. */
  function nextPerSecond(): number {
    const strainedMs = maxEventLoopDelayMs * strainedPart;
    if (delayMs <= strainedMs) return Math.min(mostPerSecond, perSecond * 1.05);
    const busiest = Math.max(0, ...Array.from(lanes.values(), ({ begins }) => begins));
    return Math.max(leastPerSecond, Math.min(perSecond, busiest) * Math.min(0.8, Math.max(0.4, strainedMs / delayMs)));
  }

  /** Who is alone, or with outsiders only, keeps nobody waiting. */
  function isAlone(lane: string): boolean {
    for (const name of lanes.keys()) if (name !== lane && !isOutside(name)) return false;
    return true;
  }

  return {
    sample(lateMs) {
      delayMs = delayMs * 0.7 + Math.min(lateMs, 1_000) * 0.3;
      places = isSlow() ? Math.max(Math.min(fewestAtWork, maxAtWork), places * 0.8) : Math.min(maxAtWork, places + 0.5);
      for (const [name, lane] of lanes) {
        lane.begins = smooth(lane.begins, lane.begun);
        lane.asks = smooth(lane.asks, lane.asked);
        lane.begun = lane.asked = 0;
        if (lane.dueAt < now() - recentMs) lanes.delete(name);
      }
      perSecond = nextPerSecond();
    },
    isSlow,
    isStrained: (name) => isSlow() || (perSecond < mostPerSecond && !isAlone(name)),
    isLate: () => delayMs > maxEventLoopDelayMs,
    goodPlaces: () => Math.floor(places),
    waitMs(name) {
      const lane = lanes.get(name);
      if (!lane || perSecond === mostPerSecond || isAlone(name)) return 0;
      return Math.max(0, lane.dueAt - burstMs - now());
    },
    noteBegin: (name) => note(name, 1),
    noteMore: note,
    noteAsked: (name) => void laneOf(name).asked++,
    asksForMuch: (name) => asksOf(name) > leastPerSecond,
    isHeldBack: (name) => asksOf(name) > perSecond && !isAlone(name),
  };
}

/** `dueAt`: when it would begin the next one if it did so evenly. `begins`, `asks`: a second, smoothed. */
type PacedLane = { dueAt: number; begun: number; begins: number; asked: number; asks: number };

const smooth = (perSecond: number, inSample: number): number => perSecond * 0.8 + inSample * (1000 / sampleMs) * 0.2;

export function watchPace(limits: PaceLimits): Pace & { stop(): void } {
  const pace = createPace(limits);
  let expected = performance.now() + sampleMs;
  const sampler = setInterval(() => {
    const now = performance.now();
    pace.sample(Math.max(0, now - expected));
    expected = now + sampleMs;
  }, sampleMs).unref();
  return { ...pace, stop: () => clearInterval(sampler) };
}
