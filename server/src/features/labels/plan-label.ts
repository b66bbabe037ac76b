import type { Address } from "../../core/address.ts";
import { addressFaults } from "../../core/address.ts";
import type { FieldError } from "../../core/errors.ts";
import { errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { maskErrors } from "../../core/mask-person.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Weight } from "../../core/weight.ts";
import { addWeights } from "../../core/weight.ts";
import type { Ctx } from "../../context.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { getLocation } from "../locations/locations.ts";
import type { Order } from "../orders/order.ts";
import { shippingProblem } from "../orders/order-rules.ts";
import { readOrders } from "../orders/orders.ts";
import type { LabelWish } from "./label.ts";
import type { LabelRequest } from "./labels.schemas.ts";

/** A request with everything that its order says about it; the carrier is not asked yet. */
export type Planned = { open: OpenCarrier; wish: LabelWish };

export async function planLabel(ctx: Ctx, request: LabelRequest): Promise<Planned> {
  const open = await openSeller(ctx, request.carrierAccountId);
  const { orderId } = request;
  const [order] = orderId === undefined ? [] : await readOrders(ctx.db, ctx.orgId, [orderId]);
  if (orderId !== undefined) refuseUnshippable(orNotFound("order", order));
  const from = request.from ?? (order?.locationId ? (await getLocation(ctx, order.locationId)).address : undefined);
  const to = request.to ?? (order && recipientOf(order));
  const weight = request.weight ?? (order && weightOf(order, request.lines));
  const errors = [
    ...addressErrors("/from", from, "Say where it comes from; the order has no location with an address."),
    ...addressErrors("/to", to, "Say where it goes; there is no order with a shipping address."),
    ...recipientErrors(to),
    ...weightErrors(weight),
    ...lineErrors(order, request.lines),
  ];
  if (errors.length > 0 || !from || !to || !weight) throw validationFailed(errors);
  const dimensions = request.dimensions ?? (order && onlyPackageOf(order)?.dimensions) ?? null;
  const reference = request.reference ?? order?.number ?? null;
  const { service, lines = [] } = request;
  return { open, wish: { orderId: order?.id ?? null, service, from, to, weight, dimensions, reference, lines } };
}

async function openSeller(ctx: Ctx, accountId: string): Promise<OpenCarrier> {
  const open = await openCarrier(ctx, accountId);
  const { account, carrier } = open;
  if (!account.isActive) throw new HubError("carrier_account_inactive", `${account.name} is not active.`);
  if (!carrier.createLabel) throw new HubError("invalid_state", `${carrier.title} sells no labels.`);
  return open;
}

/** The rules of mark_shipped: what may not leave needs no label. */
export function refuseUnshippable(order: Order): void {
  const problem = shippingProblem(order);
  if (!problem) return;
  const message = `${problem.message} ${problem.fix}`;
  const errors = [{ pointer: "/orderId", code: problem.code, message }];
  throw new HubError("invalid_state", message, { errors });
}

function recipientOf({ shippingAddress, customer }: Order): Address | undefined {
  if (!shippingAddress) return undefined;
  const hasName = Boolean(shippingAddress.name?.trim() || shippingAddress.company?.trim());
  return hasName || customer.name === undefined ? shippingAddress : { ...shippingAddress, name: customer.name };
}

function addressErrors(pointer: string, address: Address | undefined, missing: string): FieldError[] {
  if (!address || Object.keys(address).length === 0) return [{ pointer, code: "required", message: missing }];
  const faults = addressFaults(address).map(({ member, text }) => ({
    pointer: `${pointer}/${member}`,
    code: address[member]?.trim() ? `invalid_${member === "zip" ? "zip" : "value"}` : "required",
    message: `The carrier cannot go there: ${text}.`,
  }));
  return [...faults, ...errorsAt(pointer, maskErrors(address))];
}

function recipientErrors(to: Address | undefined): FieldError[] {
  if (!to || to.name?.trim() || to.company?.trim()) return [];
  return [{ pointer: "/to/name", code: "required", message: "Say who gets it: `name` or `company`." }];
}

function weightErrors(weight: Weight | undefined): FieldError[] {
  if (!weight) {
    const message = "Say what the parcel weighs; it does not follow from the packages or lines of an order.";
    return [{ pointer: "/weight", code: "required", message }];
  }
  if (weight.value > 0) return [];
  return [{ pointer: "/weight/value", code: "weight_needed", message: "Nothing at all weighs nothing." }];
}

function lineErrors(order: Order | undefined, lines: LabelRequest["lines"]): FieldError[] {
  if (!lines) return [];
  if (!order)
    return [{ pointer: "/lines", code: "order_needed", message: "Lines are those of an order: say `orderId`." }];
  const seen = new Set<string>();
  return lines.flatMap(({ lineId, quantity }, index): FieldError[] => {
    const fail = (member: string, code: string, message: string): FieldError[] => [
      { pointer: `/lines/${index}/${member}`, code, message },
    ];
    const line = order.lines.find(({ id }) => id === lineId);
    if (!line) return fail("lineId", "line_not_found", `The order has no line ${lineId}.`);
    if (seen.has(lineId)) return fail("lineId", "repeated", "This line is named more than once.");
    seen.add(lineId);
    const left = Math.max(0, line.quantity - line.shippedQuantity);
    if (quantity <= left) return [];
    return fail("quantity", "quantity_exceeds_remaining", `Of ${line.sku} ${left} are left.`);
  });
}

function onlyPackageOf({ packages }: Order): Order["packages"][number] | undefined {
  return packages.length === 1 && packages[0]!.count === 1 ? packages[0] : undefined;
}

/** Undefined where it would be a guess: a line without a weight, or several packages. */
function weightOf(order: Order, lines: LabelRequest["lines"]): Weight | undefined {
  const packed = lines === undefined ? onlyPackageOf(order)?.weight : undefined;
  if (packed) return packed;
  if (lines === undefined && order.packages.some(({ count }) => order.packages.length > 1 || count > 1))
    return undefined;
  const wanted = new Map(lines?.map(({ lineId, quantity }) => [lineId, quantity]));
  let sum: Weight | undefined;
  for (const { id, quantity, shippedQuantity, weight } of order.lines) {
    const count = lines === undefined ? Math.max(0, quantity - shippedQuantity) : (wanted.get(id) ?? 0);
    if (count === 0) continue;
    if (!weight) return undefined;
    const all = { value: weight.value * count, unit: weight.unit };
    sum = sum ? addWeights(sum, all) : all;
  }
  return sum && { value: Math.round(sum.value * 1000) / 1000, unit: sum.unit };
}
