import { fieldsOf } from "../../core/condition-types.ts";
import { badField, HubError } from "../../core/errors.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import { offsetOf, toCappedPage } from "../../core/page.ts";
import { isUuid } from "../../core/ids.ts";
import { splitNames } from "../../core/schema.ts";
import type { Ctx, World } from "../../context.ts";
import type { Streamed } from "../../route.ts";
import { findByRef } from "./change-order.ts";
import { exportOrders as exportFiltered } from "./list/export-orders.ts";
import type {
  CountsQuery,
  ExportQuery,
  FacetQuery,
  OrderAnswer,
  OrderCounts,
  OrderFacets,
  OrderPage,
  OrderQuery,
} from "./order-answers.schemas.ts";
import { AskedOrder, maxIds, maxPage } from "./order-answers.schemas.ts";
import type { OrderFilter, OrderFilterRequest } from "./order-filter.schemas.ts";
import { normalizeFilter } from "./order-filter.schemas.ts";
import { countFacetValues } from "./list/order-facet-values.store.ts";
import { archivedOptions } from "./list/order-filter.store.ts";
import { countByStatus, foldCountsAcrossOrgs } from "./list/order-index.store.ts";
import * as lists from "./list/order-list.store.ts";
import type { SortName } from "./list/order-sorts.ts";
import { toSearchQuery } from "./list/search-words.ts";
import { presentTo } from "./personal-data.ts";
import type { OrderStatus } from "./orders.states.ts";
import { orderStatuses } from "./orders.states.ts";

export type { CustomerFigures } from "./customers.store.ts";
export { customerFigurePaths, readCustomerFigures } from "./customers.store.ts";
export { concludeFulfillment } from "./conclude-fulfillment.ts";
export type { FulfillmentOutcome } from "./conclude-fulfillment.ts";
export { createOrder, createOrdersInBulk } from "./create-orders.ts";
export { deleteOrder, updateOrder } from "./change-order.ts";
export { importOrders } from "./import/import-orders.ts";
export { watchImport } from "./import/import-progress.ts";
export {
  correctListedShipment,
  listBoughtShipment,
  markOrdersDelivered,
  takeBackDelivery,
  takeBackListedShipment,
} from "./listed-shipments.ts";
export { getOrderCustomer } from "./order-customer.ts";
export { readDestinations } from "./order-destinations.store.ts";
export { findByRef, findIdByRef } from "./change-order.ts";
export { isPersonalPath, maskChange, personalPathRefusal } from "./personal-data.ts";
export { explainUnknown } from "./unknown-orders.ts";
export { releaseDueHolds } from "./release-holds.ts";
export { upsertPulledOrders } from "./import/upsert-pulled.ts";
export { fieldsOf as orderPatchOf, newOrder } from "./order-fields.ts";
export { insertChanges } from "./order-history.store.ts";
export { markLastRun } from "./list/order-index.store.ts";
export { findMatching, selectMatching } from "./list/order-list.store.ts";
export { recordOrders } from "./order-events.ts";
export { findReferred } from "./order-references.ts";
/** What conditions may ask about. */
export const askedFields = fieldsOf(AskedOrder);
/** For features that change many orders at once, in a transaction of theirs. */
export {
  deleteOrders,
  findTakenNumbers,
  insertOrders,
  lockOrders,
  readOrders,
  readVersions,
  resolveRefs,
} from "./orders.store.ts";
export { updateOrders } from "./update-orders.ts";
/** For the task that sends shipments to shops. */
export type { SentOrder } from "./unsent-shipments.store.ts";
export { listUnsent, settleUnsent } from "./unsent-shipments.store.ts";
export { decideDispute } from "./import/disputes.ts";

export async function getOrder(ctx: Ctx, ref: string): Promise<OrderAnswer> {
  return presentTo(ctx, await findByRef(ctx.db, ctx, ref));
}

export async function listOrders(ctx: Ctx, { page, limit, sort, ids, ...request }: OrderQuery): Promise<OrderPage> {
  // Orders that were named are found at once; a page of a list stays a page.
  if (ids === undefined && limit > maxPage) {
    throw badField("query/limit", "maximum", `This must be at most ${maxPage}; with \`ids\`, ${maxIds}.`);
  }
  if (sort?.endsWith("customer") && !maySeePersonalData(ctx)) {
    const message = "Sorting by customer reveals personal data and requires the scope pii:read.";
    throw new HubError("insufficient_scope", message, {
      extra: { required: ["pii:read"], granted: [...ctx.principal.scopes] },
    });
  }
  const query = { page, limit };
  // A request for ids returns these orders, archived or not.
  const named = ids === undefined ? {} : { ids: readIds(ids), archived: request.archived ?? ("any" as const) };
  const filter = { ...readFilter(ctx, request), ...named };
  const range = { limit, offset: offsetOf(query) };
  const found = await lists.listOrders(ctx.db, ctx.orgId, filter, sort ?? defaultSort(filter), range);
  return toCappedPage({ ...found, data: found.orders.map((order) => presentTo(ctx, order)) }, query);
}

const mostCounted = 100_000;

export async function countOrders(ctx: Ctx, query: CountsQuery): Promise<OrderCounts> {
  const { archived, ...filters } = query;
  const isFiltered = Object.keys(filters).length > 0;
  // Without a filter there are sums of all.
  const rows = isFiltered
    ? await lists.countMatchingByStatus(ctx.db, ctx.orgId, readFilter(ctx, query), mostCounted)
    : await countByStatus(ctx.db, ctx.orgId, archivedOptions(archived));
  const counted = Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  const byStatus = Object.fromEntries(orderStatuses.map((status) => [status, counted[status] ?? 0]));
  const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  const isCapped = (counted["more"] ?? 0) > 0;
  return { ...(byStatus as Record<OrderStatus, number>), on_hold: counted.on_hold ?? 0, total, isCapped };
}

export async function countOrderFacets(ctx: Ctx, query: FacetQuery): Promise<OrderFacets> {
  const { field, valueSearch, limit, ...filters } = query;
  const options = { field, ...(valueSearch === undefined ? {} : { valueSearch }), ...(limit ? { limit } : {}) };
  return { field, ...(await countFacetValues(ctx.db, ctx.orgId, readFilter(ctx, filters), options)) };
}

/** Background work; any number of processes may do it at once. */
export async function foldOrderCounts(world: World): Promise<void> {
  await foldCountsAcrossOrgs(world.db);
}

export async function exportOrders(ctx: Ctx, query: ExportQuery): Promise<Streamed> {
  return await exportFiltered(ctx, readFilter(ctx, query));
}

/** A list filtered by a date is sorted by that date: the index of the filter then also gives the order. */
function defaultSort(filter: OrderFilter): SortName {
  if (filter.createdFrom !== undefined || filter.createdTo !== undefined) return "-createdAt";
  if (filter.orderedFrom !== undefined || filter.orderedTo !== undefined) return "-orderedAt";
  if (filter.updatedFrom !== undefined || filter.updatedTo !== undefined) return "-updatedAt";
  if (filter.shipByFrom !== undefined || filter.shipByTo !== undefined) return "shipBy";
  return "-createdAt";
}

/** A filter as it is compiled and kept: with the words that this caller may search for. `at`: where it was given. */
export function readFilter(ctx: Ctx, request: OrderFilterRequest, at = "query"): OrderFilter {
  const filter = normalizeFilter(request);
  const { search } = request;
  if (search !== undefined) {
    filter.search = toSearchQuery(ctx.orgId, search, maySeePersonalData(ctx));
    if (filter.search === "" && search.trim() !== "")
      throw badField(`${at}/search`, "no_words", "Orders are found by words and numbers; there is none in this text.");
  }
  return filter;
}

function readIds(text: string): string[] {
  const ids = splitNames<string>(text);
  const odd = ids.find((id) => !isUuid(id));
  if (odd !== undefined) throw badField("query/ids", "format", `${JSON.stringify(odd.slice(0, 50))} is not a UUID.`);
  if (ids.length > maxIds) throw badField("query/ids", "maxItems", `These are ${ids.length} ids; at most ${maxIds}.`);
  return ids;
}
