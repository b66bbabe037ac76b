import type { Weight } from "../../core/weight.ts";
import { addWeights, multiplyWeight } from "../../core/weight.ts";
import type { ActionRequest } from "../operations/operations.schemas.ts";
import type { Order } from "../orders/order.ts";
import { beforeShipping } from "../orders/orders.states.ts";
import type { PackItem } from "./packing-count.ts";
import type { Box, CancelRequest } from "./packing.schemas.ts";

/** Weight of the items and the empty box; undefined if that of an item is unknown. */
export function expectedWeightOf(items: readonly PackItem[], box: Box | null): Weight | undefined {
  if (items.some(({ line }) => !line.weight)) return undefined;
  const [first, ...others] = items.map(({ line, needed }) => multiplyWeight(line.weight!, needed));
  return first && addWeights(first, ...others, ...(box?.weight ? [box.weight] : []));
}

type Package = { box: Box | null; weight: Weight | null; expectedWeight: Weight | undefined };

/**
 * Buys the label of a packed order. Box and weight become the package of the order first, and an order without a service gets the
 * cheapest rate. Package and rate of an order that has shipped in part are no longer changed: only its weight is given.
 */
export function labelActions(order: Order, { box, weight, expectedWeight }: Package): ActionRequest[] {
  const packed = weight ?? (box ? expectedWeight : undefined);
  const given = packed && packed.value > 0 ? { weight: packed } : {};
  if (!beforeShipping.includes(order.status)) return [{ type: "buy_label", params: given }];
  const actions: ActionRequest[] = [];
  const parcel = { ...given, ...(box?.dimensions && { dimensions: box.dimensions }) };
  if (Object.keys(parcel).length > 0) actions.push({ type: "set_package", params: parcel });
  if (box) actions.push({ type: "set_shipping", params: { package_type: box.name } });
  const { carrierAccountId, service } = order.shipping;
  if (carrierAccountId === undefined || service === undefined) actions.push({ type: "choose_rate", params: {} });
  return [...actions, { type: "buy_label", params: {} }];
}

export function holdActions({ reason, note }: NonNullable<CancelRequest["hold"]>): ActionRequest[] {
  return [{ type: "hold", params: { reason, ...(note !== undefined && { note }) } }];
}
