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
  cell(row: Row): ReactNode;
};
