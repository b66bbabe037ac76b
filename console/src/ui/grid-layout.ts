import type { GridColumn } from "./grid-columns.ts";

const selectWidth = 34;
/** The first column stays in sight beside the checkbox while the others scroll. */
export const pinned = "sticky start-[34px] z-1";

const narrowest = 48;
const widest = 800;
export const clampWidth = (width: number): number => Math.round(Math.max(narrowest, Math.min(widest, width)));

type Column = Pick<GridColumn<unknown>, "id" | "width" | "isWide">;

/**
 * Widths of the columns. Those that the user has set are fixed; the others share the room that is left, at least their own width.
 * `room`: width of the grid.
 */
export function layColumns(columns: readonly Column[], set: Readonly<Record<string, number>>, room: number) {
  const own = columns.map(({ id, width }) => set[id] ?? width);
  const shares = columns.map(({ id, width, isWide }) => (set[id] === undefined ? width * (isWide ? 3 : 1) : 0));
  const minWidth = selectWidth + own.reduce((sum, width) => sum + width, 0);
  const all = shares.reduce((sum, share) => sum + share, 0);
  const extra = Math.max(0, room - minWidth);
  const widths = own.map((width, at) => Math.floor(width + (all > 0 ? (extra * shares[at]!) / all : 0)));
  return { template: [selectWidth, ...widths].map((width) => `${width}px`).join(" "), minWidth, widths };
}
