import { HubError } from "../../core/errors.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import { notFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { Unfinished } from "../../route.ts";
import { lockOrders } from "../orders/orders.ts";
import { askForLabel } from "./ask-seller.ts";
import type { ShipmentLabel } from "./label.ts";
import { dueOf, presentLabel } from "./label.ts";
import type { LabelRequest, LabelSale } from "./labels.schemas.ts";
import * as store from "./labels.store.ts";
import { planLabel, refuseUnshippable } from "./plan-label.ts";
import type { Settled } from "./settle-label.ts";
import { record, settlePurchase } from "./settle-label.ts";

type Answer = LabelSale | Unfinished<LabelSale>;

/**
 * The wish is written down before the carrier hears of it: whatever happens then, nothing that was paid for is lost or
 * bought twice. The answer that is kept with it makes a repeated Idempotency-Key find this label, not buy another one.
 */
export async function buyLabel(ctx: Ctx, request: LabelRequest): Promise<Answer> {
  const { open, wish } = await planLabel(ctx, request);
  const now = ctx.clock.now().toISOString();
  const begun = { status: "requested", voidRequestedAt: null, attempts: 0 } as const;
  const label: ShipmentLabel = {
    ...wish,
    ...begun,
    id: ctx.newId(),
    carrierAccountId: open.account.id,
    carrier: open.account.carrier,
    shipmentId: null,
    trackingNumber: null,
    costCents: null,
    contentType: null,
    contentBytes: null,
    failure: null,
    dueAt: dueOf(begun, now),
    boughtAt: null,
    voidedAt: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  await change(ctx, async (tx): Promise<Answer> => {
    if (label.orderId !== null) {
      // Again, now that nobody else can change it: a label for a cancelled order would be paid for nothing.
      const [order] = await lockOrders(tx, ctx.orgId, [label.orderId]);
      if (!order) throw notFound("order");
      refuseUnshippable(order);
    }
    await store.insertLabel(tx, ctx.orgId, label);
    await record(tx, ctx, label, "requested");
    return present(ctx, { label, shipment: null });
  });
  const said = await askForLabel(ctx, open, label);
  if ("refused" in said) {
    await ctx.db.transaction((tx) => settlePurchase(tx, ctx, label.id, said));
    throw refusal(ctx, label.id, said.refused);
  }
  return await change(ctx, async (tx) => present(ctx, await settlePurchase(tx, ctx, label.id, said)));
}

function present(ctx: Ctx, { label, shipment }: Settled): Answer {
  const sale = { label: presentLabel(ctx, label), shipment };
  return label.status === "requested" ? new Unfinished(sale) : sale;
}

function refusal(ctx: Ctx, labelId: string, { code, message }: { code: string; message: string }): HubError {
  // It may quote the address.
  const said = maySeePersonalData(ctx) ? message : undefined;
  const errors =
    code === "unknown_service" ? { errors: [{ pointer: "/service", code, message: "There is no such service." }] } : {};
  return new HubError("label_refused", said, { ...errors, extra: { labelId, carrierCode: code } });
}
