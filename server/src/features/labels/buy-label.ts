import { HubError } from "../../core/errors.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { Unfinished } from "../../route.ts";
import { sendAndAnswer, nowOf, requireUnknownOutcome, commitRequest } from "../carrier-accounts/carrier-requests.ts";
import type { Failure, OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { findParcel } from "../shipments/shipments.ts";
import type { ShipmentLabel } from "./label.ts";
import { move, newLabel, presentLabel } from "./label.ts";
import { lock, purchase, record, save } from "./label-requests.ts";
import type { LabelRequest, LabelSale } from "./labels.schemas.ts";
import * as store from "./labels.store.ts";
import { checkAgain, planLabel } from "./plan-label.ts";

type Answer = LabelSale | Unfinished<LabelSale>;

/** `onWish`: what is done together with writing it down. */
export async function buyLabel(ctx: Ctx, request: LabelRequest, onWish?: (tx: Tx) => Promise<void>): Promise<Answer> {
  const { open, spec } = await planLabel(ctx, request);
  const label = newLabel(ctx, spec, open.account);
  return await buy(ctx, open, async (tx) => {
    await checkAgain(tx, ctx, request, spec);
    await store.insertLabels(tx, ctx.orgId, [label]);
    record(tx, ctx, [label], "requested");
    await onWish?.(tx);
    return label;
  });
}

/** The same parcel as another spec, since the carrier rejected the first; to where its order goes by now. */
export async function buyLabelAgain(ctx: Ctx, id: string, onWish: (tx: Tx) => Promise<void>): Promise<Answer> {
  const rejected = orNotFound("label", await store.findLabel(ctx.db, ctx.orgId, id));
  const { status, carrierAccountId, orderId, service, from, to, weight, dimensions, reference, lines } = rejected;
  if (status !== "failed") throw new HubError("invalid_state", `The label is ${status}.`);
  if (carrierAccountId === null) throw new HubError("invalid_state", "The carrier account was deleted.");
  const request: LabelRequest = {
    carrierAccountId,
    service,
    from,
    weight,
    ...(orderId === null ? { to } : { orderId, lines }),
    ...(dimensions && { dimensions }),
    ...(reference !== null && { reference }),
  };
  return await buyLabel(ctx, request, onWish);
}

/** Asks once more under the same key, so that what the carrier has sold after all is not bought a second time. */
export async function retryLabel(ctx: Ctx, id: string): Promise<Answer> {
  const found = orNotFound("label", await store.findLabel(ctx.db, ctx.orgId, id));
  requireUnknownOutcome(found);
  const open = await openCarrier(ctx, found.carrierAccountId!);
  return await buy(ctx, open, async (tx) => {
    const current = await lock(tx, ctx, id);
    requireUnknownOutcome(current);
    const requested = { ...move({ ...current, failure: null }, "requested", nowOf(ctx)), attempts: 1 };
    return await save(tx, ctx, requested, "requested");
  });
}

/**
 * The spec is written down before the carrier hears of it: whatever happens then, nothing that was paid for is lost or
 * bought twice. The answer that is kept with it makes a repeated Idempotency-Key find this label, not buy another one.
 */
async function buy(ctx: Ctx, open: OpenCarrier, write: (tx: Tx) => Promise<ShipmentLabel>): Promise<Answer> {
  const sent = await commitRequest(ctx, write, async (label, tx) => await present(tx, ctx, label));
  return await sendAndAnswer(ctx, purchase, sent, open, async (settled, response, tx) =>
    "rejected" in response && settled.status === "failed"
      ? refusal(ctx, settled.id, response.rejected)
      : await present(tx, ctx, settled),
  );
}

async function present(tx: Tx, ctx: Ctx, label: ShipmentLabel): Promise<Answer> {
  const shipment = label.shipmentId === null ? null : ((await findParcel(tx, ctx, label.shipmentId)) ?? null);
  const sale = { label: presentLabel(ctx, label), shipment };
  return label.status === "requested" ? new Unfinished(sale) : sale;
}

function refusal(ctx: Ctx, labelId: string, { code, message }: Failure): HubError {
  // It may quote the address.
  const response = maySeePersonalData(ctx) ? message : undefined;
  const errors =
    code === "unknown_service" ? { errors: [{ pointer: "/service", code, message: "There is no such service." }] } : {};
  return new HubError("label_rejected", response, { ...errors, extra: { labelId, carrierCode: code } });
}
