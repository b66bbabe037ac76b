import { Type } from "../../../core/type.ts";
import type { Address } from "../../../core/address.ts";
import { addressTexts } from "../../../core/address.ts";
import { cleanAddress } from "../../../core/clean-address.ts";
import { roundToCents } from "../../../core/money.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import type { Order, OrderLine, OrderPatch } from "../../orders/order.ts";
import { joinAmounts } from "../../orders/order-total.ts";
import { moveProblem } from "../../orders/order-rules.ts";
import { priorities } from "../../orders/orders.states.ts";
import type { ActionEnv, Outcome } from "../action.ts";
import { defineAction, refuse, refuseFor } from "../action.ts";
import { withNewIds } from "./order-lines.ts";
import { withInternalNote } from "./order-notes.ts";

const maxGroup = 20;
const ways = ["recipient", "ship_to"] as const;
type Way = (typeof ways)[number];

export const merge = defineAction({
  type: "merge",
  title: "Merge",
  group: "routing",
  description:
    "Combines orders of this run with the same recipient and address (and channel, currency, status, payment " +
    "status and holds), up to 20 into one. Merged orders are cancelled and archived; customer and packing-slip " +
    "notes, the highest priority and the earliest dates carry over.",
  params: Strict({
    into: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        default: "oldest",
        description: "`oldest`, `newest`, or the ID or number of an order of the run to merge into",
      }),
    ),
    by: Type.Optional(
      OneOf(ways, {
        default: "recipient",
        description:
          "recipient: same customer (by email, else name) at the same address. ship_to: same name or company at the same " +
          "address, regardless of the customer",
      }),
    ),
  }),
  example: { into: "oldest" },
  // The result reveals which orders have the same recipient: with a made-up order, a caller could guess personal data.
  scope: "pii:read",
  statuses: ["new", "review_required", "awaiting_payment", "ready", "cancelled"],
  applyToAll(orders, { into = "oldest", by = "recipient" }, env) {
    const target = into === "oldest" || into === "newest" ? undefined : into.toLowerCase();
    const isTarget = ({ id, number }: Order): boolean => id === target || number === into;
    const canTake = (order: Order): boolean => isTarget(order) && !("refused" in (settledOutcome(order) ?? {}));
    if (target !== undefined && !orders.some(canTake)) return orders.map((order) => settledOutcome(order) ?? noTarget);
    const outcomes = new Map<Order, Outcome>();
    for (const order of orders) {
      const settled = settledOutcome(order);
      if (settled) outcomes.set(order, settled);
    }
    const open = orders.filter((order) => !outcomes.has(order));
    for (const [key, group] of Map.groupBy(open, (order) => mergeKey(order, by))) {
      if (key === undefined || (target !== undefined && !group.some(isTarget))) continue;
      const sorted = group.toSorted(byAge);
      if (into === "newest") sorted.reverse();
      if (target !== undefined) sorted.sort((a, b) => Number(isTarget(b)) - Number(isTarget(a)));
      for (const [order, outcome] of mergeGroup(sorted, env)) outcomes.set(order, outcome);
    }
    return orders.map((order) => outcomes.get(order) ?? nothingToMerge);
  },
});

const nothingToMerge: Outcome = {
  patch: {},
  warning: { code: "nothing_to_merge", message: "No other order of the run goes to the same recipient and address." },
};

const noTarget = refuse(
  "target_not_found",
  "The order to merge into is not in this run, or cannot be merged.",
  "Add it to order_ids.",
);

function settledOutcome(order: Order): Outcome | undefined {
  if (order.status !== "cancelled") return refuseFor(moveProblem(order, "cancelled"));
  return order.mergedIntoId === null ? refuse("invalid_state", "A cancelled order cannot be merged.") : { patch: {} };
}

/** Equal for orders that can ship in one parcel; undefined when recipient or address is unknown. */
function mergeKey(order: Order, by: Way): string | undefined {
  const { channel, currency, status, paymentStatus, holds } = order;
  const recipient = by === "ship_to" ? shipToOf(order) : recipientOf(order);
  if (!recipient) return undefined;
  const handles = holds.map(({ handle }) => handle).toSorted();
  return JSON.stringify([recipient, channel, currency, status, paymentStatus, handles]);
}

function recipientOf({ customer, shippingAddress }: Order): string[] | undefined {
  const recipient = (customer.email ?? customer.name)?.trim().toLowerCase();
  return recipient ? [recipient, ...membersOf(shippingAddress ?? {})] : undefined;
}

/** Phone and email do not identify the destination. */
function shipToOf({ shippingAddress }: Order): string[] | undefined {
  const { phone: _phone, email: _email, ...destination } = shippingAddress ?? {};
  const hasRecipient = Boolean(destination.name?.trim() || destination.company?.trim());
  const hasDestination = Boolean(destination.address1?.trim() && (destination.zip?.trim() || destination.city?.trim()));
  return hasRecipient && hasDestination ? membersOf(destination) : undefined;
}

function membersOf(address: Address): string[] {
  const clean = cleanAddress(address);
  return addressTexts
    .filter((field) => clean[field])
    .map((field) => `${field}=${clean[field]!.toLowerCase()}`)
    .toSorted();
}

function byAge(a: Order, b: Order): number {
  return a.orderedAt < b.orderedAt ? -1 : a.orderedAt > b.orderedAt ? 1 : a.id < b.id ? -1 : 1;
}

function mergeGroup(group: Order[], env: ActionEnv): [Order, Outcome][] {
  const [target, ...others] = group;
  if (!target || others.length === 0) return [];
  const refuseAll = (message: string, fix?: string): [Order, Outcome][] =>
    group.map((order) => [order, refuse("too_large", message, fix)]);
  // Merging in groups of twenty would leave a rest that a repeated run merges: the action would not be idempotent.
  if (group.length > maxGroup) {
    return refuseAll(
      `${group.length} orders have the same recipient; at most ${maxGroup} can be merged.`,
      "Run it on fewer orders.",
    );
  }
  const lines = joinedLines(group, env);
  const tags = [...new Set(group.flatMap((order) => order.tags))];
  if (lines.length > orderLimits.lines || tags.length > orderLimits.tags) {
    return refuseAll(`Together they have more than ${orderLimits.lines} lines or ${orderLimits.tags} tags.`);
  }
  const totals = group.map(({ total }) => total);
  const patch: OrderPatch = {
    lines,
    tags,
    amounts: joinAmounts(group.map(({ amounts }) => amounts)),
    total: totals.includes(null) ? null : roundToCents(totals.reduce<number>((sum, total) => sum + (total ?? 0), 0)),
    notes: [
      ...target.notes,
      ...others.flatMap(({ notes }) => notes.filter(({ visibility }) => visibility !== "internal")),
    ],
    priority: priorities.findLast((priority) => group.some((order) => order.priority === priority))!,
    shipBy: earliest(group.map(({ shipBy }) => shipBy)),
    deliverBy: earliest(group.map(({ deliverBy }) => deliverBy)),
    packages: [],
  };
  const into = (order: Order): OrderPatch => ({
    status: "cancelled",
    mergedIntoId: target.id,
    archivedAt: env.now,
    notes: withInternalNote(order, `Merged into ${target.number}`, env),
  });
  return [[target, { patch }], ...others.map((order): [Order, Outcome] => [order, { patch: into(order) }])];
}

/** Line IDs are unique only within an order. */
function joinedLines(group: Order[], env: ActionEnv): OrderLine[] {
  const taken = new Set<string>();
  return group.flatMap((order) => {
    const lines = withNewIds(order.lines, env.newId, (id) => taken.has(id));
    for (const { id } of lines) taken.add(id);
    return lines;
  });
}

function earliest(dates: (string | null)[]): string | null {
  return dates.filter((date) => date !== null).toSorted()[0] ?? null;
}
