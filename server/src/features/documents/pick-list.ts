import type { Order } from "../orders/order.ts";
import { remainingOf } from "../orders/order.ts";
import type { Cell, Column } from "./draw-table.ts";
import { drawTable } from "./draw-table.ts";
import type { PaperLayout } from "./paper-sizes.ts";
import type { Sheets } from "./pdf/sheets.ts";

/** An item to fetch. `options` and what the customer wrote are part of it: a red mug is not a blue one. */
type PickItem = {
  location: string;
  sku: string;
  name: string;
  details: string[];
  quantity: number;
  orders: Map<string, number>;
};
export type PickList = { items: Map<string, PickItem>; orderCount: number };

/** Orders that are named beside an item; the number of the others is shown. */
const [maxNamedOrders, maxNamedOnSmall] = [24, 8];

export const newPickList = (): PickList => ({ items: new Map(), orderCount: 0 });

/** Adds what is left to ship of an order. */
export function addToPickList(list: PickList, order: Order, locationNames: ReadonlyMap<string, string>): void {
  list.orderCount++;
  const location = (order.locationId && locationNames.get(order.locationId)) || "";
  for (const line of order.lines) {
    const quantity = remainingOf(line);
    if (quantity === 0) continue;
    const { sku, name = "", options = [], properties = [] } = line;
    const details = [...options, ...properties].map((one) => `${one.name}: ${one.value}`);
    const key = JSON.stringify([location, sku, sku ? "" : name, details]);
    const item = list.items.get(key) ?? {
      location,
      sku,
      name,
      details,
      quantity: 0,
      orders: new Map<string, number>(),
    };
    item.quantity += quantity;
    item.orders.set(order.number, (item.orders.get(order.number) ?? 0) + quantity);
    list.items.set(key, item);
  }
}

/** By location and SKU. Numbers within SKUs are compared as numbers; items without a location come last. */
function sortPickItems(items: Iterable<PickItem>): PickItem[] {
  const collator = new Intl.Collator("en", { numeric: true });
  return [...items].toSorted(
    (a, b) =>
      Number(a.location === "") - Number(b.location === "") ||
      collator.compare(a.location, b.location) ||
      collator.compare(a.sku, b.sku) ||
      collator.compare(a.details.join(), b.details.join()),
  );
}

const wideColumns: readonly Column[] = [
  { title: "", share: 0.05 },
  { title: "SKU", share: 0.2 },
  { title: "Item", share: 0.37 },
  { title: "Quantity", share: 0.1, align: "end" },
  { title: "Orders", share: 0.28 },
];
const narrowColumns: readonly Column[] = [
  { title: "Item", share: 0.62 },
  { title: "Quantity", share: 0.14, align: "end" },
  { title: "Orders", share: 0.24 },
];

type Drawing = { sheets: Sheets; paper: PaperLayout; title: string; printedAt: string };

export function drawPickList({ sheets, paper, title, printedAt }: Drawing, list: PickList): void {
  const { margin, text } = paper;
  const box = { x: margin, width: paper.width - 2 * margin };
  const items = sortPickItems(list.items.values());
  const units = items.reduce((sum, { quantity }) => sum + quantity, 0);
  sheets.addPage();
  let y =
    margin +
    sheets.text({ ...box, y: margin }, `Pick list · ${title}`, { size: text * 1.5, weight: "bold", maxLines: 2 });
  const summary = `${units} units of ${items.length} items for ${list.orderCount} orders · ${printedAt}`;
  y += sheets.text({ ...box, y }, summary, { size: text * 0.9, gray: 0.3, maxLines: 2 }) + text;
  const newPage = (): number => {
    sheets.addPage();
    return margin;
  };
  const columns = paper.isSmall ? narrowColumns : wideColumns;
  for (const [location, found] of Map.groupBy(items, ({ location: name }) => name)) {
    if (y > paper.height - margin - text * 8) y = newPage();
    y +=
      sheets.text({ ...box, y }, location || "No location", { size: text * 1.1, weight: "bold", maxLines: 1 }) +
      text * 0.4;
    const rows = found.map((item) => (paper.isSmall ? narrowRow(item) : wideRow(item)));
    y = drawTable({ sheets, paper, columns, newPage }, rows, y) + text * 1.4;
  }
  drawPageNumbers(sheets, paper);
}

const quantityCell = ({ quantity }: PickItem): Cell => ({ text: String(quantity), weight: "bold" });

function ordersCell({ orders }: PickItem, maxNamed: number): Cell {
  const named = [...orders].slice(0, maxNamed).map(([number, count]) => (count > 1 ? `${number} × ${count}` : number));
  const more = orders.size - named.length;
  return { text: "", details: [[...named, ...(more > 0 ? [`${more} more`] : [])].join(", ")] };
}

function wideRow(item: PickItem): Cell[] {
  const { sku, name, details } = item;
  return [
    { text: "[  ]" },
    { text: sku || "–" },
    { text: name || sku, details },
    quantityCell(item),
    ordersCell(item, maxNamedOrders),
  ];
}

function narrowRow(item: PickItem): Cell[] {
  const { sku, name, details } = item;
  return [
    { text: sku || name, details: [...(sku && name ? [name] : []), ...details] },
    quantityCell(item),
    ordersCell(item, maxNamedOnSmall),
  ];
}

export function drawPageNumbers(sheets: Sheets, { margin, text, width, height }: PaperLayout): void {
  const count = sheets.pageCount();
  if (count === 1) return;
  const box = { x: margin, y: height - margin - text, width: width - 2 * margin };
  for (let page = 0; page < count; page++) {
    const style = { size: text * 0.82, gray: 0.35, maxLines: 1, align: "end" } as const;
    sheets.onPage(page, () => sheets.text(box, `Page ${page + 1} of ${count}`, style));
  }
}
