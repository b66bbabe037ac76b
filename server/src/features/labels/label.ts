import type { CarrierData } from "../../carriers/seam/carrier-data.ts";
import { HubError } from "../../core/errors.ts";
import { maskPerson, maskProblem, maySeePersonalData } from "../../core/mask-person.ts";
import { canMove } from "../../core/states.ts";
import type { Ctx } from "../../context.ts";
import { backoffUntil } from "../carrier-accounts/carrier-requests.ts";
import type { LabelAnswer } from "./labels.schemas.ts";
import type { LabelStatus } from "./labels.states.ts";
import { labelMoves } from "./labels.states.ts";

/** A label as stored: the API fields plus internal ones, without the file. */
export type ShipmentLabel = Omit<LabelAnswer, "cost" | "currency" | "isVoidPending"> & {
  costCents: number | null;
  carrierData: CarrierData | null;
  voidRequestedAt: string | null;
  /** The step of a run that waits for the outcome. */
  runId: string | null;
  runStep: number | null;
  attempts: number;
  dueAt: string | null;
};

/** The label to buy. */
export type LabelSpec = Pick<
  ShipmentLabel,
  "orderId" | "service" | "from" | "to" | "weight" | "dimensions" | "reference" | "lines"
>;

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
  ctx: Pick<Ctx, "newId" | "clock">,
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
    contentType: null,
    contentBytes: null,
    carrierData: null,
    failure: null,
    voidRequestedAt: null,
    ...(askedBy ? { ...askedBy, attempts: 0, dueAt: now } : { ...noRun, attempts: 1, dueAt: backoffUntil(now, 1) }),
    purchasedAt: null,
    voidedAt: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}

const noRun = { runId: null, runStep: null };

/** The label with a pending void request. */
export function voidRequested(label: ShipmentLabel, at: string, askedBy?: RunStep): ShipmentLabel {
  const asked = touched({ ...label, voidRequestedAt: at, attempts: 1 }, at);
  return askedBy ? { ...asked, ...askedBy, attempts: 0, dueAt: at } : asked;
}

export function touched(label: ShipmentLabel, at: string, retryAfterMs?: number): ShipmentLabel {
  const dueAt = isAwaiting(label) ? backoffUntil(at, label.attempts, retryAfterMs) : null;
  return { ...label, updatedAt: at, version: label.version + 1, dueAt };
}

/**
 * The label as this caller may see it. The response schema drops internal fields. A carrier's rejection may quote the
 * address, so its message is treated as personal data.
 */
export function presentLabel(ctx: Pick<Ctx, "principal">, label: ShipmentLabel): LabelAnswer {
  const mayKnow = maySeePersonalData(ctx);
  const { from, to, costCents, failure, voidRequestedAt } = label;
  return {
    ...label,
    from: mayKnow ? from : maskPerson(from),
    to: mayKnow ? to : maskPerson(to),
    cost: costCents === null ? null : costCents / 100,
    currency: "USD",
    failure: mayKnow || failure === null ? failure : maskProblem(failure),
    isVoidPending: voidRequestedAt !== null,
  };
}
