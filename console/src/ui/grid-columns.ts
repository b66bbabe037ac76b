import type { ReactNode } from "react";

/** A column of a grid: what it is called, how wide it is, what it shows. */
export type GridColumn<Row> = {
  id: string;
  title: string;
  width: number;
  isNumber?: boolean;
  /** Takes what is left of the width. */
  isWide?: boolean;
  /** By what the list is sorted when its title is picked; the other way with a minus. */
  sort?: string;
  cell(row: Row): ReactNode;
};
