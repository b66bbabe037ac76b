import type { TestAction } from "./automation-fixture.ts";
import { tag } from "./automation-fixture.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- as the answers of the test client
export type AnyOrder = any;

type Rule = {
  name: string;
  actions: TestAction[];
  about: object;
  /** Given before the automation exists. */
  before?: object[];
  /** Orders of `before` that meet the rule as well. */
  metBefore?: number;
  meets: object[];
  others: object[];
  /** Applied to each order after it was created. */
  setUp?: TestAction;
  /** Sent to each order then; the automation is on `order.updated`. */
  patch?: object;
  isDone(order: AnyOrder): boolean;
  /** What the condition asks, in plain code. */
  fits(order: AnyOrder, all: readonly AnyOrder[], vips: readonly string[]): boolean;
};

const isHeld = ({ onHold }: AnyOrder): boolean => onHold;
const hasTag =
  (name: string) =>
  ({ tags }: AnyOrder): boolean =>
    tags.includes(name);
const hold: TestAction = { type: "hold", params: { reason: "high_risk_of_fraud" } };
export const to = (countryCode: string, zip = "10115") => ({ address1: "Street 1", city: "City", zip, countryCode });
const by = (email: string) => ({ customer: { name: "Ada", email } });
const days = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString();
export const lines = (...quantities: number[]) => quantities.map((quantity, nth) => ({ sku: `SKU-${nth}`, quantity }));

/** The third order of its customer, or one of a customer who spent 1,000 in its currency. */
function isLoyal(order: AnyOrder, all: readonly AnyOrder[]): boolean {
  const isNotNewer = (other: AnyOrder): boolean =>
    other.orderedAt < order.orderedAt || (other.orderedAt === order.orderedAt && other.id <= order.id);
  const own = all.filter(
    (other) =>
      other.customer.email?.toLowerCase() === order.customer.email?.toLowerCase() &&
      (other.status !== "cancelled" || other.id === order.id) &&
      !other.parentOrderId &&
      isNotNewer(other),
  );
  if (!order.customer.email) return false;
  const spent = own
    .filter(({ currency, status }) => currency === order.currency && status !== "cancelled")
    .filter(({ paymentStatus }) => ["paid", "partially_refunded"].includes(paymentStatus))
    .reduce(
      (sum, { total, amounts: { paid, refunded = 0 } }) =>
        sum + (paid === undefined ? total - refunded : Math.min(total, paid - refunded)),
      0,
    );
  return own.length >= 3 || spent >= 1_000;
}

/** Rules that ask one order only. */
export const rules: Rule[] = [
  {
    name: "1: orders above 500 EUR are held if they ship to another country than they are billed to",
    actions: [hold],
    about: {
      when: {
        all: [
          { path: "total", op: "gt", value: 500 },
          { path: "currency", op: "eq", value: "EUR" },
          { path: "shippingAddress.countryCode", op: "ne", value: { path: "billingAddress.countryCode" } },
        ],
      },
    },
    meets: [{ total: 700, currency: "EUR", shippingAddress: to("FR"), billingAddress: to("DE") }],
    others: [
      { total: 700, currency: "EUR", shippingAddress: to("DE"), billingAddress: to("DE") },
      { total: 300, currency: "EUR", shippingAddress: to("FR"), billingAddress: to("DE") },
    ],
    isDone: isHeld,
    fits: (order) =>
      order.total > 500 &&
      order.currency === "EUR" &&
      order.shippingAddress?.countryCode !== order.billingAddress?.countryCode,
  },
  {
    name: "2: orders of customers in a list are tagged",
    actions: [tag("vip")],
    about: { when: { path: "customer.email", op: "in_set", value: "VIP" } },
    meets: [by("ada@vip.example")],
    others: [by("bob@example.com"), {}],
    isDone: hasTag("vip"),
    fits: (order, _all, vips) => vips.includes(order.customer.email),
  },
  {
    name: "3: the third order of a customer, or one of a customer who spent 1,000, is tagged",
    actions: [tag("loyal")],
    about: {
      when: {
        any: [
          { path: "customer.orderCount", op: "gte", value: 3 },
          { path: "customer.totalSpent", op: "gte", value: 1_000 },
        ],
      },
    },
    before: [
      by("often@example.com"),
      by("often@example.com"),
      { ...by("much@example.com"), total: 1_200, paymentStatus: "paid" },
    ],
    meets: [by("often@example.com"), by("much@example.com")],
    // Its own total counts, too.
    metBefore: 1,
    others: [by("new@example.com")],
    isDone: hasTag("loyal"),
    fits: isLoyal,
  },
  {
    name: "6: holds are released when the order is paid",
    actions: [{ type: "release_hold", params: { all: true } }],
    about: {
      trigger: { types: ["order.updated"] },
      when: {
        all: [
          { path: "paymentStatus", op: "eq", value: "paid" },
          { path: "onHold", op: "eq", value: true },
        ],
      },
    },
    meets: [{}],
    others: [],
    setUp: { type: "hold", params: { reason: "awaiting_payment" } },
    patch: { paymentStatus: "paid" },
    isDone: (order) => !isHeld(order),
    fits: (order) => order.paymentStatus === "paid" && order.onHold,
  },
  {
    name: "7: new orders become ready when they are paid",
    actions: [{ type: "set_status", params: { status: "ready" } }],
    about: {
      trigger: { types: ["order.updated"] },
      when: {
        all: [
          { path: "paymentStatus", op: "eq", value: "paid" },
          { path: "status", op: "eq", value: "new" },
        ],
      },
    },
    meets: [{ status: "new" }],
    others: [{ status: "draft" }],
    patch: { paymentStatus: "paid" },
    isDone: ({ status }) => status === "ready",
    fits: (order) => order.paymentStatus === "paid" && order.status === "new",
  },
  {
    name: "13: orders that are older than two days are urgent",
    actions: [{ type: "set_priority", params: { priority: "urgent" } }],
    about: { when: { path: "orderedAt", op: "lt", value: { now: "-2 days" } } },
    meets: [{ orderedAt: days(-3) }],
    others: [{ orderedAt: days(-1) }],
    isDone: ({ priority }) => priority === "urgent",
    fits: (order) => Date.parse(order.orderedAt) < Date.parse(days(-2)),
  },
  {
    name: "14: addresses that match a pattern are sent to review",
    actions: [hold],
    about: { when: { path: "shippingAddress.address1", op: "matches", value: "(?i)^p\\.? ?o\\.? box" } },
    meets: [{ shippingAddress: { ...to("US"), address1: "P.O. Box 12" } }],
    others: [{ shippingAddress: { ...to("US"), address1: "Box Street 12" } }],
    isDone: isHeld,
    fits: (order) => /^p\.? ?o\.? box/i.test(order.shippingAddress?.address1 ?? ""),
  },
  {
    name: "15: orders with three lines, or ten items in all, go to the pallet",
    actions: [tag("pallet")],
    about: {
      when: {
        any: [
          { count: "lines", op: "gte", value: 3 },
          { sum: "lines.quantity", op: "gte", value: 10 },
        ],
      },
    },
    meets: [{ lines: lines(1, 1, 1) }, { lines: lines(12) }],
    others: [{ lines: lines(4, 5) }],
    isDone: hasTag("pallet"),
    fits: (order) =>
      order.lines.length >= 3 || order.lines.reduce((sum: number, line: AnyOrder) => sum + line.quantity, 0) >= 10,
  },
];
