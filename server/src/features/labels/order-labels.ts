import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { Order } from "../orders/order.ts";
import { findParcels } from "../shipments/shipments.ts";
import type { ShipmentLabel } from "./label.ts";
import { isReturnLabel, parcelsOf } from "./label.ts";
import * as store from "./labels.store.ts";

type Parcel = Awaited<ReturnType<typeof findParcels>>[number];

/** A label of an order that is, or may be, paid for, with its shipments. `parcel`: that of the lead parcel. */
export type OrderLabel = { label: ShipmentLabel; parcel: Parcel | undefined; further: Parcel[] };

export async function listOrderLabels(db: Queryable, ctx: Ctx, orderIds: string[]): Promise<Map<string, OrderLabel[]>> {
  const labels = await store.listLabelsOf(db, ctx.orgId, orderIds);
  const found = await withParcels(db, ctx, labels);
  return Map.groupBy(found, ({ label }) => label.orderId!);
}

export async function withParcels(db: Queryable, ctx: Ctx, labels: ShipmentLabel[]): Promise<OrderLabel[]> {
  const idsOf = (label: ShipmentLabel): string[] => parcelsOf(label).flatMap(({ shipmentId }) => shipmentId ?? []);
  const parcels = new Map((await findParcels(db, ctx, labels.flatMap(idsOf))).map((parcel) => [parcel.id, parcel]));
  return labels.map((label) => {
    const further = idsOf(label).flatMap((id) => (id === label.shipmentId ? [] : (parcels.get(id) ?? [])));
    return { label, parcel: parcels.get(label.shipmentId ?? ""), further };
  });
}

/** Labels whose shipments the order does not list: the outcome is unknown, or the order could not list them. */
export function unlistedOf(order: Order, labels: readonly OrderLabel[]): ShipmentLabel[] {
  const listed = new Set(order.shipments.map(({ id }) => id));
  return labels
    .filter(
      ({ label, parcel }) =>
        !isReturnLabel(label) && label.status !== "failed" && (!parcel || (!listed.has(parcel.id) && !parcel.voidedAt)),
    )
    .map(({ label }) => label);
}

/** Labels for the way back that are or may be in use. */
export function returnsOf(labels: readonly OrderLabel[]): ShipmentLabel[] {
  return labels
    .filter(({ label, parcel }) => isReturnLabel(label) && label.status !== "failed" && !parcel?.voidedAt)
    .map(({ label }) => label);
}

/** Why the label cannot be voided, as far as the hub knows. */
export function voidProblem({ label, parcel, further }: OrderLabel): string | undefined {
  if (label.status === "failed") return "The label was not purchased.";
  if (label.carrierAccountId === null) return "The carrier account was deleted, so the carrier cannot be called.";
  const given = [...(parcel ? [parcel] : []), ...further].find(isWithCarrier);
  return given && `The carrier already has the parcel (status ${given.status}).`;
}

export function isWithCarrier({ acceptedAt, status }: Parcel): boolean {
  return acceptedAt !== null || status === "delivered" || status === "returned";
}
