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
  const shipments = listOf(record.shipments).map((shipment) => ({
    trackingNumber: line(shipment.trackingNumber, 200),
    carrier: line(shipment.carrier, 100),
    trackingUrl: line(shipment.trackingUrl, 500),
    shippedAt: line(shipment.shippedAt, 40),
    quantities: quantitiesOf(listOf(shipment.lines)),
  }));
  if (shipments.length === 0) {
    throw new RemoteError("nothing_to_send", "The order has no shipments; mark it as shipped first.");
  }
  return shipments;
}

function quantitiesOf(lines: Json[]): Map<string, number> {
  const quantities = new Map<string, number>();
  for (const { lineId, quantity } of lines) {
    if (typeof lineId === "string" && typeof quantity === "number") {
      quantities.set(lineId, (quantities.get(lineId) ?? 0) + quantity);
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
