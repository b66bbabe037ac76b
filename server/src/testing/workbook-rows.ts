import { strFromU8, unzipSync } from "fflate";

/** Rows of the longest sheet of an XLSX file, its header included. */
export function workbookRows(file: Uint8Array): number {
  const parts = unzipSync(file, { filter: ({ name }) => name.startsWith("xl/worksheets/") });
  return Math.max(0, ...Object.values(parts).map((sheet) => strFromU8(sheet).split(/<row[ >]/).length - 1));
}
