import type { GridColumn } from "./grid-columns.ts";

const selectWidth = 34;
const narrowest = 48;
const widest = 800;
export const clampWidth = (width: number): number => Math.round(Math.max(narrowest, Math.min(widest, width)));

type Column = Pick<GridColumn<unknown>, "id" | "width" | "isWide">;

/** Pinned columns take at most this part of the grid, so that a narrow one still shows columns that scroll. */
const pinnedPart = 0.6;

/**
 * Widths of the columns. Those that the user has set are fixed; the others share the room that is left, at least their own width.
 * `room`: width of the grid. `pins`: how many columns stay in sight beside the checkbox while the others scroll, at least the first.
 */
export function layColumns(
  columns: readonly Column[],
  set: Readonly<Record<string, number>>,
  room: number,
  pins: number,
) {
  const own = columns.map(({ id, width }) => set[id] ?? width);
  const shares = columns.map(({ id, width, isWide }) => (set[id] === undefined ? width * (isWide ? 3 : 1) : 0));
  const minWidth = selectWidth + own.reduce((sum, width) => sum + width, 0);
  const all = shares.reduce((sum, share) => sum + share, 0);
  const extra = Math.max(0, room - minWidth);
  const widths = own.map((width, at) => Math.floor(width + (all > 0 ? (extra * shares[at]!) / all : 0)));
  const starts = widths.map((_, at) => selectWidth + widths.slice(0, at).reduce((sum, width) => sum + width, 0));
  const fitting = starts.findIndex((start, at) => at > 0 && start + widths[at]! > room * pinnedPart);
  return {
    template: [selectWidth, ...widths].map((width) => `${width}px`).join(" "),
    minWidth,
    widths,
    /** Where each pinned column stays, in pixels. */
    pinnedStarts: starts.slice(0, Math.max(1, fitting < 0 ? pins : Math.min(pins, fitting))),
  };
}
