import { Type } from "../../../core/type.ts";
import type { Address } from "../../../core/address.ts";
import { cleanAddress } from "../../../core/clean-address.ts";
import { roundToCents } from "../../../core/money.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import type { Order, OrderLine, OrderPatch } from "../../orders/order.ts";
import { moveProblem } from "../../orders/order-rules.ts";
import { priorities } from "../../orders/orders.states.ts";
import type { ActionEnv, Outcome } from "../action.ts";
import { defineAction, refuse, refuseFor } from "../action.ts";
import { withInternalNote } from "./order-notes.ts";

const maxGroup = 20;
const ways = ["recipient", "ship_to"] as const;
type Way = (typeof ways)[number];

export const merge = defineAction({
  type: "merge",
  title: "Merge",
  group: "routing",
  description:
    "Joins those orders of the run that go to the same recipient and address (same channel, currency, status, payment " +
    "status and holds), up to 20 into one. The others are cancelled and archived; their notes for customer and parcel, " +
    "the highest priority and the earliest dates go along.",
  params: Strict({
    into: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        default: "oldest",
        description: "`oldest`, `newest`, or the id or number of an order of the run: those that go with it are joined",
      }),
    ),
    by: Type.Optional(
      OneOf(ways, {
        default: "recipient",
        description:
          "recipient: the same customer, by e-mail or else name, at the same address. ship_to: the same name or company at " +
          "the same address, whoever ordered it",
      }),
    ),
  }),
  example: { into: "oldest" },
  // Who is the same as whom is told by what would be merged: with an order made up for it, anybody could be guessed.
  scope: "pii:read",
  statuses: ["new", "review_required", "awaiting_payment", "ready", "cancelled"],
  applyToAll(orders, { into = "oldest", by = "recipient" }, env) {
    const target = into === "oldest" || into === "newest" ? undefined : into.toLowerCase();
    const isTarget = ({ id, number }: Order): boolean => id === target || number === into;
    const canTake = (order: Order): boolean => isTarget(order) && !("refused" in (withoutLooking(order) ?? {}));
    if (target !== undefined && !orders.some(canTake)) return orders.map((order) => withoutLooking(order) ?? noTarget);
    const outcomes = new Map<Order, Outcome>();
    for (const order of orders) {
      const settled = withoutLooking(order);
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
  "The order to merge into is not one of the run that can be merged.",
  "Name it in order_ids as well.",
);

function withoutLooking(order: Order): Outcome | undefined {
  if (order.status !== "cancelled") return refuseFor(moveProblem(order, "cancelled"));
  return order.mergedIntoId === null ? refuse("invalid_state", "A cancelled order cannot be merged.") : { patch: {} };
}

/** Equal for orders that may travel in one parcel; undefined when nobody knows whose order it is, or where it goes. */
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

/** Telephone and e-mail are how somebody is reached, not where. */
function shipToOf({ shippingAddress }: Order): string[] | undefined {
  const { phone: _phone, email: _email, ...place } = shippingAddress ?? {};
  const isSomebody = Boolean(place.name?.trim() || place.company?.trim());
  const isSomewhere = Boolean(place.address1?.trim() && (place.zip?.trim() || place.city?.trim()));
  return isSomebody && isSomewhere ? membersOf(place) : undefined;
}

function membersOf(address: Address): string[] {
  return Object.entries(cleanAddress(address))
    .filter(([, value]) => value !== "")
    .map(([field, value]) => `${field}=${value.toLowerCase()}`)
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
  // Not twenty by twenty: what was left over would be merged by the next run, so that a repeated run would do more.
  if (group.length > maxGroup) {
    return refuseAll(`${group.length} orders would become one; ${maxGroup} may.`, "Run it for fewer orders at a time.");
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

/** Ids of lines are unique within an order only. */
function joinedLines(group: Order[], env: ActionEnv): OrderLine[] {
  const taken = new Set<string>();
  return group
    .flatMap((order) => order.lines)
    .map((line) => {
      const joined = taken.has(line.id) ? { ...line, id: env.newId() } : line;
      taken.add(joined.id);
      return joined;
    });
}

function earliest(dates: (string | null)[]): string | null {
  return dates.filter((date) => date !== null).toSorted()[0] ?? null;
}
