import { newOrder } from "../../server/src/features/orders/order-fields.ts";
import type { Order } from "../../server/src/features/orders/order.ts";
import type { OrderRequest } from "../../server/src/features/orders/orders.schemas.ts";
import type { OrderStatus } from "../../server/src/features/orders/orders.states.ts";

/** IDs of the records that bench orders refer to. */
export type Pointers = { locationId: string; rareLocationId: string; assigneeId: string; bridgeId: string };

const firstNames = ["Ada", "Ben", "Cem", "Dee", "Eva", "Finn", "Gia", "Hugo", "Ida", "Jon"];
const lastNames = "Smith Jones Khan Garcia Lee Novak Rossi Weber Silva Olsen Park".split(" ");
const cities = ["New York", "Albany", "Buffalo", "Rochester", "Syracuse", "Yonkers"];
const statuses: OrderStatus[] = ["new", "ready", "ready", "ready", "sent", "awaiting_payment", "review_required"];
const firstAt = Date.UTC(2026, 0, 1);
const spacingMs = 20_000;

export function createdAtOf(n: number): string {
  return new Date(firstAt + n * spacingMs).toISOString();
}

/**
 * The n-th order, deterministic except for its IDs. Every filtered value occurs evenly at a known rate, also among the first ten
 * thousand. None of the rare ones is archived.
 */
export function makeBenchOrder(n: number, pointers: Pointers, newId: () => string): Order {
  const every = (count: number): boolean => n % count === 7;
  const [first, last] = [pick(firstNames, n), lastNameOf(n)];
  const at = createdAtOf(n);
  const line = (sku: number, quantity: number, price: number) => {
    return { id: newId(), sku: `SKU-${sku}`, name: `Thing ${sku}`, quantity, price };
  };
  const locationId = every(400) ? pointers.rareLocationId : n % 2 === 0 ? pointers.locationId : undefined;
  const request: OrderRequest = {
    status: every(400) ? "draft" : pick(statuses, n),
    paymentStatus: n % 4 === 0 ? "pending" : "paid",
    priority: every(400) ? "urgent" : "normal",
    tags: [...(n % 20 === 0 ? ["vip"] : []), ...(every(400) ? ["rare"] : []), ...(every(1_000) ? ["rarer"] : [])],
    channel: every(400) ? "fair" : n % 2 === 0 ? "web" : "market",
    ...(n % 3 === 0 ? { bridgeId: pointers.bridgeId, externalId: `gid-${n * 7}` } : {}),
    customer: { name: `${first} ${last}`, email: `${first}.${last}${n}@mail.example`.toLowerCase() },
    shippingAddress: {
      name: `${first} ${last}`,
      address1: `${n % 999} Main Street`,
      city: pick(cities, n),
      provinceCode: "NY",
      zip: String(10_000 + (n % 80_000)),
      countryCode: "US",
      ...companyOf(n),
    },
    lines: [line(n % 5_000, 1 + (n % 3), 9.99), line(n % 700, 1, 24.5)],
    total: 44.48,
    shipping: every(400) ? { carrier: "courier", service: "night" } : { carrier: "ups", service: "ground" },
    ...(n % 20 === 0 || every(400) ? { customFields: every(400) ? { gift: true, batch: 7 } : { gift: true } } : {}),
    ...(locationId === undefined ? {} : { locationId }),
    ...(every(25) ? { assigneeId: pointers.assigneeId } : {}),
    shipBy: createdAtOf(n + 3 * (86_400_000 / spacingMs)),
    archived: n % 50 === 1,
  };
  const holds = every(200) ? [makeHold(newId(), at)] : [];
  return { ...newOrder(request, `B-${n}`, { now: at, actor: by, newId }), holds };
}

const by = { type: "system", name: "bench" } as const;

/** Rare names at 2, 1 and 0.5 percent. Each is also in the email address, so that it starts as many words as orders. */
function lastNameOf(n: number): string {
  return n % 50 === 13 ? "Zhou" : n % 100 === 29 ? "Yilmaz" : n % 200 === 41 ? "Xenakis" : pick(lastNames, n);
}

/** Words at known rates: 0.1, 0.25, 0.5, 1, 2 and 5 percent, and one that only the first hundred thousand orders have. */
function companyOf(n: number): { company?: string } {
  const rates: [number, string][] = [
    [1_000, "Millet"],
    [400, "Quarry"],
    [200, "Halfmoon"],
    [100, "Century"],
    [50, "Fiftieth"],
    [20, "Twenties"],
  ];
  const words = rates.filter(([count]) => n % count === 7).map(([, word]) => word);
  if (n < 100_000 && n % 5 === 0) words.push("Bygone");
  return words.length === 0 ? {} : { company: words.join(" ") };
}

function makeHold(id: string, placedAt: string): Order["holds"][number] {
  return { id, handle: "operator", reason: "operator", note: null, until: null, source: "system", by, placedAt };
}

function pick<T>(list: readonly T[], n: number): T {
  return list[n % list.length]!;
}
