import { demoCities, demoProducts } from "../../connectors/demo/demo-shop.ts";
import type { Actor } from "../../core/actor.ts";
import { deterministicId } from "../../core/ids.ts";
import { fromCents, roundToCents } from "../../core/money.ts";
import type { Random } from "../../core/seeded-random.ts";
import { seededRandom } from "../../core/seeded-random.ts";
import type { HoldReason, OrderStatus, Priority } from "../orders/orders.states.ts";
import type { Hold, Order, OrderLine } from "../orders/order.ts";
import { newOrder } from "../orders/orders.ts";
import type { OrderRequest } from "../orders/orders.schemas.ts";
import { demoDetails, lineDetailsOf } from "./demo-details.ts";

const by: Actor = { type: "system", name: "demo data" };
const dayMs = 86_400_000;
const batchSize = 100;

const firstNames =
  "Ada Ben Carla Dmitri Elena Farid Grace Hiro Ines Jonas Kavya Liam Mara Noor Oscar Priya Quinn Rosa Sam Tova".split(
    " ",
  );
const lastNames =
  "Abbott Becker Castillo Dubois Evans Fischer Gupta Haddad Ivanov Jensen Kowalski Larsen Moreau Nguyen Okafor Petrov".split(
    " ",
  );
const cities = [
  ...demoCities,
  ["Miami", "FL", "33101"],
  ["Portland", "OR", "97201"],
  ["Honolulu", "HI", "96801"],
  ["Anchorage", "AK", "99501"],
] as const;
const products = [...demoProducts, ["CHAIR-KIT", "Folding chair kit", 14_900, 7_800] as const];
/**
 * Statuses by age. The oldest orders come first, so that numbers and dates increase together, and the status fits the age:
 * an order of the last hour is not delivered, and few orders of last week are open.
 */
type AgeBand = { share: number; fromDays: number; toDays: number; statuses: [OrderStatus, percent: number][] };
const ageBands: AgeBand[] = [
  {
    share: 0.26,
    fromDays: 45,
    toDays: 7,
    statuses: [
      ["delivered", 92],
      ["cancelled", 6],
      ["shipped", 2],
    ],
  },
  {
    share: 0.1,
    fromDays: 7,
    toDays: 4.5,
    statuses: [
      ["delivered", 80],
      ["shipped", 8],
      ["partially_shipped", 4],
      ["cancelled", 5],
      ["ready", 3],
    ],
  },
  {
    share: 0.19,
    fromDays: 4.5,
    toDays: 2,
    statuses: [
      ["shipped", 62],
      ["partially_shipped", 16],
      ["sent", 8],
      ["ready", 8],
      ["review_required", 2],
      ["cancelled", 4],
    ],
  },
  {
    share: 0.45,
    fromDays: 2,
    toDays: 0,
    statuses: [
      ["draft", 4],
      ["new", 24],
      ["review_required", 9],
      ["awaiting_payment", 9],
      ["ready", 40],
      ["sent", 10],
      ["cancelled", 4],
    ],
  },
];
const holdReasons: HoldReason[] = [
  "high_risk_of_fraud",
  "incorrect_address",
  "inventory_out_of_stock",
  "customer_request",
  "operator",
];
const channels = ["web-shop", "marketplace", "wholesale"] as const;
const tagPool = ["vip", "gift", "fragile", "first-order", "subscription", "rush"];

type Buyer = Required<Pick<OrderRequest, "customer" | "shippingAddress">>;

/** Plausible orders in every state, in batches, oldest first. Deterministic by seed, relative to `now`. */
export function* makeDemoOrders(count: number, seed: number, now: Date): Generator<Order[]> {
  const random = seededRandom(seed);
  // One order in seven is by a customer who ordered before.
  const regulars = new Map<number, Buyer>();
  const regularCount = Math.ceil(count / 40);
  const buyerOf = (index: number, buyer: Buyer): Buyer => {
    const regular = index < regularCount ? index : index % 7 === 6 ? Math.floor(index / 7) % regularCount : undefined;
    if (regular === undefined) return buyer;
    if (!regulars.has(regular)) regulars.set(regular, buyer);
    return regulars.get(regular)!;
  };
  const demo: Demo = { count, seed, random, now: now.getTime(), buyerOf };
  for (let first = 0; first < count; first += batchSize) {
    const length = Math.min(batchSize, count - first);
    yield Array.from({ length }, (_, at) => makeOrder(first + at, demo));
  }
}

function makeBuyer(index: number, random: Random): Buyer {
  const name = `${random.pick(firstNames)} ${random.pick(lastNames)}`;
  const [city, provinceCode, zip] = random.pick(cities);
  const street = `${1 + random.below(990)} ${random.pick(["Main Street", "Oak Avenue", "Harbor Road", "Mill Lane"])}`;
  return {
    customer: {
      id: String(50_000 + index),
      name,
      email: `${name.toLowerCase().replace(" ", ".")}${index}@mail.example`,
      phone: `+1 555 01${10 + random.below(90)}`,
    },
    shippingAddress: {
      name,
      address1: index % 97 === 13 ? `PO Box ${100 + index}` : street,
      city,
      provinceCode,
      // Some ZIP codes are invalid, for validate_address to find.
      zip: random.chance(3) ? zip.slice(0, 4) : zip,
      countryCode: "US",
    },
  };
}

type Demo = { count: number; seed: number; random: Random; now: number; buyerOf(index: number, buyer: Buyer): Buyer };

function makeOrder(index: number, { count, seed, random, now, buyerOf }: Demo): Order {
  const { statuses, ageDays } = ageOf((index + random.below(100) / 100) / count);
  const status = pickStatus(statuses, random.below(100));
  // At least a minute ago, so that no order appears to be in the future.
  const orderedAt = new Date(Math.floor((now - ageDays * dayMs) / 1000) * 1000 - 60_000);
  const buyer = buyerOf(index, makeBuyer(index, random));
  const lines = makeLines(index, seed, status, random);
  const isOpen = !["shipped", "delivered", "cancelled"].includes(status);
  const at = orderedAt.toISOString();
  const shippedAt = new Date(orderedAt.getTime() + dayMs).toISOString();
  const hasLeft = status === "shipped" || status === "delivered" || status === "partially_shipped";
  const paymentStatus =
    status === "awaiting_payment" ? "pending" : status === "cancelled" && random.chance(60) ? "refunded" : "paid";
  const priority = random.pick<Priority>(["normal", "normal", "normal", "normal", "low", "high", "urgent"]);
  const holds = isOpen && random.chance(9) ? [makeHold(index, seed, random, at, now)] : [];
  const total = roundToCents(lines.reduce((sum, line) => sum + (line.price ?? 0) * line.quantity, 0));
  const tags = tagPool.filter(() => random.chance(14));
  const channel = random.pick(channels);
  const request: OrderRequest = {
    ...demoDetails(index, { total, tags, channel, paymentStatus, orderedAt, shippingAddress: buyer.shippingAddress }),
    status,
    paymentStatus,
    priority,
    tags,
    channel,
    ...buyer,
    total,
    shipping: { carrier: random.pick(["ups", "fedex", "usps"]), service: random.pick(["ground", "ground", "express"]) },
    deliverBy: new Date(orderedAt.getTime() + 6 * dayMs).toISOString(),
    ...(isOpen ? { shipBy: new Date(orderedAt.getTime() + 2 * dayMs).toISOString() } : {}),
  };
  const env = { now: at, actor: by, newId: () => deterministicId(`${seed}:order:${index}`) };
  const shipment = {
    id: deterministicId(`${seed}:shipment:${index}`),
    trackingNumber: `1ZDEMO${String(seed).padStart(4, "0")}${String(index).padStart(8, "0")}`,
    carrier: "ups",
    service: "ground",
    shippedAt,
    lines: lines
      .filter((line) => line.shippedQuantity > 0)
      .map((line) => ({ lineId: line.id, quantity: line.shippedQuantity })),
  };
  return {
    ...newOrder(request, `DEMO-${10_001 + index}`, env),
    holds,
    lines,
    shipments: hasLeft ? [shipment] : [],
    archivedAt: status === "delivered" && ageDays > 30 ? new Date(now - dayMs).toISOString() : null,
  };
}

function makeLines(index: number, seed: number, status: OrderStatus, random: Random): OrderLine[] {
  const count = status === "partially_shipped" ? 2 : 1 + random.below(3);
  const start = random.below(products.length);
  // A step of 3 through 8 products yields a different one each time.
  const chosen = Array.from({ length: count }, (_, i) => products[(start + 3 * i) % products.length]!);
  return chosen.map(([sku, name, cents, grams], i) => {
    const quantity = 1 + random.below(3);
    const isShipped = status === "shipped" || status === "delivered" || (status === "partially_shipped" && i === 0);
    return {
      id: deterministicId(`${seed}:line:${index}:${i}`),
      sku,
      name,
      quantity,
      shippedQuantity: isShipped ? quantity : 0,
      price: fromCents(cents),
      weight: { value: grams, unit: "g" },
      ...lineDetailsOf(index, sku),
    };
  });
}

function makeHold(index: number, seed: number, random: Random, at: string, now: number): Hold {
  const reason = random.pick(holdReasons);
  const until = random.chance(30) ? new Date(now + (1 + random.below(5)) * dayMs).toISOString() : null;
  return {
    id: deterministicId(`${seed}:hold:${index}`),
    handle: reason,
    reason,
    note: null,
    until,
    source: "user",
    by,
    placedAt: at,
  };
}

/** `position` is between the oldest order (0) and the newest (1). */
function ageOf(position: number): { statuses: AgeBand["statuses"]; ageDays: number } {
  let start = 0;
  for (const { share, fromDays, toDays, statuses } of ageBands) {
    if (position < start + share) {
      return { statuses, ageDays: fromDays - ((fromDays - toDays) * (position - start)) / share };
    }
    start += share;
  }
  return { statuses: ageBands.at(-1)!.statuses, ageDays: 0 };
}

function pickStatus(statuses: AgeBand["statuses"], percent: number): OrderStatus {
  let left = percent;
  for (const [status, share] of statuses) {
    if (left < share) return status;
    left -= share;
  }
  return "ready";
}
