import { toGrams } from "../../core/weight.ts";
import type { PrintedShipment } from "./documents.store.ts";
import type { Cell, Column } from "./draw-table.ts";
import { drawTable } from "./draw-table.ts";
import type { PaperLayout } from "./paper-sizes.ts";
import { drawPageNumbers } from "./pick-list.ts";
import type { Sheets } from "./pdf/sheets.ts";

const wideColumns: readonly Column[] = [
  { title: "Tracking number", share: 0.36 },
  { title: "Order", share: 0.22 },
  { title: "To", share: 0.28 },
  { title: "Weight", share: 0.14, align: "end" },
];
const narrowColumns: readonly Column[] = [
  { title: "Tracking number", share: 0.72 },
  { title: "Weight", share: 0.28, align: "end" },
];

type Drawing = { sheets: Sheets; paper: PaperLayout; title: string; printedAt: string };

const words = (text: string): string => text.replaceAll("_", " ");
const byName = new Intl.Collator("en", { numeric: true });

/** The shipments by carrier and service, with a place for the signature of the driver. */
export function drawManifest(
  { sheets, paper, title, printedAt }: Drawing,
  shipments: readonly PrintedShipment[],
): void {
  const { margin, text } = paper;
  const box = { x: margin, width: paper.width - 2 * margin };
  sheets.addPage();
  let y =
    margin +
    sheets.text({ ...box, y: margin }, `Manifest · ${title}`, { size: text * 1.5, weight: "bold", maxLines: 2 });
  const summary = `${countOf(shipments)}, ${weightOf(shipments)} · ${printedAt}`;
  y += sheets.text({ ...box, y }, summary, { size: text * 0.9, gray: 0.3, maxLines: 2 }) + text;
  const newPage = (): number => {
    sheets.addPage();
    return margin;
  };
  const groups = Map.groupBy(shipments, ({ carrier, service }) =>
    [carrier ?? "No carrier", service ?? ""].filter(Boolean).join(", "),
  );
  const columns = paper.isSmall ? narrowColumns : wideColumns;
  for (const [name, found] of [...groups].toSorted(([a], [b]) => byName.compare(a, b))) {
    if (y > paper.height - margin - text * 8) y = newPage();
    const heading = `${words(name)}: ${countOf(found)}, ${weightOf(found)}`;
    y += sheets.text({ ...box, y }, heading, { size: text * 1.1, weight: "bold", maxLines: 2 }) + text * 0.4;
    y = drawTable({ sheets, paper, columns, newPage }, found.map(paper.isSmall ? narrowRow : wideRow), y) + text * 1.4;
  }
  if (y > paper.height - margin - text * 9) y = newPage();
  drawSignature(sheets, paper, y + text * 4);
  drawPageNumbers(sheets, paper);
}

const countOf = (shipments: readonly unknown[]): string =>
  `${shipments.length} ${shipments.length === 1 ? "shipment" : "shipments"}`;

/** In the unit of the first weight. Shipments without a weight are counted. */
function weightOf(shipments: readonly PrintedShipment[]): string {
  const weights = shipments.flatMap(({ weight }) => weight ?? []);
  const [first] = weights;
  if (!first) return "weight unknown";
  const grams = weights.reduce((sum, weight) => sum + toGrams(weight), 0);
  const total = grams / toGrams({ value: 1, unit: first.unit });
  const unknown = shipments.length - weights.length;
  return `${number(total)} ${first.unit}${unknown > 0 ? ` (${unknown} without a weight)` : ""}`;
}

const number = (value: number): string => String(Math.round(value * 100) / 100);

function toText({ destination }: PrintedShipment): string {
  if (!destination) return "";
  const { city, provinceCode, zip, countryCode } = destination;
  return [city, [provinceCode, zip].filter(Boolean).join(" "), countryCode].filter(Boolean).join(", ");
}

const weightCell = ({ weight }: PrintedShipment): Cell => ({
  text: weight ? `${number(weight.value)} ${weight.unit}` : "–",
});

function wideRow(shipment: PrintedShipment): Cell[] {
  const { trackingNumber, orderNumber } = shipment;
  return [
    { text: trackingNumber ?? "No number" },
    { text: orderNumber ?? "–" },
    { text: toText(shipment) },
    weightCell(shipment),
  ];
}

function narrowRow(shipment: PrintedShipment): Cell[] {
  const details = [[shipment.orderNumber, toText(shipment)].filter(Boolean).join(" · ")];
  return [{ text: shipment.trackingNumber ?? "No number", details }, weightCell(shipment)];
}

function drawSignature(sheets: Sheets, { margin, text, width }: PaperLayout, y: number): void {
  const room = width - 2 * margin;
  const fields = [
    { title: "Driver", from: 0, share: 0.3 },
    { title: "Signature", from: 0.34, share: 0.36 },
    { title: "Date and time", from: 0.74, share: 0.26 },
  ];
  for (const { title, from, share } of fields) {
    const box = { x: margin + room * from, width: room * share };
    sheets.line({ ...box, y }, 0.3);
    sheets.text({ ...box, y: y + 3 }, title, { size: text * 0.85, gray: 0.35, maxLines: 1 });
  }
}
