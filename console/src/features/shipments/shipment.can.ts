import type { Shipment } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

/** Whether an action on a shipment is allowed: undefined, or the reason why not. */
export const shipmentCan = {
  change: (me: Me): string | undefined => missingScope(me, "shipments:write"),
  track(shipment: Shipment, me: Me): string | undefined {
    const refused = missingScope(me, "shipments:write");
    if (refused) return refused;
    if (!shipment.trackingNumber) return "The shipment has no tracking number.";
    if (!shipment.carrier) return "The shipment has no carrier.";
    return shipment.isTrackingActive ? undefined : "Tracking has ended for this shipment.";
  },
  void(shipment: Shipment, me: Me): string | undefined {
    const refused = missingScope(me, "shipments:write");
    if (refused) return refused;
    if (shipment.voidedAt) return "The shipment is voided.";
    return shipment.acceptedAt ? "The carrier already has the parcel." : undefined;
  },
};
