import type { PDFImage } from "@cantoo/pdf-lib";
import type { Order, OrderLine } from "../orders/order.ts";
import { isShippable, remainingOf } from "../orders/order.ts";
import { formatAddress } from "./address-format.ts";
import type { Cell, Column } from "./draw-table.ts";
import { drawTable } from "./draw-table.ts";
import type { PaperLayout } from "./paper-sizes.ts";
import type { Sheets } from "./pdf/sheets.ts";

/** What the slips of an organization have in common. */
export type Letterhead = { name: string; address: string; footer: string; logo: PDFImage | undefined };

export type Slip = { order: Order; shipmentId?: string };
type Drawing = { sheets: Sheets; paper: PaperLayout; letterhead: Letterhead };

const columns: readonly Column[] = [
  { title: "Item", share: 0.86 },
  { title: "Quantity", share: 0.14, align: "end" },
];

/** All texts of an order that may be printed, to load the fonts that they need. */
export const textsOf = (order: Order): string =>
  JSON.stringify([
    order.number,
    order.shippingAddress,
    order.lines,
    order.notes.map(({ text }) => text),
    order.giftMessage,
    order.poNumber,
    order.shipping,
  ]);

/** Draws the slip of an order, on as many pages as its items need. */
export function drawPackingSlip(drawing: Drawing, slip: Slip): void {
  const { sheets, paper } = drawing;
  const first = sheets.pageCount();
  sheets.addPage();
  let y = drawHead(drawing, slip.order);
  y = drawAddresses(drawing, slip.order, y);
  y = drawMessages(drawing, slip.order, y);
  const newPage = (): number => {
    sheets.addPage();
    const style = { size: paper.text, weight: "bold", maxLines: 1 } as const;
    const box = { x: paper.margin, y: paper.margin, width: paper.width - 2 * paper.margin };
    return paper.margin + sheets.text(box, slip.order.number, style) + paper.text;
  };
  drawTable({ sheets, paper, columns, newPage }, itemsOf(slip).map(rowOf), y);
  drawFooters(drawing, first);
}

/** Lines with their quantities: of the shipment, else what is left to ship, else everything that was ordered. */
function itemsOf({ order, shipmentId }: Slip): { line: OrderLine; quantity: number }[] {
  const contents = order.shipments.find(({ id }) => id === shipmentId)?.lines ?? [];
  if (contents.length > 0) {
    const quantityOf = new Map(contents.map(({ lineId, quantity }) => [lineId, quantity]));
    return order.lines.flatMap((line) => {
      const quantity = quantityOf.get(line.id) ?? 0;
      return quantity > 0 ? [{ line, quantity }] : [];
    });
  }
  const left = order.lines
    .map((line) => ({ line, quantity: remainingOf(line) }))
    .filter(({ quantity }) => quantity > 0);
  if (left.length > 0) return left;
  return order.lines.filter(isShippable).map((line) => ({ line, quantity: line.quantity }));
}

function rowOf({ line, quantity }: { line: OrderLine; quantity: number }): Cell[] {
  const { sku, name, options = [], properties = [] } = line;
  const earlier = line.quantity - quantity;
  const details = [
    ...(name && sku ? [`SKU ${sku}`] : []),
    ...[...options, ...properties].map((one) => `${one.name}: ${one.value}`),
    ...(earlier > 0 && quantity < line.quantity ? [`${quantity} of ${line.quantity} in this shipment`] : []),
  ];
  return [
    { text: name || sku || "Item", details },
    { text: String(quantity), weight: "bold" },
  ];
}

function drawHead({ sheets, paper, letterhead }: Drawing, order: Order): number {
  const { margin, text, isSmall } = paper;
  const room = paper.width - 2 * margin;
  const left = { x: margin, y: margin, width: room * 0.5 };
  const logoHeight = isSmall ? 30 : 48;
  let leftEnd = margin;
  if (letterhead.logo) leftEnd += sheets.image({ ...left, height: logoHeight }, letterhead.logo).height + 4;
  else leftEnd += sheets.text(left, letterhead.name, { size: text * 1.5, weight: "bold", maxLines: 2 });
  leftEnd += sheets.text({ ...left, y: leftEnd }, letterhead.address, { size: text * 0.9, gray: 0.3, maxLines: 6 });
  const right = { x: margin + room * 0.5, width: room * 0.5 };
  const end = { align: "end", maxLines: 1 } as const;
  let y = margin + sheets.text({ ...right, y: margin }, "Packing slip", { size: text, gray: 0.35, ...end });
  y += sheets.text({ ...right, y }, order.number, { size: text * 1.6, weight: "bold", ...end, maxLines: 2 });
  y += sheets.text({ ...right, y }, `Ordered ${order.orderedAt.slice(0, 10)}`, { size: text * 0.9, gray: 0.3, ...end });
  if (order.poNumber)
    y += sheets.text({ ...right, y }, `PO ${order.poNumber}`, { size: text * 0.9, gray: 0.3, ...end });
  const height = isSmall ? 22 : 30;
  if (sheets.barcode({ ...right, y: y + 4, height }, order.number)) y += height + 8;
  return Math.max(y, leftEnd) + text;
}

function drawAddresses(
  { sheets, paper }: Drawing,
  { shippingAddress, shipping, deliverBy }: Order,
  top: number,
): number {
  const { margin, text } = paper;
  const room = paper.width - 2 * margin;
  const title = { size: text * 0.85, gray: 0.35, maxLines: 1 };
  const box = { x: margin, y: top, width: room * 0.6 };
  let y = top + sheets.text(box, "Ship to", title);
  const lines = shippingAddress ? formatAddress(shippingAddress) : ["No address"];
  for (const line of lines) y += sheets.text({ ...box, y }, line, { size: text, maxLines: 2 });
  const right = { x: margin + room * 0.62, y: top, width: room * 0.38 };
  const service = [shipping.carrier, shipping.service].filter(Boolean).join(", ").replaceAll("_", " ");
  let rightEnd = top;
  if (service) {
    rightEnd += sheets.text(right, "Shipping", title);
    rightEnd += sheets.text({ ...right, y: rightEnd }, service, { size: text, maxLines: 2 });
  }
  if (deliverBy) {
    rightEnd += sheets.text({ ...right, y: rightEnd }, "Deliver by", title);
    rightEnd += sheets.text({ ...right, y: rightEnd }, deliverBy.slice(0, 10), { size: text, maxLines: 1 });
  }
  return Math.max(y, rightEnd) + text * 1.2;
}

/** Gift message and notes for the recipient, each in a frame. */
function drawMessages({ sheets, paper }: Drawing, { giftMessage, notes }: Order, top: number): number {
  const { margin, text, isSmall } = paper;
  const width = paper.width - 2 * margin;
  const messages = [
    ...(giftMessage ? [{ title: "Gift message", message: giftMessage }] : []),
    ...notes
      .filter(({ visibility }) => visibility !== "internal")
      .slice(0, 3)
      .map((note) => ({ title: note.visibility === "gift" ? "Gift message" : "Note", message: note.text })),
  ];
  let y = top;
  for (const { title, message } of messages) {
    const style = { size: text, maxLines: isSmall ? 5 : 10 };
    const inner = { x: margin + 6, width: width - 12 };
    const height = sheets.heightOf(inner.width, message, style) + text * 2.4;
    sheets.frame({ x: margin, y, width, height });
    sheets.text({ ...inner, y: y + 4 }, title, { size: text * 0.85, gray: 0.35, maxLines: 1 });
    sheets.text({ ...inner, y: y + 4 + text * 1.3 }, message, style);
    y += height + text * 0.8;
  }
  return y + (messages.length > 0 ? text * 0.4 : 0);
}

function drawFooters({ sheets, paper, letterhead }: Drawing, first: number): void {
  const { margin, text, width, height } = paper;
  const count = sheets.pageCount() - first;
  const style = { size: text * 0.82, gray: 0.35, maxLines: 1 };
  const box = { x: margin, y: height - margin - text, width: width - 2 * margin };
  for (let page = 0; page < count; page++) {
    sheets.onPage(first + page, () => {
      if (letterhead.footer) sheets.text({ ...box, width: box.width * 0.8 }, letterhead.footer, style);
      if (count > 1) sheets.text(box, `Page ${page + 1} of ${count}`, { ...style, align: "end" });
    });
  }
}
