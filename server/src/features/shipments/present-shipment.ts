import { maskPerson, maySeePersonalData } from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import type { Shipment } from "./shipment.ts";
import { isTrackingActive, promiseOutcomeOf, riskReasonsOf } from "./shipment.ts";

/** The shipment as this caller may see it. The response schema drops internal fields. */
export function presentTo<Known extends Shipment>(ctx: Pick<Ctx, "principal" | "clock">, shipment: Known) {
  const now = ctx.clock.now().toISOString();
  const reasons = riskReasonsOf(shipment, now);
  const mayKnow = maySeePersonalData(ctx);
  const destination =
    mayKnow || shipment.destination === null ? shipment.destination : maskPerson(shipment.destination);
  return {
    ...shipment,
    destination,
    isTrackingActive: isTrackingActive(shipment.status),
    atRisk: reasons.length > 0,
    riskReasons: reasons,
    promiseOutcome: promiseOutcomeOf(shipment, now),
  };
}
