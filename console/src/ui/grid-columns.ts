import type { ReactNode } from "react";

/** A column of a grid. */
export type GridColumn<Row> = {
  id: string;
  title: string;
  width: number;
  isNumber?: boolean;
  /** Takes the remaining width. */
  isWide?: boolean;
  /** Sort key for a click on its title; a minus reverses it. */
  sort?: string;
  /** The first click sorts downwards: newest or largest first. */
  isDownFirst?: boolean;
  /** `width`: in pixels, for cells that show what fits. */
  cell(row: Row, width: number): ReactNode;
};
