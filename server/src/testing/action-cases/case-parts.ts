import type { Order } from "../../features/orders/order.ts";
import { aHold, aLine } from "../an-order.ts";
import { now } from "../an-evaluation.ts";

export type Given = Partial<Order>;
export type Case = { given?: Given; others?: Given[]; params?: object; mayOverride?: boolean };
/** Lists are compared by the members that are named here, everything else exactly. */
type Applied = Case & { gives: Partial<Record<keyof Order, unknown>>; warning?: string };
type Unchanged = Case & { warning?: string };
type Blocked = Case & { code: string };

/** For tests: what an action does to orders. A text instead of cases says why there are none of a kind. */
export type Cases = { applied: Applied[] | string; unchanged: Unchanged[] | string; blocked: Blocked[] | string };

export const systemHold = aHold({ handle: "address_validation", reason: "incorrect_address", source: "system" });
export const fullHolds = Array.from({ length: 10 }, (_, i) => aHold({ id: `hold-${i}`, handle: `h${i}` }));
export const aNote = { id: "note-1", text: "hi", visibility: "internal", by: systemHold.by, at: now } as const;
export const fullNotes = Array.from({ length: 200 }, (_, i) => ({ ...aNote, id: `note-${i}` }));
export const fullTags = Array.from({ length: 50 }, (_, i) => `tag-${i}`);

const shipments: Order["shipments"] = [
  {
    id: "shipment-1",
    trackingNumber: "T1",
    carrier: "ups",
    service: "ground",
    shippedAt: now,
    lines: [{ lineId: "line-a", quantity: 1 }],
  },
];
export const partly: Given = {
  status: "partially_shipped",
  lines: [aLine({ quantity: 3, shippedQuantity: 1 })],
  shipments,
};
export const entirely: Given = { status: "shipped", lines: [aLine({ quantity: 1, shippedQuantity: 1 })], shipments };
export const merged: Given = { status: "cancelled", mergedIntoId: "0199f0a0-0000-7000-8000-00000000a009" };

export function noted(text: string): unknown[] {
  return [{ text, visibility: "internal", at: now }];
}

export function withLines(...lines: [id: string, quantity: number, shippedQuantity: number][]): unknown[] {
  return lines.map(([id, quantity, shippedQuantity]) => ({ id, quantity, shippedQuantity }));
}
