import { maskPerson, maySeePersonalData } from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import type { Shipment } from "./shipment.ts";
import { isTrackingActive, riskReasonsOf } from "./shipment.ts";

/** As this caller may see it; what is only kept to find it is left out by the shape of the answer. */
export function presentTo<Known extends Shipment>(ctx: Pick<Ctx, "principal" | "clock">, shipment: Known) {
  const reasons = riskReasonsOf(shipment, ctx.clock.now().toISOString());
  const mayKnow = maySeePersonalData(ctx);
  const destination =
    mayKnow || shipment.destination === null ? shipment.destination : maskPerson(shipment.destination);
  return {
    ...shipment,
    destination,
    isTrackingActive: isTrackingActive(shipment.status),
    atRisk: reasons.length > 0,
    riskReasons: reasons,
  };
}
