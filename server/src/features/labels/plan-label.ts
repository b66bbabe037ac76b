import { isDeepStrictEqual } from "node:util";
import type { Address } from "../../core/address.ts";
import { addressFaults } from "../../core/address.ts";
import type { FieldError } from "../../core/errors.ts";
import { errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { maskErrors } from "../../core/mask-person.ts";
import { orNotFound } from "../../core/resources.ts";
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
import { consignmentOf } from "./order-parcels.ts";
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
  const { shipDate = facts.today } = request;
  const { to, parcels, weight, dimensions, options, errors: wrongParcels } = consignmentOf(order, request, lines);
  const from = request.from ?? facts.from;
  const errors = [
    ...addressErrors("/from", from, "`from` is required: the order has no location with an address."),
    ...addressErrors("/to", to, "`to` is required: there is no order with a shipping address."),
    ...recipientErrors(to),
    ...wrongParcels,
    ...optionErrors(facts.carrier, options),
    ...dateErrors(shipDate, facts.today),
    ...content.errors,
  ];
  if (errors.length > 0 || !from || !to || !weight) throw validationFailed(errors);
  const reference = request.reference ?? order?.number ?? null;
  const { service } = request;
  return {
    orderId: order?.id ?? null,
    service,
    from,
    to,
    weight,
    dimensions,
    parcels: parcels.map(newParcel),
    options,
    shipDate,
    reference,
    lines,
    quote: null,
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

function dateErrors(shipDate: string, today: string): FieldError[] {
  if (shipDate >= today) return [];
  return [{ pointer: "/shipDate", code: "in_the_past", message: `The ship date must be ${today} or later.` }];
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
