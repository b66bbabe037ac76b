import { isDeepStrictEqual } from "node:util";
import { hideCardNumbers } from "../../core/card-number.ts";
import type { FieldError } from "../../core/errors.ts";
import { roundToCents } from "../../core/money.ts";
import { totalOf } from "./order-total.ts";
import type { Hold, Order, OrderEnv, OrderFields, OrderLine, OrderNote, OrderPatch } from "./order.ts";
import { normalizeNumber } from "./order.ts";
import { momentErrors, newHold } from "./order-rules.ts";
import type { ImportedOrder, OrderRequest } from "./orders.schemas.ts";
import { sourceHold } from "./source-rules.ts";

type Setters = {
  [K in keyof Required<OrderRequest>]: (value: OrderRequest[K], env: OrderEnv, before?: Order) => OrderPatch;
};

/** Converts each field of a request to fields of the order; undefined means its default. */
const setters: Setters = {
  number: (number) => (number === undefined ? {} : { number: normalizeNumber(number) }),
  status: (status = "new") => ({ status }),
  paymentStatus: (paymentStatus = "pending") => ({ paymentStatus }),
  priority: (priority = "normal") => ({ priority }),
  currency: (currency = "USD") => ({ currency }),
  orderedAt: (at, { now }) => ({ orderedAt: toInstant(at) ?? now }),
  archived: (archived = false, { now }, before) => ({ archivedAt: archived ? (before?.archivedAt ?? now) : null }),
  tags: (tags = []) => ({ tags }),
  channel: (channel) => ({ channel: channel ?? null }),
  bridgeId: (id) => ({ bridgeId: id?.toLowerCase() ?? null }),
  externalId: (externalId) => ({ externalId: externalId ?? null }),
  customer: (customer = {}) => ({ customer }),
  shippingAddress: (address, _env, before) => {
    const shippingAddress = address ?? null;
    const isSame = before && isDeepStrictEqual(before.shippingAddress, shippingAddress);
    // The validation of the previous address does not apply to this one.
    return isSame ? {} : { shippingAddress, addressStatus: "unverified" };
  },
  billingAddress: (address) => ({ billingAddress: address ?? null }),
  lines: (lines = [], env, before) => ({ lines: lines.map((line) => toLine(line, env, before)) }),
  total: (total) => ({ total: total ?? null }),
  amounts: (amounts = {}) => ({ amounts }),
  payment: (payment = {}) => ({
    payment: { ...payment, ...(payment.reference && { reference: hideCardNumbers(payment.reference) }) },
  }),
  riskLevel: (riskLevel) => ({ riskLevel: riskLevel ?? null }),
  poNumber: (poNumber) => ({ poNumber: poNumber ?? null }),
  giftMessage: (giftMessage) => ({ giftMessage: giftMessage ?? null }),
  requestedDeliveryDate: (day) => ({ requestedDeliveryDate: day ?? null }),
  shipping: (shipping = {}) => ({ shipping }),
  packages: (packages = []) => ({ packages: packages.map(({ count = 1, ...rest }) => ({ ...rest, count })) }),
  notes: (notes = [], env, before) => ({ notes: notes.map((note) => toNote(note, env, before)) }),
  customFields: (customFields = {}) => ({ customFields }),
  locationId: (id) => ({ locationId: id?.toLowerCase() ?? null }),
  assigneeId: (id) => ({ assigneeId: id?.toLowerCase() ?? null }),
  shipBy: (at) => ({ shipBy: toInstant(at) ?? null }),
  deliverBy: (at) => ({ deliverBy: toInstant(at) ?? null }),
  dispatchOn: (at) => ({ dispatchOn: toInstant(at) ?? null }),
};

const requestFields = Object.keys(setters) as (keyof OrderRequest)[];

export function newOrder(request: ImportedOrder, number: string, env: OrderEnv): Order {
  const fields = fieldsOf({ ...request, number }, requestFields, env) as OrderFields;
  return {
    ...fields,
    total: fields.total ?? totalOf(fields),
    holds: request.hold ? [holdOfSource(request.hold, env)] : [],
    shipments: [],
    parentOrderId: null,
    mergedIntoId: null,
    childCount: 0,
    id: env.newId(),
    createdAt: env.now,
    updatedAt: env.now,
    version: 1,
  };
}

/** Converts these fields of a request to a patch of the order. */
export function fieldsOf(
  request: OrderRequest,
  fields: readonly (keyof OrderRequest)[],
  env: OrderEnv,
  before?: Order,
): OrderPatch {
  const patch: OrderPatch = {};
  for (const field of fields) Object.assign(patch, setters[field](request[field] as never, env, before));
  return patch;
}

export function holdOfSource({ reason = "other", note }: NonNullable<ImportedOrder["hold"]>, env: OrderEnv): Hold {
  return newHold(env, { handle: sourceHold, reason, source: "bridge", note: note ?? null });
}

function toInstant(text: string | undefined): string | undefined {
  return text === undefined ? undefined : new Date(text).toISOString();
}

function toLine(line: NonNullable<ImportedOrder["lines"]>[number], env: OrderEnv, before?: Order): OrderLine {
  const id = line.id ?? env.newId();
  const known = before?.lines.find((candidate) => candidate.id === id)?.shippedQuantity ?? 0;
  return { ...line, id, shippedQuantity: Math.max(known, Math.min(line.shippedQuantity ?? 0, line.quantity)) };
}

function toNote(note: NonNullable<OrderRequest["notes"]>[number], env: OrderEnv, before?: Order): OrderNote {
  const { text, visibility = "internal" } = note;
  const known = note.id === undefined ? undefined : before?.notes.find(({ id }) => id === note.id);
  return known ? { ...known, text, visibility } : { id: env.newId(), text, visibility, by: env.actor, at: env.now };
}

const currencies = new Set(Intl.supportedValuesOf("currency"));

/** Rules beyond the schema. */
export function ruleErrors(request: OrderRequest, before?: Order): FieldError[] {
  const errors: FieldError[] = [];
  const { currency, amounts, total, lines = [] } = request;
  errors.push(
    ...currencyErrors("/currency", currency),
    ...currencyErrors("/amounts/presentmentCurrency", amounts?.presentmentCurrency),
  );
  if (total !== undefined && roundToCents(total) !== total) {
    errors.push({ pointer: "/total", code: "too_many_decimals", message: "At most two decimals are allowed." });
  }
  for (const field of ["orderedAt", "shipBy", "deliverBy", "dispatchOn"] as const) {
    errors.push(...momentErrors(`/${field}`, request[field]));
  }
  const seen = new Set<string>();
  for (const [index, { id }] of lines.entries()) {
    if (id === undefined) continue;
    if (seen.has(id)) {
      errors.push({ pointer: `/lines/${index}/id`, code: "duplicate", message: "Another line has this ID." });
    }
    seen.add(id);
  }
  return before && request.lines !== undefined ? [...errors, ...shippedErrors(request.lines, before)] : errors;
}

function currencyErrors(pointer: string, currency: string | undefined): FieldError[] {
  if (currency === undefined || currencies.has(currency)) return [];
  return [{ pointer, code: "unknown_currency", message: `${currency} is not an ISO 4217 currency code.` }];
}

/** Shipped items cannot be removed from the order. */
function shippedErrors(lines: NonNullable<OrderRequest["lines"]>, before: Order): FieldError[] {
  return before.lines.flatMap(({ id, sku, shippedQuantity }) => {
    const index = lines.findIndex((line) => line.id === id);
    if ((lines[index]?.quantity ?? 0) >= shippedQuantity) return [];
    const pointer = index === -1 ? "/lines" : `/lines/${index}/quantity`;
    const message = `${shippedQuantity} of ${sku} have been shipped; keep the line with its ID and at least this quantity.`;
    return [{ pointer, code: "already_shipped", message }];
  });
}
