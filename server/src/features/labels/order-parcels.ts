import type { Parcel, ShipOptions } from "../../carriers/seam/ship-options.ts";
import type { Address } from "../../core/address.ts";
import type { FieldError } from "../../core/errors.ts";
import { errorsAt } from "../../core/errors.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";
import { codedAddress } from "../../core/clean-address.ts";
import { addWeights, multiplyWeight } from "../../core/weight.ts";
import type { Order } from "../orders/order.ts";
import type { LabelSpec } from "./label.ts";
import type { LabelRequest } from "./labels.schemas.ts";
import { maxParcels } from "./labels.schemas.ts";

type Request = Pick<LabelRequest, "to" | "weight" | "dimensions" | "lines" | "parcels" | "options">;
type Lines = LabelSpec["lines"];

/** A shipment as carriers price and label it. */
export type Consignment = {
  to: Address | undefined;
  parcels: Parcel[];
  options: ShipOptions;
  /** Of all parcels together; undefined if it is unknown. */
  weight: Weight | undefined;
  /** Of the only parcel. */
  dimensions: Dimensions | null;
  /** Why the parcels cannot be used; pointers into a label request. */
  errors: FieldError[];
};

/**
 * Where these lines go and in which parcels, from the request or else the order. Quotes and labels both come from here, so that the
 * price of a quote is that of the label.
 */
export function consignmentOf(order: Order | undefined, request: Request, lines: Lines): Consignment {
  const { residential: isHome = null, ...address } = request.to ?? (order && recipientOf(order)) ?? {};
  const to = Object.keys(address).length === 0 ? undefined : address;
  const residential = request.options?.residential ?? isHome;
  const options = { ...request.options, ...(residential === null ? {} : { residential }) };
  return { to, options, ...contentsOf(order, request, lines) };
}

type Contents = Pick<Consignment, "parcels" | "weight" | "dimensions" | "errors">;

function contentsOf(order: Order | undefined, request: Request, lines: Lines): Contents {
  if (request.parcels) return together(request.parcels, parcelErrors(request));
  if (order && areSeveral(order) && isForWholeOrder(request)) return packagesOf(order, lines);
  const weight = request.weight ?? (order && weightOf(order, lines, request));
  const dimensions = request.dimensions ?? (order && onlyPackageOf(order)?.dimensions) ?? null;
  const errors = weightErrors(weight);
  return { parcels: weight ? [{ weight, ...(dimensions && { dimensions }) }] : [], weight, dimensions, errors };
}

function together(parcels: Parcel[], errors: FieldError[]): Contents {
  const [first, ...further] = parcels;
  const weight = first && addWeights(first.weight, ...further.map((parcel) => parcel.weight));
  const dimensions = further.length === 0 ? (first?.dimensions ?? null) : null;
  return { parcels, weight, dimensions, errors };
}

function areSeveral({ packages }: Order): boolean {
  return packages.length > 1 || packages.some(({ count }) => count > 1);
}

function isForWholeOrder({ weight, dimensions, lines }: Request): boolean {
  return weight === undefined && dimensions === undefined && lines === undefined;
}

/** A parcel for each package of the order. */
function packagesOf(order: Order, lines: Lines): Contents {
  const fail = (code: string, message: string): Contents => ({
    parcels: [],
    weight: undefined,
    dimensions: null,
    errors: [{ pointer: "/parcels", code, message }],
  });
  const count = order.packages.reduce((sum, one) => sum + one.count, 0);
  if (count > maxParcels) {
    return fail("too_many_parcels", `The order has ${count} packages; a shipment has at most ${maxParcels} parcels.`);
  }
  const weightless = order.packages.findIndex(({ weight }) => !weight || weight.value <= 0);
  if (weightless !== -1) return fail("required", `Package ${weightless + 1} of the order has no weight.`);
  const quantities = new Map(lines.map(({ lineId, quantity }) => [lineId, quantity]));
  if (!order.lines.every(({ id, quantity }) => quantities.get(id) === quantity)) {
    const message = "The order is shipped in part: which of its packages are left is unknown. Send `parcels`.";
    return fail("partly_shipped", message);
  }
  const parcels = order.packages.flatMap(({ weight, dimensions, count: times }) =>
    Array.from({ length: times }, () => ({ weight: weight!, ...(dimensions && { dimensions }) })),
  );
  return together(parcels, []);
}

/** As carriers need it: shops write "Texas" or "texas " where a label needs TX. */
export function recipientOf({ shippingAddress, customer }: Order): Address | undefined {
  if (!shippingAddress) return undefined;
  const address = codedAddress(shippingAddress);
  return address.name || address.company || customer.name === undefined ? address : { ...address, name: customer.name };
}

function onlyPackageOf(order: Order): Order["packages"][number] | undefined {
  return areSeveral(order) ? undefined : order.packages[0];
}

/** Undefined if it cannot be derived: a line without a weight, or several packages. */
function weightOf(order: Order, content: Lines, { lines }: Pick<Request, "lines">): Weight | undefined {
  const packed = lines === undefined ? onlyPackageOf(order)?.weight : undefined;
  if (packed) return packed;
  if (lines === undefined && areSeveral(order)) return undefined;
  const weights: Weight[] = [];
  for (const { lineId, quantity } of content) {
    const weight = order.lines.find(({ id }) => id === lineId)?.weight;
    if (!weight) return undefined;
    weights.push(multiplyWeight(weight, quantity));
  }
  const [first, ...others] = weights;
  return first && addWeights(first, ...others);
}

function weightErrors(weight: Weight | undefined): FieldError[] {
  if (!weight) {
    const message = "`weight` is required: it cannot be derived from the packages or lines of an order.";
    return [{ pointer: "/weight", code: "required", message }];
  }
  if (weight.value > 0) return [];
  return [{ pointer: "/weight/value", code: "weight_required", message: "The weight must be greater than 0." }];
}

function parcelErrors({ parcels = [], weight, dimensions }: Request): FieldError[] {
  const errors: FieldError[] = parcels.flatMap((parcel, index) =>
    errorsAt(`/parcels/${index}`, weightErrors(parcel.weight)),
  );
  const message = "Send either `parcels`, or `weight` and `dimensions`.";
  if (weight !== undefined) errors.push({ pointer: "/weight", code: "contradiction", message });
  if (dimensions !== undefined) errors.push({ pointer: "/dimensions", code: "contradiction", message });
  return errors;
}
