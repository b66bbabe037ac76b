import type { ShopData, ShopOrder } from "./stand-in-data.ts";
import { totalOf } from "./stand-in-data.ts";
import { gid, numberIn } from "./stand-in-shopify-nodes.ts";

type Variables = Record<string, unknown>;
type Refund = { id: number; note: string; key: string; shares: { parentId: string; amount: string }[] };
type Written = { tags: string[]; note: string; refunds: Refund[] };

/** What was written to an order by the operations below. */
const written = new WeakMap<ShopOrder, Written>();

export function writtenTo(order: ShopOrder): Written {
  return written.getOrInsertComputed(order, () => ({ tags: [], note: "", refunds: [] }));
}

const failed = (message: string) => [{ field: null, message }];
const found = (data: ShopData, id: unknown): ShopOrder | undefined => data.find(numberIn(id));

function changeTags(data: ShopData, { id, tags }: Variables, kind: string, change: (all: string[]) => string[]) {
  const order = found(data, id);
  if (!order) return { node: null, userErrors: failed("Order does not exist.") };
  const own = writtenTo(order);
  own.tags = change(own.tags);
  data.record(kind, order.id, (tags as string[]).join(","));
  return { node: { id }, userErrors: [] };
}

/** One payment by card over the whole total. */
function paymentOf(order: ShopOrder) {
  return { id: gid("OrderTransaction", order.id), amount: totalOf(order) };
}

const money = (amount: string) => ({ presentmentMoney: { amount, currencyCode: "USD" } });

/** The operations that change orders at the shop. */
export const shopifyChanges: Record<string, (data: ShopData, variables: Variables) => unknown> = {
  HubOrderState(data, { id }) {
    const order = found(data, id);
    if (!order) return { order: null };
    const { tags, note } = writtenTo(order);
    return {
      order: { id, tags, note: note === "" ? null : note, cancelledAt: order.isCancelled ? order.updatedAt : null },
    };
  },
  HubAddTags: (data, variables) => ({
    tagsAdd: changeTags(data, variables, "tags.add", (all) => [...new Set([...all, ...(variables.tags as string[])])]),
  }),
  HubRemoveTags: (data, variables) => ({
    tagsRemove: changeTags(data, variables, "tags.remove", (all) =>
      all.filter((tag) => !(variables.tags as string[]).includes(tag)),
    ),
  }),
  HubUpdateOrder(data, { input }) {
    const { id, note } = input as { id: string; note: string };
    const order = found(data, id);
    if (!order) return { orderUpdate: { order: null, userErrors: failed("Order does not exist.") } };
    writtenTo(order).note = note;
    data.record("order.note", order.id, note);
    return { orderUpdate: { order: { id }, userErrors: [] } };
  },
  HubCancelOrder(data, { id, reason }) {
    const order = found(data, id);
    const problem = !order
      ? "Order does not exist."
      : order.shipments.length > 0
        ? "Cannot cancel a fulfilled order."
        : undefined;
    if (!order || problem !== undefined)
      return { orderCancel: { job: null, orderCancelUserErrors: failed(problem!), userErrors: [] } };
    order.isCancelled = true;
    data.touch([order]);
    data.record("order.cancel", order.id, String(reason));
    return { orderCancel: { job: { id: gid("Job", order.id) }, orderCancelUserErrors: [], userErrors: [] } };
  },
  HubOrderPayments(data, { id }) {
    const order = found(data, id);
    if (!order) return { order: null };
    const { refunds } = writtenTo(order);
    const payment = paymentOf(order);
    const sale = { id: payment.id, kind: "SALE", status: "SUCCESS", gateway: "card", parentTransaction: null };
    const back = refunds.flatMap((refund) =>
      refund.shares.map(({ parentId, amount }, index) => ({
        id: gid("OrderTransaction", refund.id * 10 + index),
        kind: "REFUND",
        status: "SUCCESS",
        gateway: "card",
        parentTransaction: { id: parentId },
        amountSet: money(amount),
      })),
    );
    return {
      order: {
        id,
        refunds: refunds.map(({ id: refundId, note }) => ({ id: gid("Refund", refundId), note })),
        transactions: [{ ...sale, amountSet: money(payment.amount) }, ...back],
      },
    };
  },
  /** Once per key, as Shopify does it. */
  HubRefund(data, { input, key }) {
    const { orderId, note, transactions } = input as {
      orderId: string;
      note: string;
      transactions: { parentId: string; amount: string }[];
    };
    const order = found(data, orderId);
    if (!order) return { refundCreate: { refund: null, userErrors: failed("Order does not exist.") } };
    const { refunds } = writtenTo(order);
    const known = refunds.find((refund) => refund.key === key);
    if (known) return { refundCreate: { refund: { id: gid("Refund", known.id) }, userErrors: [] } };
    const refund = { id: data.newId(), note, key: String(key), shares: transactions };
    refunds.push(refund);
    data.record("refund.create", order.id, transactions.map(({ amount }) => amount).join(","));
    return { refundCreate: { refund: { id: gid("Refund", refund.id) }, userErrors: [] } };
  },
};
