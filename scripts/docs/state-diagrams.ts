import type { Moves } from "../../server/src/core/states.ts";
import { labelMoves } from "../../server/src/features/labels/labels.states.ts";
import { orderMoves } from "../../server/src/features/orders/orders.states.ts";
import { pickupMoves } from "../../server/src/features/pickups/pickups.states.ts";
import { shipmentMoves } from "../../server/src/features/shipments/shipments.states.ts";

type Machine = { name: string; title: string; about: string; moves: Moves<string> };

/** Where the code has a table of moves, the diagram is drawn from it. */
export const machines: readonly Machine[] = [
  {
    name: "orders",
    title: "Orders",
    about:
      "Holds are independent of the status: an order on hold keeps it and cannot be sent or shipped. Payment has a status of its own. " +
      "[Actions](action-reference.md) list the statuses that they are allowed in.",
    moves: orderMoves,
  },
  {
    name: "labels",
    title: "Labels",
    about:
      "`requested` lasts until the carrier has answered. A label that failed with an unknown outcome can be requested again under the same key, " +
      "or be found to have been sold.",
    moves: labelMoves,
  },
  {
    name: "pickups",
    title: "Pickups",
    about: "A reschedule goes back to `requested`, and to `scheduled` if the carrier rejects it.",
    moves: pickupMoves,
  },
  {
    name: "shipments",
    title: "Shipments",
    about:
      "Tracking events move a shipment. An event that no move leads to changes nothing, such as a scan that is reported after the delivery.",
    moves: shipmentMoves,
  },
  {
    name: "executions",
    title: "Executions of tasks",
    about:
      "A retry is a new execution. `completed_with_errors` did a part; its retry does the rest. `expired` waited longer than it was allowed to.",
    moves: {
      queued: ["running", "cancelled", "expired"],
      running: ["queued", "succeeded", "completed_with_errors", "failed", "timed_out", "cancelled"],
      succeeded: [],
      completed_with_errors: [],
      failed: [],
      timed_out: [],
      cancelled: [],
      expired: [],
    },
  },
];

const row = 44;
const box = { width: 190, height: 28 };
const colours = `
  .box { fill: #f6f7f8; stroke: #868e99; }
  text { fill: #16191d; font: 13px ui-monospace, Menlo, Consolas, "Liberation Mono", monospace; }
  .forward { stroke: #2f5fe0; } .back { stroke: #8a5800; }
  .forward-tip { fill: #2f5fe0; } .back-tip { fill: #8a5800; }
  @media (prefers-color-scheme: dark) {
    .box { fill: #15181c; stroke: #6b7480; }
    text { fill: #e8eaed; }
    .forward { stroke: #6f95ff; } .back { stroke: #e2ad4b; }
    .forward-tip { fill: #6f95ff; } .back-tip { fill: #e2ad4b; }
  }`;

/**
 * States below each other, with an arc for each move: down on the right, back up on the left. The arcs of a state leave and arrive at
 * different heights, so that they can be told apart.
 */
export function drawStates({ title, moves }: Machine): string {
  const states = Object.keys(moves);
  const edges = states.flatMap((from, at) => moves[from]!.map((to) => ({ at, to: states.indexOf(to) })));
  const reach = Math.max(...edges.map(({ at, to }) => Math.abs(at - to)));
  const side = 34 + reach * 22;
  const left = side;
  const width = side * 2 + box.width;
  const height = states.length * row + 12;
  const middleOf = (index: number): number => 8 + index * row + box.height / 2;
  const arcs = edges.map(({ at, to }) => {
    const isForward = to > at;
    const kind = isForward ? "forward" : "back";
    const x = isForward ? left + box.width : left;
    const span = Math.abs(at - to);
    const [start, end] = isForward ? [middleOf(at) + 5, middleOf(to) - 5] : [middleOf(at) - 5, middleOf(to) + 5];
    const bend = x + (isForward ? 1 : -1) * (18 + span * 26);
    const tip = isForward ? x + 6 : x - 6;
    const path = `<path class="${kind}" d="M${x} ${start} C${bend} ${start}, ${bend} ${end}, ${tip} ${end}"/>`;
    const back = isForward ? x + 8 : x - 8;
    return `${path}<path class="${kind}-tip" stroke="none" d="M${x} ${end} L${back} ${end - 4} L${back} ${end + 4} Z"/>`;
  });
  const boxes = states.map((state, index) => {
    const y = middleOf(index);
    const frame = `<rect class="box" x="${left}" y="${y - box.height / 2}" width="${box.width}" height="${box.height}" rx="6"/>`;
    return `${frame}<text x="${left + box.width / 2}" y="${y + 4.5}" text-anchor="middle">${state}</text>`;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="States of ${title.toLowerCase()}">\n` +
    `<style>${colours}\n</style>\n<g fill="none" stroke-width="1.3">\n${arcs.join("\n")}\n</g>\n${boxes.join("\n")}\n</svg>\n`
  );
}

export function statesPage(note: string): string {
  const parts = machines.map(({ name, title, about, moves }) => {
    const rows = Object.entries(moves).map(
      ([from, to]) =>
        `| \`${from}\` | ${to.length === 0 ? "none: final" : to.map((state) => `\`${state}\``).join(", ")} |`,
    );
    const picture = `![States of ${title.toLowerCase()}, with an arrow for each allowed change](images/states-${name}.svg)`;
    return `## ${title}\n\n${about}\n\n${picture}\n\n| From | To |\n|---|---|\n${rows.join("\n")}`;
  });
  const intro =
    "Which state may follow which. Blue arrows on the right lead forward, amber ones on the left back. Changes that are not listed are refused\n" +
    "with `invalid_state`.";
  return `# States\n\n${note}\n\n${intro}\n\n${parts.join("\n\n")}\n`;
}
