import type { Carrier } from "../../carriers/seam/carrier.ts";
import type { PickupParcel } from "../../carriers/seam/pickups.ts";
import type { Address } from "../../core/address.ts";
import { addressKeyOf } from "../../core/address-key.ts";
import type { FieldError } from "../../core/errors.ts";
import { HubError } from "../../core/errors.ts";
import { countryOfAddress } from "../../core/time-zones.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Handover } from "./handover.store.ts";
import * as store from "./handover.store.ts";
import type { ShipmentLabel } from "./label.ts";
import { parcelsOf } from "./label.ts";
import { lockLabels } from "./labels.store.ts";
import { isWithCarrier, withParcels } from "./order-labels.ts";

export type { ShipmentLabel } from "./label.ts";

export type WaitingQuery = { carrierAccountId: string; from: Address; firstDay: string; lastDay: string };

/** Purchased labels of an account and sender address whose parcels the carrier does not have yet. */
export async function listWaitingLabels(db: Queryable, ctx: Ctx, query: WaitingQuery): Promise<ShipmentLabel[]> {
  const key = addressKeyOf(query.from);
  const ofDays = await store.listLabelsOfDays(db, ctx.orgId, query);
  const ofPlace = ofDays.filter(({ from }) => addressKeyOf(from) === key);
  const known = await withParcels(db, ctx, ofPlace);
  return known
    .filter(({ parcel, further }) => ![...(parcel ? [parcel] : []), ...further].some(isWithCarrier))
    .map(({ label }) => label);
}

export async function listLabelsOfHandover(db: Queryable, ctx: Ctx, handover: Handover): Promise<ShipmentLabel[]> {
  return await store.listLabelsOfHandover(db, ctx.orgId, handover);
}

/** All parcels of the labels, as a carrier is asked to collect or list them. */
export function handoverParcels(labels: ShipmentLabel[]): PickupParcel[] {
  return labels.flatMap((label) => {
    const { service, to, carrierData } = label;
    const countryCode = countryOfAddress(to) ?? "";
    return parcelsOf(label).flatMap(({ trackingNumber, weight }) =>
      trackingNumber === null ? [] : [{ trackingNumber, service, countryCode, weight, carrierData }],
    );
  });
}

export function handoverGroupOf(carrier: Carrier, { service, carrierData }: ShipmentLabel): string {
  return carrier.handoverGroup?.({ service, carrierData }) ?? "";
}

export type ChosenLabels = { labels: ShipmentLabel[]; group: string };

/**
 * The labels that one driver or document can take. `error`: there are none, or they are of several groups and the request does not
 * choose one.
 */
export function chooseGroup(
  carrier: Carrier,
  waiting: ShipmentLabel[],
  wanted: string | undefined,
  pointerIfNone: string,
): ChosenLabels | { error: FieldError } {
  const groups = Map.groupBy(waiting, (label) => handoverGroupOf(carrier, label));
  const names = [...groups.keys()].toSorted();
  if (wanted !== undefined) {
    const labels = groups.get(wanted);
    if (labels) return { labels, group: wanted };
    const known = names.length === 0 ? "No labels are waiting." : `Labels are waiting for: ${names.join(", ")}.`;
    return { error: { pointer: "/group", code: "no_labels", message: `No labels of ${wanted} are waiting. ${known}` } };
  }
  if (names.length === 1) return { labels: waiting, group: names[0]! };
  if (names.length === 0) {
    const message = "No labels of this carrier account and day are waiting at this address.";
    return { error: { pointer: pointerIfNone, code: "no_labels", message } };
  }
  const counts = names.map((name) => `${name} (${handoverParcels(groups.get(name)!).length} packages)`);
  const message = `${carrier.title} takes these packages separately: ${counts.join(", ")}. Make one request for each, with \`group\`.`;
  return { error: { pointer: "/group", code: "several_groups", message } };
}

/**
 * Assigns labels to a pickup or manifest, in the transaction that commits its request. Fails if another request took or voided one
 * of them since they were read.
 */
export async function assignLabels(tx: Tx, ctx: Ctx, labels: ShipmentLabel[], handover: Handover): Promise<void> {
  const before = new Map(labels.map((label) => [label.id, label]));
  const locked = await lockLabels(tx, ctx.orgId, [...before.keys()]);
  const isFree = ({ id, status, voidRequestedAt, pickupId, manifestId }: ShipmentLabel): boolean =>
    status === "purchased" &&
    voidRequestedAt === null &&
    ("pickupId" in handover ? pickupId === before.get(id)!.pickupId : manifestId === before.get(id)!.manifestId);
  if (locked.length < before.size || !locked.every(isFree)) {
    throw new HubError("conflict", "Another request has taken or voided some of these labels. Try again.");
  }
  await store.assign(tx, ctx.orgId, [...before.keys()], handover);
}

/** Frees the labels of a pickup or manifest that did not come about. */
export async function releaseLabels(tx: Tx, ctx: Ctx, handover: Handover): Promise<void> {
  await store.release(tx, ctx.orgId, handover);
}

/** Before a pickup is booked again: a carrier rejects labels that were voided meanwhile. */
export async function releaseVoidedLabels(tx: Tx, ctx: Ctx, handover: Handover): Promise<void> {
  await store.releaseVoided(tx, ctx.orgId, handover);
}
