import type { OrderLine } from "../../orders/order.ts";

export const maxParts = 50;
const rounding = 1e-9;

/** How many units of this size there is room for. */
export function unitsIn(room: number, size: number): number {
  return size > 0 ? Math.floor(room / size + rounding) : Infinity;
}

type Part = { lines: OrderLine[]; room: number };

/**
 * First fit: every unit goes into the first part that has room for it. Whole quantities are placed at once, since a
 * line may have a million units. No unit may be larger than `limit`. Undefined: it would take too many parts.
 */
export function packLines(
  lines: readonly OrderLine[],
  sizeOf: (line: OrderLine) => number,
  limit: number,
): OrderLine[][] | undefined {
  const parts: Part[] = [{ lines: [], room: limit }];
  for (const line of lines) {
    if (line.quantity === 0) parts[0]!.lines.push(line);
    let left = line.quantity;
    for (let i = 0; left > 0; i++) {
      if (i === maxParts) return undefined;
      const part = (parts[i] ??= { lines: [], room: limit });
      const size = sizeOf(line);
      const fitting = Math.min(left, unitsIn(part.room, size));
      if (fitting <= 0) continue;
      part.lines.push({ ...line, quantity: fitting });
      part.room -= fitting * size;
      left -= fitting;
    }
  }
  return parts.map((part) => part.lines);
}
