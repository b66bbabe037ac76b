import type { Order, OrderLine } from "../orders/order.ts";
import { isShippable, remainingOf } from "../orders/order.ts";
import { foldCode } from "./scanned-code.ts";

/** Packed units by the id of their line. */
export type Packed = ReadonlyMap<string, number>;

export type PackItem = { line: OrderLine; needed: number; packed: number };

/** What has to be packed. A line that was reduced after its units were packed stays, so that they can be taken out. */
export function itemsOf({ lines }: Pick<Order, "lines">, packed: Packed): PackItem[] {
  return lines
    .map((line) => ({ line, needed: remainingOf(line), packed: packed.get(line.id) ?? 0 }))
    .filter((item) => item.needed > 0 || item.packed > 0);
}

export function isComplete(items: readonly PackItem[]): boolean {
  return items.length > 0 && items.every(({ needed, packed }) => needed === packed);
}

export type Match = { kind: "item" | "full"; item: PackItem } | { kind: "not_needed"; line: OrderLine } | undefined;

/**
 * The item that a scanned code belongs to. Two lines may have the same SKU, such as with different engravings: the first one that is
 * not complete is meant.
 */
export function matchCode(order: Pick<Order, "lines">, packed: Packed, code: string): Match {
  const lines = linesWithCode(order.lines, code);
  const items = itemsOf(order, packed).filter(({ line }) => lines.includes(line));
  const open = items.find((item) => item.packed < item.needed);
  if (open) return { kind: "item", item: open };
  if (items[0]) return { kind: "full", item: items[0] };
  return lines[0] && { kind: "not_needed", line: lines[0] };
}

/** SKUs come first, and exact spellings before tolerated ones: SKUs may differ in their case alone. */
function linesWithCode(lines: readonly OrderLine[], code: string): OrderLine[] {
  const exact = code.trim();
  const folded = foldCode(code);
  const rules: ((line: OrderLine) => boolean)[] = [
    ({ sku }) => sku === exact,
    ({ variantId }) => variantId === exact,
    ({ sku }) => foldCode(sku) === folded,
    ({ variantId }) => variantId !== undefined && foldCode(variantId) === folded,
  ];
  for (const isMeant of rules) {
    const found = lines.filter(isMeant);
    if (found.length > 0) return found;
  }
  return [];
}

/** Why no unit of a line of the order is packed. */
export function whyNotNeeded(line: OrderLine): string {
  if (!isShippable(line)) return "does not ship";
  return line.quantity === 0 ? "was refunded" : "is shipped already";
}
