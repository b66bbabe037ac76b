import type { Static } from "typebox";
import { Type } from "../core/type.ts";
import { Count, DateTime, Id, Nullable, OneOf, pageQuery } from "../core/schema.ts";
import type { Ctx } from "../context.ts";
import { listShipmentsAcrossOrgs } from "../features/shipments/shipments.ts";
import { riskReasons, shipmentStatuses } from "../features/shipments/shipments.states.ts";
import type { GatewayAnswer } from "./envelope.ts";
import { organizationQuery } from "./overview.ts";

const MaybeText = Nullable(Type.String());

export const AtRisk = Type.Object({
  shipments: Type.Array(
    Type.Object({
      id: Id,
      organization_id: Id,
      order_id: Nullable(Id),
      order_number: MaybeText,
      carrier: MaybeText,
      service: MaybeText,
      tracking_number: MaybeText,
      status: OneOf(shipmentStatuses),
      reasons: Type.Array(OneOf(riskReasons)),
      at_risk_since: DateTime,
      shipped_at: DateTime,
      promised_date: Nullable(Type.String({ format: "date" })),
      last_event_at: Nullable(DateTime),
    }),
  ),
  pagination: Type.Object({
    page: Count,
    limit: Count,
    total: Type.Integer({ minimum: 0, description: "Counted up to 10,000" }),
    pages: Count,
    hasMore: Type.Boolean(),
  }),
});

export const AtRiskQuery = pageQuery({ ...organizationQuery, reason: Type.Optional(OneOf(riskReasons)) });
export type AtRiskQuery = Static<typeof AtRiskQuery>;

/** The shipments counted in `at_risk`, the longest at risk first. */
export async function readAtRisk(
  ctx: Ctx,
  organizationId: string | undefined,
  { page, limit, reason }: AtRiskQuery,
): Promise<GatewayAnswer> {
  const query = { page, limit, atRisk: true, ...(reason === undefined ? {} : { riskReason: reason }) };
  const found = await listShipmentsAcrossOrgs(ctx, organizationId ?? null, query);
  const shipments = found.data.map((shipment) => ({
    id: shipment.id,
    organization_id: shipment.orgId,
    order_id: shipment.orderId,
    order_number: shipment.orderNumber,
    carrier: shipment.carrier,
    service: shipment.service,
    tracking_number: shipment.trackingNumber,
    status: shipment.status,
    reasons: shipment.riskReasons,
    at_risk_since: shipment.riskAt,
    shipped_at: shipment.shippedAt,
    promised_date: shipment.promisedDate,
    last_event_at: shipment.lastEventAt,
  }));
  const meta = { organizationId: organizationId ?? null, generatedAt: ctx.clock.now().toISOString() };
  return { data: { shipments, pagination: found.pagination }, meta };
}
