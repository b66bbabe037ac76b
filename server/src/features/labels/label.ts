import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { CarrierData } from "../../carriers/seam/carrier-data.ts";
import type { ChargeLine } from "../../carriers/seam/labels.ts";
import type { Quote } from "../../carriers/seam/quotes.ts";
import { amountOf } from "../../carriers/seam/money.ts";
import type { Parcel } from "../../carriers/seam/ship-options.ts";
import type { Cause } from "../../core/cause.ts";
import { HubError } from "../../core/errors.ts";
import { mask, maskPerson, maskProblem, maySeePersonalData } from "../../core/mask-person.ts";
import { canMove } from "../../core/states.ts";
import type { Ctx } from "../../context.ts";
import { backoffUntil } from "../carrier-accounts/carrier-requests.ts";
import type { LabelAdjustment } from "./label-adjustments.store.ts";
import type { LabelAnswer, LabelParcel } from "./labels.schemas.ts";
import type { LabelStatus } from "./labels.states.ts";
import { labelMoves } from "./labels.states.ts";

/** A label as stored: the API fields plus internal ones, without the file. */
export type ShipmentLabel = Omit<
  LabelAnswer,
  | "cost"
  | "currency"
  | "quotedCost"
  | "quotedCurrency"
  | "warning"
  | "chargeLines"
  | "parcels"
  | "refund"
  | "isVoidPending"
  | "adjustments"
  | "finalCost"
> & {
  /** Read with the label, and written apart from it. */
  adjustments: LabelAdjustment[];
  costCents: number | null;
  currency: string | null;
  quote: LabelQuote | null;
  chargeLines: ChargeLine[];
  /** Null: no void was requested. */
  refund: LabelAnswer["refund"] | null;
  /** Null for labels of before labels had several parcels: use `parcelsOf`. */
  parcels: LabelParcel[] | null;
  carrierData: CarrierData | null;
  voidRequestedAt: string | null;
  /** The step of a run that waits for the outcome. */
  runId: string | null;
  runStep: number | null;
  /** The run that requested the label, and the one that requested its void, also after they have ended. */
  purchaseRunId: string | null;
  voidRunId: string | null;
  /** The automation behind the run with the last request. */
  cause: Cause | null;
  attempts: number;
  dueAt: string | null;
};

/** The price at which a label is requested. */
export type LabelQuote = Pick<Quote, "currency" | "transitDays" | "deliverBy" | "expiresAt" | "carrierData"> & {
  cents: number;
  /** Missing in quotes of before it was stored. */
  zone?: string | null;
};

/** The label to buy. */
export type LabelSpec = Pick<
  ShipmentLabel,
  "orderId" | "service" | "from" | "to" | "weight" | "dimensions" | "options" | "reference" | "lines" | "quote"
> & { parcels: LabelParcel[]; shipDate: string };

/** A label for the way back. It ships no items of its order, which does not list its shipment. */
export function isReturnLabel({ options }: Pick<ShipmentLabel, "options">): boolean {
  return options.isReturn === true;
}

/** All parcels, lead first. */
export function parcelsOf(label: ShipmentLabel): LabelParcel[] {
  if (label.parcels) return label.parcels;
  const { trackingNumber, shipmentId, contentType, contentBytes, weight, dimensions } = label;
  const lead = newParcel({ weight, ...(dimensions && { dimensions }) });
  return [{ ...lead, trackingNumber, shipmentId, contentType, contentBytes }];
}

/** A parcel that has no label yet. */
export function newParcel({ weight, dimensions, packaging, reference, insuredValue }: Parcel): LabelParcel {
  return {
    weight,
    dimensions: dimensions ?? null,
    packaging: packaging ?? null,
    reference: reference ?? null,
    insuredValue: insuredValue ?? null,
    trackingNumber: null,
    shipmentId: null,
    contentType: null,
    contentBytes: null,
  };
}

/** The parcels as a carrier is asked for them. */
export function requestedParcels(label: ShipmentLabel): Parcel[] {
  return parcelsToRate(parcelsOf(label));
}

export function parcelsToRate(parcels: readonly LabelParcel[]): Parcel[] {
  return parcels.map(({ weight, dimensions, packaging, reference, insuredValue }) => ({
    weight,
    ...(dimensions && { dimensions }),
    ...(packaging !== null && { packaging }),
    ...(reference !== null && { reference }),
    ...(insuredValue && { insuredValue }),
  }));
}

/** Idempotency key at the carrier. */
export function effectKeyOf({ id }: Pick<ShipmentLabel, "id">): string {
  return `label:${id}`;
}

/** Every change of status goes through here. */
export function move(label: ShipmentLabel, status: LabelStatus, at: string): ShipmentLabel {
  if (!canMove(labelMoves, label.status, status)) {
    throw new HubError("invalid_state", `A label that is ${label.status} cannot become ${status}.`);
  }
  return touched({ ...label, status, attempts: 0 }, at);
}

/** A request to the carrier is pending. */
export function isAwaiting({ status, voidRequestedAt }: Pick<ShipmentLabel, "status" | "voidRequestedAt">): boolean {
  return status === "requested" || voidRequestedAt !== null;
}

export type RunStep = { runId: string; runStep: number };

/** A new request. The caller sends it to the carrier right away; requests of runs are sent by a worker. */
export function newLabel(
  ctx: Pick<Ctx, "newId" | "clock" | "cause">,
  spec: LabelSpec,
  account: { id: string; carrier: string },
  askedBy?: RunStep,
): ShipmentLabel {
  const now = ctx.clock.now().toISOString();
  return {
    ...spec,
    id: ctx.newId(),
    carrierAccountId: account.id,
    carrier: account.carrier,
    shipmentId: null,
    status: "requested",
    trackingNumber: null,
    costCents: null,
    currency: null,
    chargeLines: [],
    adjustments: [],
    transitDays: null,
    deliverBy: null,
    contentType: null,
    contentBytes: null,
    documents: [],
    carrierData: null,
    failure: null,
    refund: null,
    voidRequestedAt: null,
    purchaseRunId: askedBy?.runId ?? null,
    voidRunId: null,
    cause: ctx.cause ?? null,
    pickupId: null,
    manifestId: null,
    ...(askedBy ? { ...askedBy, attempts: 0, dueAt: now } : { ...noRun, attempts: 1, dueAt: backoffUntil(now, 1) }),
    purchasedAt: null,
    voidedAt: null,
    printedAt: null,
    printCount: 0,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}

const noRun = { runId: null, runStep: null };

/** The label with a pending void request. */
export function voidRequested(
  label: ShipmentLabel,
  at: string,
  askedBy?: RunStep,
  cause: Cause | null = null,
): ShipmentLabel {
  const asked = touched({ ...label, voidRequestedAt: at, voidRunId: askedBy?.runId ?? null, cause, attempts: 1 }, at);
  return askedBy ? { ...asked, ...askedBy, attempts: 0, dueAt: at } : asked;
}

const dayMs = 86_400_000;
/** Carriers settle refunds within weeks. After that the user has to ask the carrier. */
const refundDays = 60;

/**
 * When the carrier is asked about a submitted refund next, at the latest at the end of the 60 days: a refund that is undecided then is
 * one for the user. Null: not at all.
 */
export function refundCheckAt(label: ShipmentLabel, at: string): string | null {
  const { status, refund, voidedAt } = label;
  if (status !== "voided" || refund?.state !== "submitted" || voidedAt === null) return null;
  const end = Date.parse(voidedAt) + refundDays * dayMs;
  if (Date.parse(at) >= end) return null;
  return new Date(canFindVoid(label) ? Math.min(Date.parse(at) + dayMs, end) : end).toISOString();
}

export function canFindVoid({ carrierAccountId, carrier }: ShipmentLabel): boolean {
  return carrierAccountId !== null && findCarrier(carrier)?.findVoid !== undefined;
}

/** Charge and adjustments, in the currency of the label; null if they are in several currencies or the charge is unknown. */
export function finalCentsOf({ costCents, currency, adjustments }: ShipmentLabel): number | null {
  const isComparable = adjustments.every((adjustment) => adjustment.currency === currency);
  if (costCents === null || !isComparable) return null;
  return adjustments.reduce((sum, { cents }) => sum + cents, costCents);
}

export function touched(label: ShipmentLabel, at: string, retryAfterMs?: number): ShipmentLabel {
  const dueAt = isAwaiting(label) ? backoffUntil(at, label.attempts, retryAfterMs) : refundCheckAt(label, at);
  return { ...label, updatedAt: at, version: label.version + 1, dueAt };
}

/** What the carrier charged is not what it had quoted. */
export function priceWarning({
  costCents,
  currency,
  quote,
}: Pick<ShipmentLabel, "costCents" | "currency" | "quote">): { code: string; message: string } | null {
  if (costCents === null || currency === null || quote === null) return null;
  if (costCents === quote.cents && currency === quote.currency) return null;
  const [charged, quoted] = [priceText(costCents, currency), priceText(quote.cents, quote.currency)];
  return { code: "price_differs", message: `The carrier charged ${charged}; its quote was ${quoted}.` };
}

function priceText(cents: number, currency: string): string {
  const amount = amountOf(cents, currency);
  return `${amount === cents ? cents : amount.toFixed(2)} ${currency}`;
}

const noRefund = { state: "none" as const, message: null, checkedAt: null };

/**
 * The label as this caller may see it. The response schema drops internal fields. A carrier's rejection may quote the
 * address, so its message is treated as personal data.
 */
export function presentLabel(ctx: Pick<Ctx, "principal">, label: ShipmentLabel): LabelAnswer {
  const mayKnow = maySeePersonalData(ctx);
  const { from, to, costCents, failure, refund, voidRequestedAt, chargeLines, quote } = label;
  const currency = label.currency ?? quote?.currency ?? "USD";
  const finalCents = finalCentsOf(label);
  const { customs: _customs, billTo: _billTo, ...publicOptions } = label.options;
  return {
    ...label,
    parcels: parcelsOf(label),
    options: mayKnow ? label.options : publicOptions,
    from: mayKnow ? from : maskPerson(from),
    to: mayKnow ? to : maskPerson(to),
    cost: costCents === null ? null : amountOf(costCents, currency),
    currency,
    quotedCost: quote && amountOf(quote.cents, quote.currency),
    quotedCurrency: quote?.currency ?? null,
    warning: priceWarning(label),
    chargeLines: chargeLines.map(({ code, label: text, cents }) => ({
      code,
      label: text,
      amount: amountOf(cents, currency),
    })),
    adjustments: label.adjustments.map(({ cents, reason, ...adjustment }) => ({
      ...adjustment,
      amount: amountOf(cents, adjustment.currency),
      reason: mayKnow ? reason : mask,
    })),
    finalCost: finalCents === null ? null : amountOf(finalCents, currency),
    failure: mayKnow || failure === null ? failure : maskProblem(failure),
    refund: refund === null ? noRefund : mayKnow ? refund : { ...refund, message: null },
    isVoidPending: voidRequestedAt !== null,
  };
}
