import type { CarrierData, Label } from "../../carriers/carrier.ts";
import type { Address } from "../../core/address.ts";
import { HubError } from "../../core/errors.ts";
import { maskPerson, maskProblem, maySeePersonalData } from "../../core/mask-person.ts";
import { canMove } from "../../core/states.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";
import type { Ctx } from "../../context.ts";
import { askAgainAt } from "../carrier-accounts/carrier-requests.ts";
import type { LabelAnswer } from "./labels.schemas.ts";
import type { LabelStatus } from "./labels.states.ts";
import { labelMoves } from "./labels.states.ts";

/** What is asked of the carrier. */
export type LabelWish = {
  orderId: string | null;
  service: string;
  from: Address;
  to: Address;
  weight: Weight;
  dimensions: Dimensions | null;
  reference: string | null;
  /** Which lines of the order lie in the parcel, as far as somebody said so. */
  lines: { lineId: string; quantity: number }[];
};

/** A label in the books; times are ISO texts and absent things are null. What is printed lies beside it. */
export type ShipmentLabel = LabelWish & {
  id: string;
  carrierAccountId: string | null;
  carrier: string;
  shipmentId: string | null;
  status: LabelStatus;
  trackingNumber: string | null;
  costCents: number | null;
  contentType: Label["contentType"] | null;
  contentBytes: number | null;
  carrierData: CarrierData | null;
  failure: { code: string; message: string } | null;
  voidRequestedAt: string | null;
  attempts: number;
  dueAt: string | null;
  boughtAt: string | null;
  voidedAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
};

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

export function touched(label: ShipmentLabel, at: string, retryAfterMs?: number): ShipmentLabel {
  const isWaiting = label.status === "requested" || label.voidRequestedAt !== null;
  const dueAt = isWaiting ? askAgainAt(at, label.attempts, retryAfterMs) : null;
  return { ...label, updatedAt: at, version: label.version + 1, dueAt };
}

/** As this caller may see it. A carrier that says no may quote the address, so that its words are personal, too. */
export function presentLabel(ctx: Pick<Ctx, "principal">, label: ShipmentLabel): LabelAnswer {
  const mayKnow = maySeePersonalData(ctx);
  const { from, to, costCents, failure, voidRequestedAt, carrierData: _data, attempts: _attempts, ...rest } = label;
  return {
    ...rest,
    from: mayKnow ? from : maskPerson(from),
    to: mayKnow ? to : maskPerson(to),
    cost: costCents === null ? null : costCents / 100,
    currency: "USD",
    failure: mayKnow || failure === null ? failure : maskProblem(failure),
    isVoiding: voidRequestedAt !== null,
  };
}
