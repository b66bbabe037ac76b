import type { Paper } from "./documents.schemas.ts";

/** In points, 72 to the inch. `margin` on all sides; `text`: size of the text, from which the others follow. */
export type PaperLayout = { width: number; height: number; margin: number; text: number; isSmall: boolean };

export const paperLayouts: Record<Paper, PaperLayout> = {
  "4x6": { width: 288, height: 432, margin: 14, text: 7.5, isSmall: true },
  a6: { width: 297.64, height: 419.53, margin: 14, text: 7.5, isSmall: true },
  a4: { width: 595.28, height: 841.89, margin: 40, text: 9.5, isSmall: false },
  letter: { width: 612, height: 792, margin: 40, text: 9.5, isSmall: false },
};
