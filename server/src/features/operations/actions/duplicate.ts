import { Type } from "../../../core/type.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import type { Order } from "../../orders/order.ts";
import type { PaymentStatus } from "../../orders/orders.states.ts";
import { defineAction } from "../action.ts";
import { childOf, nextChildren, tooManyChildren } from "./child-order.ts";
import { LineItems, pickLines, repeatedLineErrors, valueOf, withNewIds } from "./order-lines.ts";
import { noteOf } from "./order-notes.ts";

const titles = { copy: "Copy", reshipment: "Reshipment", exchange: "Exchange" } as const;

export const duplicate = defineAction({
  type: "duplicate",
  title: "Duplicate",
  group: "routing",
  description:
    "Creates a new order with the same lines, recipient and shipping, without holds and dates. A copy is unpaid; " +
    "a reshipment or exchange keeps the payment status. Each run creates another order.",
  params: Strict({
    purpose: Type.Optional(OneOf(["copy", "reshipment", "exchange"], { default: "copy" })),
    line_items: Type.Optional({
      ...LineItems,
      description: "Default: all lines. With a selection, the total is computed from its lines",
    }),
    zero_price: Type.Optional(Type.Boolean({ default: false, description: "Free of charge; marks the order as paid" })),
  }),
  example: { purpose: "reshipment", zero_price: true },
  idempotent: false,
  check: (params) => repeatedLineErrors(params.line_items),
  apply(order, { purpose = "copy", line_items: items, zero_price: isFree = false }, env) {
    const [nth] = nextChildren(order, 1, env) ?? [];
    if (nth === undefined) return tooManyChildren;
    const picked = items === undefined ? order.lines : pickLines(order, items);
    if ("refused" in picked) return picked;
    const lines = withNewIds(picked, env.newId).map((line) => ({
      ...line,
      shippedQuantity: 0,
      ...(isFree ? { price: 0 } : {}),
    }));
    const paymentStatus: PaymentStatus = isFree ? "paid" : purpose === "copy" ? "pending" : order.paymentStatus;
    const child = childOf(order, nth, env, {
      status: "new",
      paymentStatus,
      holds: [],
      lines,
      amounts: isFree || items !== undefined ? {} : unpaid(order.amounts),
      total: isFree ? 0 : items === undefined ? order.total : valueOf(lines),
      packages: items === undefined ? order.packages : [],
      notes: [noteOf(`${titles[purpose]} of ${order.number}`, "internal", env)],
      orderedAt: env.now,
      requestedDeliveryDate: null,
      shipBy: null,
      deliverBy: null,
      dispatchOn: null,
    });
    return { patch: { childCount: nth }, creates: [child] };
  },
});

function unpaid({ paid: _paid, refunded: _refunded, ...amounts }: Order["amounts"]): Order["amounts"] {
  return amounts;
}
