import { readJson } from "../../core/outbound/ask-remote.ts";
import type { CanonicalLine, CanonicalOrder } from "../canonical.ts";
import type { Call, Page, PulledRecord } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { SinceInput, startOf } from "../incremental.ts";
import type { Json } from "../shape.ts";
import {
  addressOf,
  amount,
  asText,
  buyerNotes,
  chunksOf,
  currencyOf,
  customerOf,
  filled,
  filledOrNothing,
  gone,
  instantOf,
  laterOf,
  line,
  lineOf,
  listOf,
  objectOf,
} from "../shape.ts";
import { pullTask } from "../standard-tasks.ts";
import { askWoo } from "./woocommerce-api.ts";
import type { WooNews } from "./woocommerce-notices.ts";

/**
 * Page numbers alone lose orders: one that changes while the import runs moves to the end, and the first of the next
 * page moves up into the page that was read already. So each page asks for what changed since the last one it saw, and
 * page numbers only count within one second, which is as fine as the shop's times are.
 */
type Cursor = {
  /** Changes after this moment are asked for; only set within a pass. */
  after?: string;
  page?: number;
  /** Orders that were read already and come again, since they changed in the second that is asked from. */
  seen?: string[];
  highest?: string;
  isOpen?: boolean;
};

const maxStale = 3;

async function* pullOrders(call: Call, cursor: unknown): AsyncGenerator<Page> {
  const size = (call.settings.pageSize as number | undefined) ?? 50;
  const given = objectOf(cursor) as Cursor;
  let at: Cursor = given;
  if (given.isOpen !== true) {
    const from = startOf(call, cursor);
    at = {
      ...(from === undefined ? {} : { after: secondBefore(from) }),
      ...(given.highest ? { highest: given.highest } : {}),
    };
  }
  let stale = 0;
  for (;;) {
    const { orders, total, hasMore } = await readPage(call, at, size);
    const fresh = orders.filter((order) => !at.seen?.includes(keyOf(order)));
    const isKnown = orders.length > 0 && fresh.length === 0 && (at.page ?? 1) > 1;
    if (isKnown || orders.some((order) => isBefore(order, at.after))) {
      // A cache on the way answered with an older page; going on from it would skip what it hides.
      if (++stale > maxStale) throw new RemoteError("stale_page", "The shop repeats old pages.", { retryable: true });
      call.log("warn", "The shop answered with an old page; asking again.");
      continue;
    }
    stale = 0;
    at = nextCursor(at, orders, hasMore);
    yield { records: fresh.map(toRecord), cursor: at, ...(total === undefined ? {} : { total }) };
    if (!hasMore) return;
  }
}

const maxPerPage = 100;

/** The orders as they are now, each once. What lies in the trash is not listed. */
async function receive(call: Call, payloads: unknown[]): Promise<PulledRecord[]> {
  const news = payloads as WooNews[];
  const deleted = new Set(news.filter(({ isDeleted }) => isDeleted).map(({ orderId }) => orderId));
  const records: PulledRecord[] = [];
  for (const some of chunksOf([...new Set(news.map(({ orderId }) => orderId))], maxPerPage)) {
    const query = { include: some.join(","), status: "any", per_page: maxPerPage };
    const orders = listOf(readJson(await askWoo(call, { path: "/wc/v3/orders", query })));
    const found = new Map(orders.map((order) => [asText(order.id), order]));
    for (const id of some) {
      const order = found.get(id);
      if (order) records.push(toRecord(order));
      else if (deleted.has(id)) records.push({ externalId: id, isGone: true, raw: {}, canonical: gone(id) });
    }
  }
  return records;
}

async function readPage(call: Call, at: Cursor, size: number) {
  const query = {
    orderby: "modified",
    order: "asc",
    status: "any",
    per_page: size,
    page: at.page ?? 1,
    modified_after: at.after?.replace(/\.\d+Z$/, ""),
    dates_are_gmt: true,
  };
  const response = await askWoo(call, { path: "/wc/v3/orders", query });
  const orders = listOf(readJson(response));
  const pages = Number(response.headers["x-wp-totalpages"] ?? Number.NaN);
  const hasMore = Number.isNaN(pages) ? orders.length >= size : (at.page ?? 1) < pages && orders.length > 0;
  const count = Number(response.headers["x-wp-total"] ?? Number.NaN);
  return { orders, hasMore, total: at.after === undefined && !Number.isNaN(count) ? count : undefined };
}

function nextCursor(at: Cursor, orders: Json[], hasMore: boolean): Cursor {
  const newest = orders.reduce<string | undefined>((max, order) => laterOf(max, modifiedOf(order)), undefined);
  const highest = laterOf(at.highest, newest);
  const mark = highest === undefined ? {} : { highest };
  if (!hasMore || newest === undefined) return mark;
  const after = secondBefore(newest);
  const edge = orders.filter((order) => modifiedOf(order) === newest).map(keyOf);
  if (after === at.after) {
    return {
      ...mark,
      after,
      page: (at.page ?? 1) + 1,
      seen: [...new Set([...(at.seen ?? []), ...edge])],
      isOpen: true,
    };
  }
  return { ...mark, after, page: 1, seen: edge, isOpen: true };
}

/** Times of the shop come without a zone: those named `_gmt` are UTC, the others of the shop's own. */
function modifiedOf(order: Json): string | undefined {
  return instantOf(order.date_modified_gmt) ?? instantOf(order.date_created_gmt);
}

function keyOf(order: Json): string {
  return `${asText(order.id)}@${modifiedOf(order) ?? ""}`;
}

function isBefore(order: Json, after: string | undefined): boolean {
  const modified = modifiedOf(order);
  return after !== undefined && modified !== undefined && modified <= after;
}

/** `modified_after` leaves out the moment itself. */
function secondBefore(instant: string): string {
  return new Date(Math.floor(Date.parse(instant) / 1000) * 1000 - 1000).toISOString();
}

function toRecord(raw: Json): PulledRecord {
  const updatedAt = modifiedOf(raw);
  return { externalId: asText(raw.id), ...(updatedAt ? { updatedAt } : {}), raw, canonical: canonicalOf(raw) };
}

const statuses = new Map<string, [status: string, payment: string]>([
  ["pending", ["awaiting_payment", "pending"]],
  ["on-hold", ["awaiting_payment", "pending"]],
  ["processing", ["new", "paid"]],
  ["completed", ["shipped", "paid"]],
  ["cancelled", ["cancelled", "voided"]],
  ["refunded", ["cancelled", "refunded"]],
  ["failed", ["cancelled", "voided"]],
  ["checkout-draft", ["draft", "pending"]],
  ["trash", ["cancelled", "voided"]],
]);

function canonicalOf(order: Json): CanonicalOrder {
  const billing = objectOf(order.billing);
  const [status, payment] = statuses.get(asText(order.status)) ?? ["new", order.date_paid_gmt ? "paid" : "pending"];
  const name = [billing.first_name, billing.last_name].map(asText).join(" ");
  const service = line(listOf(order.shipping_lines)[0]?.method_title, 100);
  return {
    externalId: asText(order.id),
    status,
    paymentStatus: payment,
    ...(order.status === "trash" ? { deleted: true } : {}),
    ...filled({
      number: line(order.number, 100),
      currency: currencyOf(order.currency),
      orderedAt: instantOf(order.date_created_gmt),
      channel: "woocommerce",
      customer: customerOf({ name, email: billing.email, phone: billing.phone }),
      shippingAddress: toAddress(order.shipping) ?? toAddress(billing),
      billingAddress: toAddress(billing),
      lines: listOf(order.line_items).flatMap(toLine),
      total: amount(order.total),
      shipping: filledOrNothing({ service }),
      notes: buyerNotes(order.customer_note),
    }),
  };
}

/** An order that is not shipped has an address of empty texts. */
function toAddress(given: unknown) {
  const { first_name: first, last_name: last, company, address_1: address1, ...rest } = objectOf(given);
  const { address_2: address2, city, state: provinceCode, postcode: zip, country: countryCode, phone } = rest;
  if (!address1 && !city && !zip) return undefined;
  const name = [first, last].map(asText).join(" ");
  return addressOf({ name, company, address1, address2, city, provinceCode, zip, countryCode, phone });
}

function toLine(item: Json): CanonicalLine[] {
  const quantity = Number(item.quantity);
  if (!Number.isInteger(quantity) || quantity < 1) return [];
  return [lineOf({ id: item.id, sku: item.sku, name: item.name, price: item.price, quantity })];
}

export const ordersImport = pullTask("orders.import", {
  description: "Reads the orders that changed since the last import, oldest change first.",
  input: SinceInput,
  isIncremental: true,
  pull: pullOrders,
  canonicalOf,
  receive,
});
