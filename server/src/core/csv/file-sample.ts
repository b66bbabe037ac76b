import type { Row } from "./csv.ts";

const maxSampled = 20;
const maxCharacters = 200;

type SampledRow = { row: number; cells: string[] };

/** The first rows of a file and how full its columns are, for assigning fields to columns. */
export type FileSample = {
  /** By column, the number of rows with a value. */
  nonEmptyRows: number[];
  /** The first rows. */
  rows: SampledRow[];
  /** Returns the sampled row if it is one of the first. */
  add(row: Row): SampledRow | undefined;
};

export function createSample(columnCount: number): FileSample {
  const nonEmptyRows = Array.from({ length: columnCount }, () => 0);
  const rows: SampledRow[] = [];
  return {
    nonEmptyRows,
    rows,
    add({ number, cells }) {
      const width = Math.min(cells.length, columnCount);
      for (let index = 0; index < width; index++) if (cells[index]!.trim() !== "") nonEmptyRows[index]!++;
      if (rows.length >= maxSampled) return undefined;
      const sampled = { row: number, cells: nonEmptyRows.map((_, index) => clipText(cells[index] ?? "")) };
      rows.push(sampled);
      return sampled;
    },
  };
}

const clipText = (text: string): string =>
  text.length <= maxCharacters ? text : `${Array.from(text).slice(0, maxCharacters).join("")}…`;
