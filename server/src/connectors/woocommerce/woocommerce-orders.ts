import { readJson } from "../../core/outbound/ask-remote.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { withoutCardNumbers } from "../card-numbers.ts";
import type { Call, Page, PulledRecord, Settings } from "../connector.ts";
import { SinceInput, startOf } from "../incremental.ts";
import type { Json } from "../shape.ts";
import { asText, chunksOf, gone, instantOf, laterOf, listOf, objectOf } from "../shape.ts";
import { pullTask } from "../standard-tasks.ts";
import { askWoo } from "./woocommerce-api.ts";
import { canonicalOf } from "./woocommerce-canonical.ts";
import type { ProductReader } from "./woocommerce-products.ts";
import { createProductReader } from "./woocommerce-products.ts";
import { isUnknownStatus } from "./woocommerce-statuses.ts";
import type { WooPayload } from "./woocommerce-webhooks.ts";

/**
 * Page numbers alone lose orders: an order that changes during the import moves to the end of the list, and the first order of the next
 * page moves to the page that was read already. So each request asks for changes since the last order that was read. Page numbers are
 * used only within one second, the resolution of the shop's times.
 */
type Cursor = {
  /** Changes after this time are requested; set only within a pass. */
  after?: string;
  page?: number;
  /** Orders of the second in `after`, which were read already and are listed again. */
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
  const products = createProductReader(call);
  let stale = 0;
  for (;;) {
    const { orders, total, hasMore } = await readPage(call, at, size);
    const fresh = orders.filter((order) => !at.seen?.includes(keyOf(order)));
    const isKnown = orders.length > 0 && fresh.length === 0 && (at.page ?? 1) > 1;
    if (isKnown || orders.some((order) => isBefore(order, at.after))) {
      // A cache returned an older page. Continuing from it would skip the orders that it lacks.
      if (++stale > maxStale)
        throw new RemoteError("stale_page", "The shop returns outdated pages.", { retryable: true });
      call.log("warn", "The shop returned an outdated page; requesting it again.");
      continue;
    }
    stale = 0;
    at = nextCursor(at, orders, hasMore);
    const records = await readWhole(call, products, fresh);
    yield { records, cursor: at, ...(total === undefined ? {} : { total }) };
    if (!hasMore) return;
  }
}

const maxPerPage = 100;

/** Reads the current state of the orders, each once. Orders in the trash are not listed. */
async function receive(call: Call, payloads: unknown[]): Promise<PulledRecord[]> {
  const changes = payloads as WooPayload[];
  const deleted = new Set(changes.filter(({ isDeleted }) => isDeleted).map(({ orderId }) => orderId));
  const products = createProductReader(call);
  const records: PulledRecord[] = [];
  for (const some of chunksOf([...new Set(changes.map(({ orderId }) => orderId))], maxPerPage)) {
    const query = { include: some.join(","), status: "any", per_page: maxPerPage };
    const orders = listOf(readJson(await askWoo(call, { path: "/wc/v3/orders", query })));
    const found = new Map((await readWhole(call, products, orders)).map((record) => [record.externalId, record]));
    for (const id of some) {
      const record = found.get(id);
      if (record) records.push(record);
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

/** Times of the shop have no zone: fields named `_gmt` are in UTC, the others in the zone of the shop. */
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

/** `modified_after` excludes the given time. */
function secondBefore(instant: string): string {
  return new Date(Math.floor(Date.parse(instant) / 1000) * 1000 - 1000).toISOString();
}

async function readWhole(call: Call, products: ProductReader, listed: Json[]): Promise<PulledRecord[]> {
  const orders = await products.addTo(listed.map((order) => withoutCardNumbers(order)));
  const records: PulledRecord[] = [];
  for (const order of orders) records.push(toRecord(await withRefunds(call, order), call.settings));
  const unknown = orders.filter((order) => isUnknownStatus(order, call.settings));
  if (unknown.length > 0) {
    const words = [...new Set(unknown.map(({ status }) => asText(status)))].join(", ");
    const numbers = unknown.slice(0, 5).map(({ number }) => asText(number));
    const which = unknown.length > numbers.length ? `${numbers.join(", ")} and others` : numbers.join(", ");
    call.log("warn", `Unknown statuses: ${words}. Orders to review: ${which}.`);
  }
  return records;
}

const noRefunds: readonly number[] = [401, 403, 404];

/** Adds the refunded lines; the list of orders has only the sums. Only for orders with refunds, since it needs a request of its own. */
async function withRefunds(call: Call, order: Json): Promise<Json> {
  const sums = listOf(order.refunds);
  if (sums.length === 0) return order;
  const path = `/wc/v3/orders/${asText(order.id)}/refunds`;
  const response = await askWoo(call, { path, query: { per_page: maxPerPage } }, [...noRefunds]);
  if (noRefunds.includes(response.status)) {
    call.log(
      "warn",
      `The shop does not provide the refunded items of order ${asText(order.number)}: its quantities may be too high.`,
    );
    return order;
  }
  const details = new Map(listOf(readJson(response)).map((refund) => [asText(refund.id), refund]));
  return { ...order, refunds: sums.map((sum) => ({ ...sum, ...details.get(asText(sum.id)) })) };
}

function toRecord(raw: Json, settings: Settings): PulledRecord {
  const updatedAt = modifiedOf(raw);
  const canonical = canonicalOf(raw, settings);
  return { externalId: asText(raw.id), ...(updatedAt ? { updatedAt } : {}), raw, canonical };
}

export const ordersImport = pullTask("orders.import", {
  description: "Reads the orders that changed since the last import, oldest change first.",
  input: SinceInput,
  isIncremental: true,
  pull: pullOrders,
  canonicalOf,
  receive,
});
