import { setImmediate as nextTurn } from "node:timers/promises";
import { yieldToEventLoop } from "../../../core/yield-to-event-loop.ts";
import { addressTexts } from "../../../core/address.ts";
import { toCell, toCsv } from "../../../core/csv/csv.ts";
import type { Cell } from "../../../core/csv/xlsx.ts";
import { writeNotes, writeTags } from "../../../connectors/csv/order-cells.ts";
import { maySeePersonalData } from "../../../core/mask-person.ts";
import type { Ctx } from "../../../context.ts";
import { Streamed } from "../../../route.ts";
import { today } from "../../organizations/organizations.ts";
import type { OrderFilter } from "../order-filter.schemas.ts";
import type { OrderKey } from "./order-filter.store.ts";
import { readNextOrders } from "./order-list.store.ts";
import type { Order, OrderLine } from "../order.ts";
import { isOnHold } from "../order.ts";
import { maskOrder } from "../personal-data.ts";

type ExportColumn = [name: string, read: (order: Order, line: OrderLine | undefined) => Cell];

function addressColumns(field: "shippingAddress" | "billingAddress"): ExportColumn[] {
  return addressTexts.map((member) => [`${field}.${member}`, (order) => order[field]?.[member]]);
}

function amountColumns(...parts: Exclude<keyof Order["amounts"], "discounts">[]): ExportColumn[] {
  return parts.map((part) => [`amounts.${part}`, ({ amounts }) => amounts[part]]);
}

function lineColumns(...parts: Exclude<keyof OrderLine, "weight" | "options" | "properties">[]): ExportColumn[] {
  return parts.map((part) => [`line.${part}`, (_, line) => line?.[part]]);
}

/** One row per line item; an import knows these column names. */
const columns: ExportColumn[] = [
  ["number", ({ number }) => number],
  ["id", ({ id }) => id],
  ["status", ({ status }) => status],
  ["onHold", isOnHold],
  ["paymentStatus", ({ paymentStatus }) => paymentStatus],
  ["priority", ({ priority }) => priority],
  ["tags", ({ tags }) => writeTags(tags)],
  ["channel", ({ channel }) => channel],
  ["bridgeId", ({ bridgeId }) => bridgeId],
  ["externalId", ({ externalId }) => externalId],
  ["orderedAt", ({ orderedAt }) => orderedAt],
  ["shipBy", ({ shipBy }) => shipBy],
  ["deliverBy", ({ deliverBy }) => deliverBy],
  ["dispatchOn", ({ dispatchOn }) => dispatchOn],
  ["requestedDeliveryDate", ({ requestedDeliveryDate }) => requestedDeliveryDate],
  ["poNumber", ({ poNumber }) => poNumber],
  ["giftMessage", ({ giftMessage }) => giftMessage],
  ["riskLevel", ({ riskLevel }) => riskLevel],
  ["customer.id", ({ customer }) => customer.id],
  ["customer.name", ({ customer }) => customer.name],
  ["customer.email", ({ customer }) => customer.email],
  ["customer.phone", ({ customer }) => customer.phone],
  ...addressColumns("shippingAddress"),
  ...addressColumns("billingAddress"),
  ["currency", ({ currency }) => currency],
  ["total", ({ total }) => total],
  ...amountColumns("subtotal", "discount", "shipping", "tax", "taxIncluded", "fees", "refunded", "paid"),
  ...amountColumns("presentmentCurrency", "presentmentTotal"),
  ["amounts.discounts", ({ amounts }) => list(amounts.discounts)],
  ["payment.method", ({ payment }) => payment.method],
  ["payment.reference", ({ payment }) => payment.reference],
  ["shipping.carrier", ({ shipping }) => shipping.carrier],
  ["shipping.service", ({ shipping }) => shipping.service],
  ["shipping.packageType", ({ shipping }) => shipping.packageType],
  ["shipping.carrierAccountId", ({ shipping }) => shipping.carrierAccountId],
  ["shipping.thirdPartyBilling", ({ shipping }) => json(shipping.thirdPartyBilling)],
  ["packages", ({ packages }) => json(packages)],
  ["notes", ({ notes }) => writeNotes(notes)],
  ["locationId", ({ locationId }) => locationId],
  ["assigneeId", ({ assigneeId }) => assigneeId],
  ["archived", ({ archivedAt }) => archivedAt !== null],
  ["customFields", ({ customFields }) => json(customFields)],
  ["line.id", (_, line) => line?.id],
  ["line.sku", (_, line) => line?.sku],
  ["line.name", (_, line) => line?.name],
  ["line.quantity", (_, line) => line?.quantity],
  ["line.shippedQuantity", (_, line) => line?.shippedQuantity],
  ["line.price", (_, line) => line?.price],
  ["line.weight", (_, line) => line?.weight?.value],
  ["line.weightUnit", (_, line) => line?.weight?.unit],
  ...lineColumns("discount", "tax", "refundedQuantity", "productId", "variantId", "imageUrl", "requiresShipping"),
  ...lineColumns("parentLineId", "hsCode", "originCountry"),
  ["line.options", (_, line) => list(line?.options)],
  ["line.properties", (_, line) => list(line?.properties)],
  ["createdAt", ({ createdAt }) => createdAt],
  ["updatedAt", ({ updatedAt }) => updatedAt],
  ["version", ({ version }) => version],
];

function json(value: object | undefined): Cell {
  return value === undefined || Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}

/** An empty list is not the same as none. */
function list(value: readonly object[] | undefined): Cell {
  return value === undefined ? "" : JSON.stringify(value);
}

/** Orders per query. Each batch repeats the search. */
const portionOf = ({ search }: OrderFilter): number => (search === undefined ? 100 : 200);
/** Rows written before yielding to the event loop; an order may have hundreds. */
const rowsAtOnce = 50;

/** Newest first, read in batches while streaming: constant memory, no long transaction. */
export async function exportOrders(ctx: Ctx, filter: OrderFilter): Promise<Streamed> {
  async function* body(): AsyncGenerator<string> {
    let rows = [columns.map(([name]) => name)];
    let after: OrderKey | undefined;
    for (;;) {
      const { orders, isLast } = await readNextOrders(ctx.db, ctx.orgId, filter, after, portionOf(filter));
      await nextTurn();
      for (const order of orders) {
        for (const row of rowsOf(maySeePersonalData(ctx) ? order : maskOrder(order))) {
          if (rows.push(row) < rowsAtOnce) continue;
          yield toCsv(rows);
          rows = [];
          await nextTurn();
        }
      }
      if (isLast) break;
      after = orders.at(-1) ?? after;
      await yieldToEventLoop();
    }
    yield toCsv(rows);
  }
  return new Streamed("text/csv", `orders-${await today(ctx)}.csv`, body());
}

function* rowsOf(order: Order): Generator<string[]> {
  const lines = order.lines.length === 0 ? [undefined] : order.lines;
  for (const line of lines) yield columns.map(([, read]) => toCell(read(order, line)));
}
