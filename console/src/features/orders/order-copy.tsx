import type { Order } from "@order-operations-hub/sdk/api-types";
import { useEffect } from "react";
import type { Clock } from "../../ui/clock.ts";
import { plural, sentence } from "../../ui/format.ts";
import type { GridColumn } from "../../ui/grid-columns.ts";
import { showToast } from "../../ui/toast.tsx";
import { useLatest } from "../../ui/use-latest.ts";
import { useClock } from "../../ui/zone.tsx";
import { placeOf } from "./order-place.ts";
import type { useOrderSelection } from "./order-selection.ts";
import { countOf } from "./order-selection.ts";
import { holdNames, statusNames } from "./orders.text.ts";

type Cell = string | number | null | undefined;

/** "2026-11-18 17:00" in the time zone of the page: sheets read it as a time. */
function sheetTime(at: string | null, { timeZone }: Clock): Cell {
  return (
    at && new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(new Date(at))
  );
}

/** What a column has for a sheet: plain values instead of badges. */
const cells: Record<string, (order: Order, clock: Clock) => Cell> = {
  number: (order) => order.number,
  status: (order) =>
    [
      statusNames[order.status] ?? sentence(order.status),
      ...order.holds.map(({ reason }) => holdNames[reason] ?? reason),
    ].join(", "),
  customer: (order) => order.customer.name ?? order.customer.email,
  to: (order) => placeOf(order.shippingAddress),
  service: (order) => order.shipping.service,
  shipBy: (order, clock) => sheetTime(order.shipBy, clock),
  tags: (order) => order.tags.join(", "),
  total: (order) => order.total,
  priority: (order) => sentence(order.priority),
  payment: (order) => sentence(order.paymentStatus),
  channel: (order) => order.channel,
  carrier: (order) => order.shipping.carrier,
  lines: (order) => order.lines.length,
  orderedAt: (order, clock) => sheetTime(order.orderedAt, clock),
  createdAt: (order, clock) => sheetTime(order.createdAt, clock),
  updatedAt: (order, clock) => sheetTime(order.updatedAt, clock),
  externalId: (order) => order.externalId,
  address: (order) => order.addressStatus,
};

/** One line without tabs. A sheet would run a text that begins like a formula. */
function plain(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const text = (cell ?? "").replaceAll(/\s+/g, " ").trim();
  return /^[=+\-@]/.test(text) ? `'${text}` : text;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escape = (text: string): string => text.replaceAll(/[&<>]/g, (letter) => escapes[letter]!);

/** Puts the rows with their header on the clipboard, tab separated and as an HTML table. */
function copyRows(
  clipboard: Pick<DataTransfer, "setData">,
  rows: readonly Order[],
  columns: readonly GridColumn<Order>[],
  clock: Clock,
): void {
  const table = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ id }) => plain(cells[id]?.(row, clock)))),
  ];
  clipboard.setData("text/plain", table.map((row) => row.join("\t")).join("\n"));
  const html = table.map((row, at) => {
    const tag = at === 0 ? "th" : "td";
    return `<tr>${row.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join("")}</tr>`;
  });
  clipboard.setData("text/html", `<table>${html.join("")}</table>`);
}

type Props = {
  rows: readonly Order[];
  selected: ReturnType<typeof useOrderSelection>;
  columns: readonly GridColumn<Order>[];
};

/**
 * Ctrl+C copies the selected rows as a table, unless text is selected. The event of the browser works without HTTPS, where there is
 * no clipboard API. Loaded with the first selection.
 */
export function CopyRows(props: Props) {
  const latest = useLatest({ ...props, clock: useClock() });
  useEffect(() => {
    const onCopy = (event: ClipboardEvent): void => {
      const { rows, selected, columns, clock } = latest.current;
      const isText = getSelection()?.toString() || (event.target as Element | null)?.closest?.("input, textarea");
      if (isText || !event.clipboardData) return;
      event.preventDefault();
      const chosen = rows.filter(({ id }) => selected.isSelected(id));
      copyRows(event.clipboardData, chosen, columns, clock);
      const left = countOf(selected.selection) - chosen.length;
      const text = left > 0 ? `${plural(left, "order")} not loaded. Export has all that match.` : "";
      showToast(`Copied ${plural(chosen.length, "order")}`, { text });
    };
    document.addEventListener("copy", onCopy);
    return () => document.removeEventListener("copy", onCopy);
  }, [latest]);
  return null;
}
