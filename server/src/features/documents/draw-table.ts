import type { PaperLayout } from "./paper-sizes.ts";
import type { Sheets, TextStyle } from "./pdf/sheets.ts";

export type Column = { title: string; share: number; align?: "start" | "end" };
/** A text with details in gray below it. */
export type Cell = { text: string; weight?: "bold"; details?: readonly string[] };

const gap = 8;
/** A row must fit on a page with the titles of its columns. */
const maxTextLines = 4;
const maxDetailLines = ({ isSmall }: PaperLayout): number => (isSmall ? 26 : 44);

type Drawing = { sheets: Sheets; paper: PaperLayout; columns: readonly Column[]; newPage(): number };

/** Draws rows from `top` on, with a new page and the titles of the columns where a page is full. Returns where it ended. */
export function drawTable(drawing: Drawing, rows: Iterable<readonly Cell[]>, top: number): number {
  const { sheets, paper, newPage } = drawing;
  let y = drawTitles(drawing, top);
  const bottom = paper.height - paper.margin - paper.text * 2;
  for (const row of rows) {
    const height = heightOfRow(drawing, row);
    if (y + height > bottom) y = drawTitles(drawing, newPage());
    for (const [at, cell] of row.entries()) drawCell(drawing, at, cell, y);
    y += height;
    sheets.line({ x: paper.margin, y, width: paper.width - 2 * paper.margin }, 0.88);
  }
  return y;
}

function boxOf({ paper, columns }: Drawing, at: number): { x: number; width: number } {
  const room = paper.width - 2 * paper.margin;
  const before = columns.slice(0, at).reduce((sum, { share }) => sum + share, 0);
  return { x: paper.margin + room * before, width: room * columns[at]!.share - (at === columns.length - 1 ? 0 : gap) };
}

function drawTitles(drawing: Drawing, top: number): number {
  const { sheets, paper, columns } = drawing;
  const size = paper.text * 0.85;
  for (const [at, { title, align = "start" }] of columns.entries())
    sheets.text({ ...boxOf(drawing, at), y: top }, title, { size, gray: 0.35, align, maxLines: 1 });
  const y = top + size * 1.7;
  sheets.line({ x: paper.margin, y, width: paper.width - 2 * paper.margin }, 0.4);
  return y;
}

function styles({ paper, columns }: Drawing, at: number, cell: Cell): { main: TextStyle; detail: TextStyle } {
  const align = columns[at]!.align ?? "start";
  return {
    main: { size: paper.text, align, maxLines: maxTextLines, ...(cell.weight && { weight: cell.weight }) },
    detail: { size: paper.text * 0.88, align, gray: 0.3, maxLines: maxDetailLines(paper) },
  };
}

const padding = (paper: PaperLayout): number => paper.text * 0.4;
const detailsOf = ({ details = [] }: Cell): string => details.join("\n");

function heightOfRow(drawing: Drawing, row: readonly Cell[]): number {
  const heights = row.map((cell, at) => {
    const { width } = boxOf(drawing, at);
    const { main, detail } = styles(drawing, at, cell);
    const { sheets } = drawing;
    return sheets.heightOf(width, cell.text, main) + sheets.heightOf(width, detailsOf(cell), detail);
  });
  return Math.max(...heights) + 2 * padding(drawing.paper);
}

function drawCell(drawing: Drawing, at: number, cell: Cell, top: number): void {
  const { main, detail } = styles(drawing, at, cell);
  const box = boxOf(drawing, at);
  const y = top + padding(drawing.paper);
  const height = drawing.sheets.text({ ...box, y }, cell.text, main);
  drawing.sheets.text({ ...box, y: y + height }, detailsOf(cell), detail);
}
