import { yieldToEventLoop } from "../../core/yield-to-event-loop.ts";
import type { Choice } from "./choose-mix.ts";
import { costAt, unpriced } from "./choose-mix.ts";
import type { PriceMatrix } from "./price-matrix.ts";
import { noPrice } from "./price-matrix.ts";

/** By target; 0: no commitment. */
export type Minimums = { parcels: number[]; cents: number[] };

/** Moves, or parcels that are looked at, between yields to the event loop. */
const movesAtOnce = 2_000;

/**
 * The cheapest mix that meets the commitments, as far as they can be met, starting with the cheapest mix without any. Parcels are
 * moved one by one along the cheapest chain of targets, such as one from B to A and one from C to B: for committed numbers of
 * parcels this is the method of successive shortest paths, whose result is a minimum. Committed amounts are a knapsack problem, so
 * they come last and are met by the moves with the lowest extra cost per amount.
 */
export async function meetCommitments(
  matrix: PriceMatrix,
  best: Choice,
  minimums: Minimums,
  keepSource: boolean,
): Promise<Choice> {
  const mix = await startMix(matrix, best, keepSource);
  for (let moves = 1; moveAlongPath(mix, minimums.parcels); moves++) {
    if (moves % movesAtOnce === 0) await yieldToEventLoop();
  }
  for (const [target, cents] of minimums.cents.entries()) {
    if (mix.revenue[target]! < cents) await raiseRevenue(mix, target, minimums);
  }
  return mix.choice;
}

type MovableMix = {
  matrix: PriceMatrix;
  choice: Choice;
  /** What parcels can be moved to: the targets, and the source where it may keep parcels. */
  nodes: number;
  /** By node: the number of parcels. */
  parcels: number[];
  revenue: number[];
  /** For each pair of targets a heap of the parcels that may move, by what it costs. Holds parcels that moved on; see `cheapestMove`. */
  moves: Heap[][];
};

async function startMix(matrix: PriceMatrix, best: Choice, keepSource: boolean): Promise<MovableMix> {
  const nodes = matrix.prices.length + (keepSource ? 1 : 0);
  const lists = Array.from({ length: nodes }, () => Array.from({ length: nodes }, (): number[] => []));
  const mix: MovableMix = {
    matrix,
    choice: Int8Array.from(best),
    nodes,
    parcels: Array.from({ length: nodes }, () => 0),
    revenue: Array.from({ length: nodes }, () => 0),
    moves: [],
  };
  for (const [position, from] of best.entries()) {
    if (from === unpriced) continue;
    mix.parcels[from]!++;
    mix.revenue[from]! += costAt(matrix, position, from);
    for (let to = 0; to < nodes; to++) if (canMove(matrix, position, from, to)) lists[from]![to]!.push(position);
    if (position % movesAtOnce === 0) await yieldToEventLoop();
  }
  for (const [from, row] of lists.entries()) {
    mix.moves.push(row.map((list, to) => createHeap(list, (at) => extraCost(matrix, at, from, to))));
    await yieldToEventLoop();
  }
  return mix;
}

function canMove({ prices }: PriceMatrix, position: number, from: number, to: number): boolean {
  return to !== from && (to === prices.length || prices[to]![position] !== noPrice);
}

function extraCost(matrix: PriceMatrix, position: number, from: number, to: number): number {
  return costAt(matrix, position, to) - costAt(matrix, position, from);
}

/** The parcel of a target that can be moved to another at the lowest cost. */
function cheapestMove({ moves, choice }: MovableMix, from: number, to: number): number | undefined {
  const heap = moves[from]![to]!;
  let position = heap.peek();
  while (position !== undefined && choice[position] !== from) {
    heap.pop();
    position = heap.peek();
  }
  return position;
}

function move(mix: MovableMix, position: number, to: number): void {
  const { matrix, choice, nodes, parcels, revenue, moves } = mix;
  const from = choice[position]!;
  parcels[from]!--;
  revenue[from]! -= costAt(matrix, position, from);
  parcels[to]!++;
  revenue[to]! += costAt(matrix, position, to);
  choice[position] = to;
  for (let next = 0; next < nodes; next++) if (canMove(matrix, position, to, next)) moves[to]![next]!.push(position);
}

/** Moves one parcel to a target that lacks one, at the lowest cost. False: none lacks one, or no other can spare one. */
function moveAlongPath(mix: MovableMix, minParcels: number[]): boolean {
  const { nodes } = mix;
  const spare = (node: number): number => mix.parcels[node]! - (minParcels[node] ?? 0);
  const lacking = Array.from({ length: nodes }, (_, node) => node).filter((node) => spare(node) < 0);
  if (lacking.length === 0) return false;
  const { cost, via } = shortestPaths(mix, spare);
  const [end] = lacking.filter((node) => cost[node]! < Infinity).toSorted((a, b) => cost[a]! - cost[b]!);
  if (end === undefined) return false;
  // All parcels are known before the first one moves, which changes the heaps.
  const steps: [position: number, to: number][] = [];
  for (let to = end; via[to] !== undefined; to = via[to]!) steps.push([cheapestMove(mix, via[to]!, to)!, to]);
  for (const [position, to] of steps) move(mix, position, to);
  return true;
}

/** The lowest cost of bringing one parcel to each target from any that can spare one, and through which target it goes. */
function shortestPaths(mix: MovableMix, spare: (node: number) => number) {
  const { nodes } = mix;
  const cost = Array.from({ length: nodes }, (_, node) => (spare(node) > 0 ? 0 : Infinity));
  const via: (number | undefined)[] = Array.from({ length: nodes }, () => undefined);
  const edges: [from: number, to: number, cost: number][] = [];
  for (let from = 0; from < nodes; from++) {
    for (let to = 0; to < nodes; to++) {
      const position = from === to ? undefined : cheapestMove(mix, from, to);
      if (position !== undefined) edges.push([from, to, extraCost(mix.matrix, position, from, to)]);
    }
  }
  for (let round = 1; round < nodes; round++) {
    let isBetter = false;
    for (const [from, to, extra] of edges) {
      if (cost[from]! + extra >= cost[to]!) continue;
      [cost[to], via[to], isBetter] = [cost[from]! + extra, from, true];
    }
    if (!isBetter) break;
  }
  return { cost, via };
}

/** Moves parcels to a target, those with the lowest extra cost per amount first, and moves back what turns out not to be needed. */
async function raiseRevenue(mix: MovableMix, target: number, minimums: Minimums): Promise<void> {
  const { matrix, choice, revenue, parcels } = mix;
  const prices = matrix.prices[target]!;
  const wanted = minimums.cents[target]!;
  const shareAt = (at: number): number => extraCost(matrix, at, choice[at]!, target) / prices[at]!;
  const positions: number[] = [];
  for (const [at, from] of choice.entries())
    if (from !== unpriced && from !== target && prices[at]! > 0) positions.push(at);
  const shares = new Map(positions.map((at) => [at, shareAt(at)]));
  const moved: [position: number, from: number][] = [];
  for (const [index, at] of positions.toSorted((a, b) => shares.get(a)! - shares.get(b)! || a - b).entries()) {
    if (revenue[target]! >= wanted) break;
    const from = choice[at]!;
    const keepsParcels = parcels[from]! > (minimums.parcels[from] ?? 0);
    const keepsRevenue = revenue[from]! - costAt(matrix, at, from) >= (minimums.cents[from] ?? 0);
    if (!keepsParcels || !keepsRevenue) continue;
    move(mix, at, target);
    moved.push([at, from]);
    if (index % movesAtOnce === movesAtOnce - 1) await yieldToEventLoop();
  }
  for (const [at, from] of moved.toSorted(([a, x], [b, y]) => backCost(mix, a, x) - backCost(mix, b, y))) {
    if (revenue[target]! - prices[at]! < wanted || backCost(mix, at, from) >= 0) continue;
    move(mix, at, from);
  }
}

function backCost({ matrix, choice }: MovableMix, position: number, to: number): number {
  return extraCost(matrix, position, choice[position]!, to);
}

type Heap = { peek(): number | undefined; pop(): void; push(position: number): void };

/** The lowest key first; of equal ones the lowest position, so that the result is deterministic. */
function createHeap(list: number[], keyOf: (position: number) => number): Heap {
  const isBefore = (a: number, b: number): boolean => {
    const [x, y] = [keyOf(list[a]!), keyOf(list[b]!)];
    return x < y || (x === y && list[a]! < list[b]!);
  };
  const swap = (a: number, b: number): void => {
    [list[a], list[b]] = [list[b]!, list[a]!];
  };
  const sink = (start: number): void => {
    for (let at = start; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < list.length && isBefore(left, least)) least = left;
      if (right < list.length && isBefore(right, least)) least = right;
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  };
  for (let at = (list.length >> 1) - 1; at >= 0; at--) sink(at);
  return {
    peek: () => list[0],
    pop() {
      const last = list.pop();
      if (last === undefined || list.length === 0) return;
      list[0] = last;
      sink(0);
    },
    push(position) {
      let at = list.push(position) - 1;
      for (let parent = (at - 1) >> 1; at > 0 && isBefore(at, parent); parent = (at - 1) >> 1) {
        swap(at, parent);
        at = parent;
      }
    },
  };
}
