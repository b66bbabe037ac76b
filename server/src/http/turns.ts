import type { Pace } from "./pace.ts";

/**
 * Who works next, when more want to than there are places. Each lane (an organization, or all strangers together) has a line
 * of its own. The lane with the fewest at work is served first, and among equals in rotation: a thousand in one of them cost
 * the first in another one nothing, and whose work takes long has no more places for that.
 */
export type Turns = {
  /**
   * Resolves when it is this one's turn, or says why it will not be. Whoever got a turn has to end it. Who has to wait for it is
   * given what ends the waiting.
   */
  take(lane: string, onWait?: (leave: () => void) => void): Promise<Turn | Refusal>;
  /** For somebody who had a turn and is not done: before all others of the lane, however long it takes. */
  takeAgain(lane: string): Promise<Turn>;
  working(): number;
  waiting(): number;
  waitingIn(lane: string): number;
  /** Those with somebody at work or in line. */
  lanes(): number;
};

export type Turn = { end(): void };
type Refusal = { refused: "too_many_waiting" | "waited_too_long" | "left" };

export type TurnLimits = {
  /** So many work at a time. */
  places: number;
  /** So many of one lane do, at most: what is left is for whoever comes next. */
  perLane(lane: string): number;
  /** So many of one lane may stand in line. */
  maxWaiting: number;
  patienceMs: number;
  /** Keeps a lane from beginning too much, however many places there are. */
  pace?: Pick<Pace, "waitMs" | "noteBegin">;
};

const anyPace: Pick<Pace, "waitMs" | "noteBegin"> = { waitMs: () => 0, noteBegin() {} };

type Waiter = { start(): void; patience?: NodeJS.Timeout };
type Lane = { working: number; line: Waiter[] };

export function createTurns({ places, perLane, maxWaiting, patienceMs, pace = anyPace }: TurnLimits): Turns {
  /** Those with somebody in them. The order is that of the rotation: who was served goes to the end. */
  const lanes = new Map<string, Lane>();
  let working = 0;
  let waiting = 0;
  let again: { at: number; timer: NodeJS.Timeout } | undefined;

  const hasRoom = (name: string, lane: Lane): boolean => working < places && lane.working < perLane(name);

  function begin(name: string, lane: Lane): Turn {
    working++;
    lane.working++;
    let isOver = false;
    return {
      end() {
        if (isOver) return;
        isOver = true;
        working--;
        lane.working--;
        forgetIfEmpty(name, lane);
        serve();
      },
    };
  }

  function forgetIfEmpty(name: string, lane: Lane): void {
    if (lane.working === 0 && lane.line.length === 0 && lanes.get(name) === lane) lanes.delete(name);
  }

  function serve(): void {
    while (waiting > 0 && working < places) {
      const next = neediest();
      if (!next) return serveLater();
      const [name, lane] = next;
      waiting--;
      lanes.delete(name);
      lanes.set(name, lane);
      lane.line.shift()!.start();
    }
  }

  function neediest(): [string, Lane] | undefined {
    let found: [string, Lane] | undefined;
    for (const [name, lane] of lanes) {
      if (lane.line.length === 0 || (found && lane.working >= found[1].working) || !mayBegin(name, lane)) continue;
      found = [name, lane];
    }
    return found;
  }

  const mayBegin = (name: string, lane: Lane): boolean => hasRoom(name, lane) && pace.waitMs(name) === 0;

  /** Those who have room begin when it is time. */
  function serveLater(): void {
    const kept = [...lanes].filter(([name, lane]) => lane.line.length > 0 && hasRoom(name, lane));
    if (kept.length === 0) return;
    const waitMs = Math.min(...kept.map(([name]) => pace.waitMs(name)));
    const at = performance.now() + waitMs;
    if (again && again.at <= at) return;
    clearTimeout(again?.timer);
    const timer = setTimeout(() => {
      again = undefined;
      serve();
    }, waitMs);
    again = { at, timer };
  }

  const laneOf = (name: string): Lane => lanes.getOrInsertComputed(name, () => ({ working: 0, line: [] }));

  function stand(resolve: () => void): Waiter {
    waiting++;
    return {
      start() {
        clearTimeout(this.patience);
        resolve();
      },
    };
  }

  function beginNew(name: string, lane: Lane): Turn {
    pace.noteBegin(name);
    return begin(name, lane);
  }

  return {
    take(name, onWait) {
      const lane = laneOf(name);
      if (lane.line.length === 0 && mayBegin(name, lane)) return Promise.resolve(beginNew(name, lane));
      if (lane.line.length >= maxWaiting) return Promise.resolve({ refused: "too_many_waiting" });
      return new Promise((resolve) => {
        const waiter = stand(() => resolve(beginNew(name, lane)));
        lane.line.push(waiter);
        const leave = (refused: Refusal["refused"]): void => {
          const place = lane.line.indexOf(waiter);
          if (place === -1) return;
          clearTimeout(waiter.patience);
          lane.line.splice(place, 1);
          waiting--;
          forgetIfEmpty(name, lane);
          resolve({ refused });
        };
        waiter.patience = setTimeout(leave, patienceMs, "waited_too_long");
        onWait?.(() => leave("left"));
        serveLater();
      });
    },
    takeAgain(name) {
      const lane = laneOf(name);
      if (hasRoom(name, lane)) return Promise.resolve(begin(name, lane));
      return new Promise((resolve) => lane.line.unshift(stand(() => resolve(begin(name, lane)))));
    },
    working: () => working,
    waiting: () => waiting,
    waitingIn: (name) => lanes.get(name)?.line.length ?? 0,
    lanes: () => lanes.size,
  };
}
