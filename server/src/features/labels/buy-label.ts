import type { InputField } from "../../carriers/seam/invalid-input.ts";
import { HubError } from "../../core/errors.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { Unfinished } from "../../route.ts";
import { sendAndAnswer, nowOf, requireUnknownOutcome, commitRequest } from "../carrier-accounts/carrier-requests.ts";
import type { Failure, OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { inputErrors, openCarrier } from "../carrier-accounts/open-carrier.ts";
import { today } from "../organizations/organizations.ts";
import { findParcel } from "../shipments/shipments.ts";
import type { ShipmentLabel } from "./label.ts";
import { move, newLabel, presentLabel, requestedParcels } from "./label.ts";
import { purchase } from "./label-requests.ts";
import { lock, record, save } from "./save-label.ts";
import type { LabelRequest, LabelSale } from "./labels.schemas.ts";
import * as store from "./labels.store.ts";
import { checkAgain, planLabel } from "./plan-label.ts";

type Answer = LabelSale | Unfinished<LabelSale>;

/** `onRequest` runs in the transaction that commits the request. */
export async function buyLabel(
  ctx: Ctx,
  request: LabelRequest,
  onRequest?: (tx: Tx) => Promise<void>,
): Promise<Answer> {
  const { open, spec } = await planLabel(ctx, request);
  const label = newLabel(ctx, spec, open.account);
  return await buy(ctx, open, async (tx) => {
    await checkAgain(tx, ctx, request, spec);
    await store.insertLabels(tx, ctx.orgId, [label]);
    record(tx, ctx, [label], "requested");
    await onRequest?.(tx);
    return label;
  });
}

/** A new request for the parcel of a rejected one, to the order's current address. */
export async function buyLabelAgain(ctx: Ctx, id: string, onRequest: (tx: Tx) => Promise<void>): Promise<Answer> {
  const rejected = orNotFound("label", await store.findLabel(ctx.db, ctx.orgId, id));
  const { status, carrierAccountId, orderId, service, from, to, options, shipDate, reference, lines } = rejected;
  if (status !== "failed") throw new HubError("invalid_state", `The label is ${status}.`);
  if (carrierAccountId === null) throw new HubError("invalid_state", "The carrier account was deleted.");
  const request: LabelRequest = {
    carrierAccountId,
    service,
    from,
    parcels: requestedParcels(rejected),
    options,
    ...(shipDate !== null && shipDate >= (await today(ctx)) && { shipDate }),
    ...(orderId === null ? { to } : { orderId, lines }),
    ...(reference !== null && { reference }),
  };
  return await buyLabel(ctx, request, onRequest);
}

/** Retries with the same key, so that a label the carrier has already sold is not purchased again. */
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
 * The request is committed before the carrier is called, so that a crash neither loses nor duplicates a paid label. The
 * answer stored with it makes a repeated Idempotency-Key return this label instead of buying another one.
 */
async function buy(ctx: Ctx, open: OpenCarrier, write: (tx: Tx) => Promise<ShipmentLabel>): Promise<Answer> {
  const sent = await commitRequest(ctx, write, async (label, tx) => await present(tx, ctx, label));
  return await sendAndAnswer(ctx, purchase, sent, open, async (settled, response, tx) =>
    "rejected" in response && settled.status === "failed"
      ? refusal(ctx, settled.id, response)
      : await present(tx, ctx, settled),
  );
}

async function present(tx: Tx, ctx: Ctx, label: ShipmentLabel): Promise<Answer> {
  const shipment = label.shipmentId === null ? null : ((await findParcel(tx, ctx, label.shipmentId)) ?? null);
  const sale = { label: presentLabel(ctx, label), shipment };
  return label.status === "requested" ? new Unfinished(sale) : sale;
}

function refusal(ctx: Ctx, labelId: string, response: { rejected: Failure; fields?: readonly InputField[] }): HubError {
  const { code, message } = response.rejected;
  // The carrier's message may contain the address.
  const detail = maySeePersonalData(ctx) ? message : undefined;
  const errors =
    code === "unknown_service"
      ? [{ pointer: "/service", code, message: "Unknown service." }]
      : inputErrors(response, { from: "/from", to: "/to" });
  return new HubError("label_rejected", detail, {
    ...(errors.length > 0 && { errors }),
    extra: { labelId, carrierCode: code },
  });
}
