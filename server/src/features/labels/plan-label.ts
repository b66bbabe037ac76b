import { isDeepStrictEqual } from "node:util";
import type { Address } from "../../core/address.ts";
import { addressFaults } from "../../core/address.ts";
import type { FieldError } from "../../core/errors.ts";
import { errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { maskErrors } from "../../core/mask-person.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";
import { addWeights } from "../../core/weight.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { getLocation } from "../locations/locations.ts";
import type { Order } from "../orders/order.ts";
import { shippingProblem } from "../orders/order-rules.ts";
import { lockOrders, readOrders } from "../orders/orders.ts";
import { today } from "../organizations/organizations.ts";
import { optionErrors } from "./check-options.ts";
import type { LabelSpec, ShipmentLabel } from "./label.ts";
import { newParcel } from "./label.ts";
import type { LabelRequest } from "./labels.schemas.ts";
import { listOrderLabels, unlistedOf } from "./order-labels.ts";
import { linesOf } from "./parcel-lines.ts";

/** A validated request, completed from its order; the carrier is not called yet. */
export type Planned = { open: OpenCarrier; spec: LabelSpec };

export async function planLabel(ctx: Ctx, request: LabelRequest): Promise<Planned> {
  const open = await openSeller(ctx, request.carrierAccountId);
  const { orderId } = request;
  const [order] = orderId === undefined ? [] : await readOrders(ctx.db, ctx.orgId, [orderId]);
  if (orderId !== undefined) orNotFound("order", order);
  const locationId = request.from ? null : order?.locationId;
  const from = locationId ? (await getLocation(ctx, locationId)).address : undefined;
  const others = order ? await findUnlisted(ctx.db, ctx, order) : [];
  const facts = { carrier: open.carrier.name, today: await today(ctx), from, others };
  return { open, spec: labelSpecFor(order, request, facts) };
}

/** Facts besides the order: its ship-from address, and its labels that are not in its shipped quantities yet. */
export type LabelFacts = {
  carrier: string;
  today: string;
  from: Address | undefined;
  others: readonly Pick<LabelSpec, "lines">[];
};

/** Pure. Throws all validation errors at once. */
export function labelSpecFor(
  order: Order | undefined,
  request: Omit<LabelRequest, "carrierAccountId" | "orderId">,
  facts: LabelFacts,
): LabelSpec {
  if (order) refuseUnshippable(order);
  const content = order ? linesOf(order, facts.others, request) : noLines(request);
  const { lines } = content;
  const { options = {}, shipDate = facts.today } = request;
  const { to, weight, dimensions } = parcelOf(order, request, lines);
  const from = request.from ?? facts.from;
  const errors = [
    ...addressErrors("/from", from, "`from` is required: the order has no location with an address."),
    ...addressErrors("/to", to, "`to` is required: there is no order with a shipping address."),
    ...recipientErrors(to),
    ...(request.parcels ? parcelErrors(request) : weightErrors(weight)),
    ...optionErrors(facts.carrier, options),
    ...dateErrors(shipDate, facts.today),
    ...content.errors,
  ];
  if (errors.length > 0 || !from || !to || !weight) throw validationFailed(errors);
  const reference = request.reference ?? order?.number ?? null;
  const { service } = request;
  const parcels = (request.parcels ?? [{ weight, ...(dimensions && { dimensions }) }]).map(newParcel);
  return {
    orderId: order?.id ?? null,
    service,
    from,
    to,
    weight,
    dimensions,
    parcels,
    options,
    shipDate,
    reference,
    lines,
  };
}

type Parcel = { to: Address | undefined; weight: Weight | undefined; dimensions: Dimensions | null };

/** Address, weight and dimensions of a parcel with these lines, from the request or the order. */
export function parcelOf(
  order: Order | undefined,
  request: Pick<LabelRequest, "to" | "weight" | "dimensions" | "lines" | "parcels">,
  lines: LabelSpec["lines"],
): Parcel {
  const to = request.to ?? (order && recipientOf(order));
  const [first, ...further] = request.parcels ?? [];
  if (first) {
    const weight = further.reduce((sum, parcel) => addWeights(sum, parcel.weight), first.weight);
    return { to, weight, dimensions: further.length === 0 ? (first.dimensions ?? null) : null };
  }
  return {
    to,
    weight: request.weight ?? (order && weightOf(order, lines, request)),
    dimensions: request.dimensions ?? (order && onlyPackageOf(order)?.dimensions) ?? null,
  };
}

async function openSeller(ctx: Ctx, accountId: string): Promise<OpenCarrier> {
  const open = await openCarrier(ctx, accountId);
  const { account, carrier } = open;
  if (!account.isActive) throw new HubError("carrier_account_inactive", `${account.name} is not active.`);
  if (!carrier.createLabel) throw new HubError("invalid_state", `${carrier.title} does not support labels.`);
  return open;
}

/** The rules of mark_shipped apply: an order that cannot be shipped gets no label. */
function refuseUnshippable(order: Order): void {
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

function noLines({ lines }: Pick<LabelRequest, "lines">): { lines: []; errors: FieldError[] } {
  const message = "`lines` requires `orderId`.";
  return { lines: [], errors: lines ? [{ pointer: "/lines", code: "order_required", message }] : [] };
}

function addressErrors(pointer: string, address: Address | undefined, missing: string): FieldError[] {
  if (!address || Object.keys(address).length === 0) return [{ pointer, code: "required", message: missing }];
  const faults = addressFaults(address).map(({ member, text }) => ({
    pointer: `${pointer}/${member}`,
    code: address[member]?.trim() ? `invalid_${member === "zip" ? "zip" : "value"}` : "required",
    message: `The address cannot be used: ${text}.`,
  }));
  return [...faults, ...errorsAt(pointer, maskErrors(address))];
}

function recipientErrors(to: Address | undefined): FieldError[] {
  if (!to || to.name?.trim() || to.company?.trim()) return [];
  return [{ pointer: "/to/name", code: "required", message: "A recipient is required: `name` or `company`." }];
}

function weightErrors(weight: Weight | undefined): FieldError[] {
  if (!weight) {
    const message = "`weight` is required: it cannot be derived from the packages or lines of an order.";
    return [{ pointer: "/weight", code: "required", message }];
  }
  if (weight.value > 0) return [];
  return [{ pointer: "/weight/value", code: "weight_required", message: "The weight must be greater than 0." }];
}

function parcelErrors({ parcels = [], weight, dimensions }: Pick<LabelRequest, "parcels" | "weight" | "dimensions">) {
  const errors: FieldError[] = parcels.flatMap((parcel, index) =>
    errorsAt(`/parcels/${index}`, weightErrors(parcel.weight)),
  );
  const message = "Send either `parcels`, or `weight` and `dimensions`.";
  if (weight !== undefined) errors.push({ pointer: "/weight", code: "contradiction", message });
  if (dimensions !== undefined) errors.push({ pointer: "/dimensions", code: "contradiction", message });
  return errors;
}

function dateErrors(shipDate: string, today: string): FieldError[] {
  if (shipDate >= today) return [];
  return [{ pointer: "/shipDate", code: "in_the_past", message: `The ship date must be ${today} or later.` }];
}

function onlyPackageOf({ packages }: Order): Order["packages"][number] | undefined {
  return packages.length === 1 && packages[0]!.count === 1 ? packages[0] : undefined;
}

/** Undefined if it cannot be derived: a line without a weight, or several packages. */
function weightOf(
  order: Order,
  content: LabelSpec["lines"],
  { lines }: Pick<LabelRequest, "lines">,
): Weight | undefined {
  const packed = lines === undefined ? onlyPackageOf(order)?.weight : undefined;
  if (packed) return packed;
  if (lines === undefined && order.packages.some(({ count }) => order.packages.length > 1 || count > 1))
    return undefined;
  let sum: Weight | undefined;
  for (const { lineId, quantity } of content) {
    const weight = order.lines.find(({ id }) => id === lineId)?.weight;
    if (!weight) return undefined;
    const all = { value: weight.value * quantity, unit: weight.unit };
    sum = sum ? addWeights(sum, all) : all;
  }
  return sum && { value: Math.round(sum.value * 1000) / 1000, unit: sum.unit };
}

async function findUnlisted(db: Queryable, ctx: Ctx, order: Order): Promise<ShipmentLabel[]> {
  return unlistedOf(order, (await listOrderLabels(db, ctx, [order.id])).get(order.id) ?? []);
}

/** Repeats the checks with the order locked: a label for a cancelled order, or a second label, would be paid for nothing. */
export async function checkAgain(tx: Tx, ctx: Ctx, request: LabelRequest, spec: LabelSpec): Promise<void> {
  if (spec.orderId === null) return;
  const [order] = await lockOrders(tx, ctx.orgId, [spec.orderId]);
  refuseUnshippable(orNotFound("order", order));
  const { lines, errors } = linesOf(order!, await findUnlisted(tx, ctx, order!), request);
  if (errors.length > 0) throw validationFailed(errors);
  if (isDeepStrictEqual(lines, spec.lines)) return;
  throw new HubError("invalid_state", "The unshipped items of the order have just changed. Try again.");
}
