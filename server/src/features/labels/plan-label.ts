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
import { listOrderLabels, returnsOf, unlistedOf } from "./order-labels.ts";
import { consignmentOf, recipientOf } from "./order-parcels.ts";
import { linesOf, returnLinesOf } from "./parcel-lines.ts";

/** A validated request, completed from its order; the carrier is not called yet. */
export type Planned = { open: OpenCarrier; spec: LabelSpec };

export async function planLabel(ctx: Ctx, request: LabelRequest): Promise<Planned> {
  const open = await openSeller(ctx, request.carrierAccountId);
  const { orderId } = request;
  const [order] = orderId === undefined ? [] : await readOrders(ctx.db, ctx.orgId, [orderId]);
  if (orderId !== undefined) orNotFound("order", order);
  const locationId = request.from ? null : order?.locationId;
  const from = locationId ? (await getLocation(ctx, locationId)).address : undefined;
  const { others, returns } = await findLabelsOf(ctx.db, ctx, order);
  const facts = { carrier: open.carrier.name, today: await today(ctx), from, others, returns };
  return { open, spec: labelSpecFor(order, request, facts) };
}

/** Facts besides the order: its ship-from address, and its labels that are not in its shipped quantities yet. */
export type LabelFacts = {
  carrier: string;
  today: string;
  from: Address | undefined;
  others: readonly Pick<LabelSpec, "lines">[];
  /** Its return labels. */
  returns: readonly Pick<LabelSpec, "lines">[];
};

/** Pure. Throws all validation errors at once. */
export function labelSpecFor(
  order: Order | undefined,
  given: Omit<LabelRequest, "carrierAccountId" | "orderId">,
  facts: LabelFacts,
): LabelSpec {
  const content = order ? contentsOf(order, given, facts) : noLines(given);
  const { lines } = content;
  const isReturn = order !== undefined && given.options?.isReturn === true;
  const request = isReturn ? turnedAround(order, given, facts, lines) : given;
  const { shipDate = facts.today } = request;
  const { parcels, weight, dimensions, options, errors: wrongParcels, ...sent } = consignmentOf(order, request, lines);
  // Without a location, a return would go back to the customer.
  const to = isReturn && !request.to ? undefined : sent.to;
  const from = request.from ?? (isReturn ? undefined : facts.from);
  const errors = [
    ...addressErrors("/from", from, isReturn ? noCustomer("from") : noLocation("from")),
    ...addressErrors("/to", to, isReturn ? noLocation("to") : noCustomer("to")),
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

const noLocation = (member: string) => `\`${member}\` is required: the order has no location with an address.`;
const noCustomer = (member: string) => `\`${member}\` is required: there is no order with a shipping address.`;

type Asked = Pick<LabelRequest, "lines" | "allowDuplicate" | "options">;

function contentsOf(order: Order, request: Asked, { others, returns }: Pick<LabelFacts, "others" | "returns">) {
  if (request.options?.isReturn === true) return returnLinesOf(order, returns, request);
  refuseUnshippable(order);
  return linesOf(order, others, request);
}

/** From the customer to the location. Whether the customer's address is residential affects the price of a return as well. */
function turnedAround<Request extends Omit<LabelRequest, "carrierAccountId" | "orderId">>(
  order: Order,
  request: Request,
  { from: location }: LabelFacts,
  lines: LabelSpec["lines"],
): Request {
  const { residential = null, ...customer } = recipientOf(order) ?? {};
  const to = request.to ?? location;
  const from = request.from ?? (Object.keys(customer).length === 0 ? undefined : customer);
  const isHome = request.options?.residential ?? residential;
  return {
    ...request,
    ...(from && { from }),
    ...(to && { to: { ...to, residential: isHome } }),
    // The packages of the order are those of the way there.
    lines,
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

type KnownLabels = { others: ShipmentLabel[]; returns: ShipmentLabel[] };

async function findLabelsOf(db: Queryable, ctx: Ctx, order: Order | undefined): Promise<KnownLabels> {
  if (!order) return { others: [], returns: [] };
  const labels = (await listOrderLabels(db, ctx, [order.id])).get(order.id) ?? [];
  return { others: unlistedOf(order, labels), returns: returnsOf(labels) };
}

/** Repeats the checks with the order locked: a label for a cancelled order, or a second label, would be paid for nothing. */
export async function checkAgain(tx: Tx, ctx: Ctx, request: LabelRequest, spec: LabelSpec): Promise<void> {
  if (spec.orderId === null) return;
  const [found] = await lockOrders(tx, ctx.orgId, [spec.orderId]);
  const order = orNotFound("order", found);
  const { lines, errors } = contentsOf(order, request, await findLabelsOf(tx, ctx, order));
  if (errors.length > 0) throw validationFailed(errors);
  if (isDeepStrictEqual(lines, spec.lines)) return;
  throw new HubError("invalid_state", "The unshipped items of the order have just changed. Try again.");
}
