import { kitPartIndex } from "../core/kit-parts.ts";
import { RemoteError } from "../core/remote-error.ts";
import type { Json } from "./shape.ts";
import { line, listOf, objectOf } from "./shape.ts";

export type Shipment = {
  trackingNumber: string | undefined;
  carrier: string | undefined;
  trackingUrl: string | undefined;
  shippedAt: string | undefined;
  /** By line ID of the shop. */
  quantities: Map<string, number>;
};

/** The shipments of an order, as shops need them. */
export function shipmentsIn(record: Json): Shipment[] {
  const kits = kitsIn(record);
  const partsShipped = new Map<string, number>();
  for (const { lines } of listOf(record.earlierShipments)) quantitiesOf(listOf(lines), kits, partsShipped);
  const all = listOf(record.shipments);
  const shipments: Shipment[] = [];
  for (const shipment of all) {
    const lines = listOf(shipment.lines);
    const quantities = quantitiesOf(lines, kits, partsShipped);
    if (lines.length > 0 && quantities.size === 0) continue;
    shipments.push({
      trackingNumber: line(shipment.trackingNumber, 200),
      carrier: line(shipment.carrier, 100),
      trackingUrl: line(shipment.trackingUrl, 500),
      shippedAt: line(shipment.shippedAt, 40),
      quantities,
    });
  }
  if (shipments.length === 0 && all.length > 0) {
    const message = "The shipment has only parts of kits that are reported with another shipment.";
    throw new RemoteError("nothing_to_send", message);
  }
  if (shipments.length === 0) {
    throw new RemoteError("nothing_to_send", "The order has no shipments; mark it as shipped first.");
  }
  return shipments;
}

type KitParts = Map<string, { kitLineId: string; partsPerKit: number; isFirst: boolean }>;

/** The lines that the hub added for kits, which the shop does not have. Shipping the first part of a kit counts as shipping the kit. */
function kitsIn(record: Json): KitParts {
  const lines = listOf(record.lines);
  const quantities = new Map(lines.map(({ id, quantity }) => [id, Number(quantity)]));
  const parts: KitParts = new Map();
  for (const { id, parentLineId: kitLineId, quantity } of lines) {
    const index = typeof id === "string" && typeof kitLineId === "string" ? kitPartIndex(id) : undefined;
    if (index === undefined || typeof id !== "string" || typeof kitLineId !== "string") continue;
    const kits = quantities.get(kitLineId) ?? 0;
    if (kits > 0) parts.set(id, { kitLineId, partsPerKit: Number(quantity) / kits, isFirst: index === 0 });
  }
  return parts;
}

/**
 * A kit counts as shipped with the first of its first parts. `partsShipped` counts those over several shipments: rounding up
 * within each would report a kit twice whose parts are in two parcels.
 */
function quantitiesOf(lines: Json[], kits: KitParts, partsShipped: Map<string, number>): Map<string, number> {
  const quantities = new Map<string, number>();
  const add = (lineId: string, quantity: number): void => {
    if (quantity > 0) quantities.set(lineId, (quantities.get(lineId) ?? 0) + quantity);
  };
  for (const { lineId, quantity } of lines) {
    if (typeof lineId !== "string" || typeof quantity !== "number") continue;
    const part = kits.get(lineId);
    if (!part) add(lineId, quantity);
    else if (part.isFirst) {
      const before = partsShipped.get(lineId) ?? 0;
      partsShipped.set(lineId, before + quantity);
      const kitsBefore = Math.ceil(before / part.partsPerKit);
      add(part.kitLineId, Math.ceil((before + quantity) / part.partsPerKit) - kitsBefore);
    }
  }
  return quantities;
}

export function externalIdOf(record: Json): string {
  const externalId = line(objectOf(record).externalId, 200);
  if (externalId !== undefined) return externalId;
  throw new RemoteError(
    "order_not_from_bridge",
    "The order has no external ID: it was not imported through this bridge.",
  );
}
