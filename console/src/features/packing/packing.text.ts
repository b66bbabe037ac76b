import type { PackItem } from "./packing.queries.ts";

export const nameOf = ({ name, sku }: Pick<PackItem, "name" | "sku">): string => name ?? sku;

export const text = {
  title: "Pack",
  exit: "Exit",
  scanItem: "Scan the next item, or an order to switch",
  scanOrder: "Scan an order to start",
  scanNext: "Scan the next order",
  noScope: "Your role can see packing stations but cannot pack orders. Ask an administrator for the role operator.",
  start: "Scan an order to start",
  startHelp: "Scan the order number on the packing slip, or press Enter for the next order in the queue.",
  printed: { dialog: "Label sent to print", file: "Label downloaded" },
  noBoxes: "No boxes yet. Boxes come from presets with the action “Choose package”.",
  emptyQueue: "No orders are ready to pack. Orders appear here when they are ready and not on hold.",
} as const;
