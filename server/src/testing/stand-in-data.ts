import { appendFileSync } from "node:fs";
import { seededRandom } from "../core/seeded-random.ts";

export type ShopLine = {
  id: number;
  sku: string;
  title: string;
  quantity: number;
  price: string;
  /** Such as a gift card: there is nothing to fulfil. */
  isDigital?: boolean;
  variant?: string;
  /** What the buyer chose or had engraved. */
  properties?: { key: string; value: string }[];
  /** What was taken off the order again. */
  removed?: number;
  /** What a shop answers of the line besides. */
  more?: Record<string, unknown>;
  weight?: { value: number; unit: string };
};
type ShopShipment = {
  id: number;
  trackingNumber: string;
  carrier: string;
  items: Map<number, number>;
  /** A day, as the shop was told it. */
  shippedOn?: string;
};
export type ShopOrder = {
  id: number;
  number: string;
  createdAt: string;
  updatedAt: string;
  name: string;
  email: string;
  city: string;
  isPaid: boolean;
  isRefunded?: boolean;
  isCancelled?: boolean;
  isCompleted: boolean;
  /** Another status than follows from the rest, as each kind of shop calls it. */
  status?: string;
  street?: string;
  lines: ShopLine[];
  shipments: ShopShipment[];
  /** From how many places it is sent; two where nothing is said. */
  locations?: number;
  holds: { id: number; handle: string; reason?: string; reasonNotes?: string }[];
  notes: { id: number; note: string }[];
  refunds?: {
    id: number;
    at: string;
    amount: string;
    lines: { lineId: number; quantity: number }[];
    meta?: { key: string; value: string }[];
  }[];
  /** What WooCommerce answers about its refunds, instead. */
  refundDetails?: unknown[];
  /** What a shop answers of the order besides, or instead. */
  more?: Record<string, unknown>;
};

/** One thing that was done to the shop, in the order in which it was done. Nothing is ever taken back from the list. */
type Effect = { seq: number; kind: string; orderId: number; key: string; detail?: unknown };

/** `locations`: available and committed units by the number of the location. */
type ShopProduct = {
  id: number;
  sku: string;
  isTracked: boolean;
  locations: Record<number, readonly [available: number, committed: number]>;
  /** The ID of the product that this is a variation of. */
  variationOf?: number;
};

export type ShopData = {
  orders: ShopOrder[];
  products: ShopProduct[];
  journal: Effect[];
  /** Headers of all answers of Shopify besides. */
  headers: Record<string, string>;
  /** Products of WooCommerce that are not shipped. */
  virtualProducts: number[];
  /** Fields that the scopes of the app do not cover. */
  deniedFields: string[];
  /** By effect key, for a receiver that honours it. */
  answered: Map<string, unknown>;
  newId(): number;
  addOrders(count: number): void;
  /** One more, in which these things are as they are said to be. */
  addOrder(values: Partial<ShopOrder>): ShopOrder;
  /** Changes orders, which makes them the newest ones. */
  touch(orders: ShopOrder[]): void;
  record(kind: string, orderId: number, key: string, detail?: unknown): void;
  find(id: number): ShopOrder | undefined;
};

const opening = Date.parse("2026-02-01T09:00:00Z");
const names = ["Ada Byron", "Zoë Müller", "李 小龍", "O'Brien & Sons", 'Renée "Ray" Ortiz'];
const cities = ["Albany", "Reno", "München", "São Paulo", "Łódź"];

/** The same orders for the same seed. Several change within one second, as they do when a shop changes them in bulk. */
export function createShopData(options: { seed: number; orders: number; journalFile?: string }): ShopData {
  const random = seededRandom(`stand-in:${options.seed}`);
  let lastId = 1000;
  let second = Math.floor(opening / 1000);
  const now = (): string => new Date(second * 1000).toISOString().replace(".000Z", "Z");
  const data: ShopData = {
    orders: [],
    products: [],
    journal: [],
    headers: {},
    deniedFields: [],
    virtualProducts: [],
    answered: new Map(),
    newId: () => ++lastId,
    addOrders(count) {
      for (let i = 0; i < count; i++) {
        if (!random.chance(40)) second += random.below(50);
        data.orders.push(makeOrder());
      }
      second += 1;
    },
    addOrder(values) {
      second += 1;
      const order = { ...makeOrder(), ...values };
      data.orders.push(order);
      return order;
    },
    touch(orders) {
      second += 1;
      for (const order of orders) order.updatedAt = now();
    },
    record(kind, orderId, key, detail) {
      const effect: Effect = {
        seq: data.journal.length + 1,
        kind,
        orderId,
        key,
        ...(detail === undefined ? {} : { detail }),
      };
      data.journal.push(effect);
      if (options.journalFile !== undefined) appendFileSync(options.journalFile, `${JSON.stringify(effect)}\n`);
    },
    find: (id) => data.orders.find((order) => order.id === id),
  };
  function makeOrder(): ShopOrder {
    const id = data.newId();
    const name = random.pick(names);
    const lines = Array.from({ length: random.chance(5) ? 45 : 1 + random.below(3) }, () => ({
      id: data.newId(),
      sku: random.chance(10) ? "" : `SKU-${1 + random.below(50)}`,
      title: `Thing ${random.below(100)}`,
      quantity: 1 + random.below(3),
      price: `${1 + random.below(90)}.${random.pick(["00", "50", "99"])}`,
    }));
    return {
      id,
      number: `#${id}`,
      createdAt: now(),
      updatedAt: now(),
      name,
      email: `buyer${id}@mail.example`,
      city: random.pick(cities),
      isPaid: random.chance(80),
      isCompleted: false,
      lines,
      shipments: [],
      holds: [],
      notes: [],
    };
  }
  data.addOrders(options.orders);
  return data;
}

/** Oldest change first; the id decides between those of one second. */
export function byChange(a: ShopOrder, b: ShopOrder): number {
  return a.updatedAt === b.updatedAt ? a.id - b.id : a.updatedAt < b.updatedAt ? -1 : 1;
}

export function totalOf(order: ShopOrder): string {
  const cents = order.lines.reduce((sum, { price, quantity }) => sum + Math.round(Number(price) * 100) * quantity, 0);
  return (cents / 100).toFixed(2);
}
