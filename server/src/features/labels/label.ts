import type { CarrierData } from "../../carriers/carrier.ts";
import { HubError } from "../../core/errors.ts";
import { maskPerson, maskProblem, maySeePersonalData } from "../../core/mask-person.ts";
import { canMove } from "../../core/states.ts";
import type { Ctx } from "../../context.ts";
import { backoffUntil } from "../carrier-accounts/carrier-requests.ts";
import type { LabelAnswer } from "./labels.schemas.ts";
import type { LabelStatus } from "./labels.states.ts";
import { labelMoves } from "./labels.states.ts";

/** A label in the books: as callers see it, and what is only kept. What is printed lies beside it. */
export type ShipmentLabel = Omit<LabelAnswer, "cost" | "currency" | "isVoidPending"> & {
  costCents: number | null;
  carrierData: CarrierData | null;
  voidRequestedAt: string | null;
  /** The step of a run that waits to learn how it ends. */
  runId: string | null;
  runStep: number | null;
  attempts: number;
  dueAt: string | null;
};

/** What is asked of the carrier. */
export type LabelSpec = Pick<
  ShipmentLabel,
  "orderId" | "service" | "from" | "to" | "weight" | "dimensions" | "reference" | "lines"
>;

/** What happens once, however often the carrier is asked for it. */
export function effectKeyOf({ id }: Pick<ShipmentLabel, "id">): string {
  return `label:${id}`;
}

/** The same label in another state. Every change of state goes through here. */
export function move(label: ShipmentLabel, status: LabelStatus, at: string): ShipmentLabel {
  if (!canMove(labelMoves, label.status, status)) {
    throw new HubError("invalid_state", `A label that is ${label.status} cannot become ${status}.`);
  }
  return touched({ ...label, status, attempts: 0 }, at);
}

/** The carrier has yet to say something about it. */
export function isAwaiting({ status, voidRequestedAt }: Pick<ShipmentLabel, "status" | "voidRequestedAt">): boolean {
  return status === "requested" || voidRequestedAt !== null;
}

export type RunStep = { runId: string; runStep: number };

/** A spec in the books. Somebody asks the carrier at once; for a step of a run, whoever comes first does. */
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

/** To be given back. */
export function voidRequested(label: ShipmentLabel, at: string, askedBy?: RunStep): ShipmentLabel {
  const asked = touched({ ...label, voidRequestedAt: at, attempts: 1 }, at);
  return askedBy ? { ...asked, ...askedBy, attempts: 0, dueAt: at } : asked;
}

export function touched(label: ShipmentLabel, at: string, retryAfterMs?: number): ShipmentLabel {
  const dueAt = isAwaiting(label) ? backoffUntil(at, label.attempts, retryAfterMs) : null;
  return { ...label, updatedAt: at, version: label.version + 1, dueAt };
}

/**
 * As this caller may see it; what is only kept is left out by the shape of the answer. A carrier that says no may quote
 * the address, so that its words are personal, too.
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
