import { compileCondition } from "../core/conditions.ts";
import { toGrams } from "../core/weight.ts";
import { defaultWorkingDays } from "../core/working-days.ts";
import type { Order } from "../features/orders/order.ts";
import type { ActionEnv, BridgeDirectory } from "../features/operations/action.ts";
import type { CarrierDirectory } from "../features/operations/carrier-directory.ts";
import type { StockDirectory } from "../features/operations/stock-directory.ts";
import { actionsByType } from "../features/operations/action-catalog.ts";
import type { Evaluation } from "../features/operations/evaluate.ts";
import { allSteps, evaluate } from "../features/operations/evaluate.ts";
import type { OrderFacts } from "../features/operations/order-conditions.ts";

export const now = "2026-03-02T09:00:00.000Z";

/** For tests: an environment with a fixed time and sequential IDs. */
export function anEnv(overrides: Partial<ActionEnv> = {}): ActionEnv {
  let ids = 0;
  return {
    now,
    actor: { type: "user", id: "0199f0a0-0000-7000-8000-00000000d002", email: "ada@example.com" },
    newId: () => `0199f0a0-0000-7000-9000-${String(++ids).padStart(12, "0")}`,
    mayOverride: false,
    bridges: demoBridges,
    users: { emailOf: (id) => (id === bridgeId ? undefined : `${id}@example.com`) },
    carriers: demoCarriers,
    stock: demoStock,
    sets: (name) => (name === "backordered" ? (sku) => sku === "B" : undefined),
    timeZone: "UTC",
    calendar: {
      timezone: "UTC",
      workingDays: defaultWorkingDays,
      holidays: new Set(["2026-03-04"]),
      cutoffTime: "12:00",
    },
    ...overrides,
  };
}

const bridgeId = "0199f0a0-0000-7000-8000-00000000b001";
export const accountIds = {
  demo: "0199f0a0-0000-7000-8000-00000000f001",
  card: "0199f0a0-0000-7000-8000-00000000f002",
  trial: "0199f0a0-0000-7000-8000-00000000f003",
};

/** For tests: one bridge that has every task except `missing.task` and serves one location. */
const demoBridges: BridgeDirectory = {
  problem: (id, taskName) =>
    id === bridgeId && taskName !== "missing.task" ? undefined : { refused: "unknown_task", message: "No such task." },
  ofLocation: (id) => (id === null ? undefined : bridgeId),
  having: (taskName) => (taskName === "missing.task" ? [] : [bridgeId]),
  ofSent: () => undefined,
  readSent: () => Promise.resolve(),
};

const can = {
  givesPrices: true,
  sellsLabels: true,
  takesLabelsBack: true,
  isRatedLocally: true,
  comparisonOnly: false,
};
const priceOf = (service: string, dollars: number, transitDays: number | null) => ({
  service,
  serviceName: service.toLowerCase(),
  totalCents: dollars * 100,
  currency: "USD",
  transitDays,
  quote: { cents: dollars * 100, currency: "USD", transitDays, deliverBy: null, expiresAt: null, carrierData: null },
});

/**
 * For tests: two accounts with three services each, priced by weight only; the second sells no labels. A third one serves comparisons
 * only and has a price of zero. There are no labels yet, and all locations are in Newark.
 */
const demoCarriers: CarrierDirectory = {
  offers: [
    { ...can, id: accountIds.demo, name: "Demo", carrier: "demo", carrierName: "demo", isActive: true },
    {
      ...can,
      id: accountIds.card,
      name: "Contract",
      carrier: "rate-card",
      carrierName: "Contract",
      isActive: true,
      sellsLabels: false,
    },
    {
      ...can,
      id: accountIds.trial,
      name: "Trial",
      carrier: "demo",
      carrierName: "demo",
      isActive: true,
      comparisonOnly: true,
    },
  ],
  addressOf: (id) => (id === null ? undefined : newark),
  labelsOf: () => [],
  // The demo account finds every address in order; the other one delivers nowhere.
  checkOf: (accountId) =>
    accountId === accountIds.demo
      ? { verdict: "valid", address: null, residential: true, messages: [] }
      : { verdict: "invalid", address: null, residential: null, messages: ["The address does not exist."] },
  answerOf: () => ({ answer: {} }),
  pricesOf(accountId, { parcels }) {
    const kilos = Math.ceil(parcels.reduce((sum, { weight }) => sum + toGrams(weight), 0) / 1000);
    if (kilos > 30) return { prices: [], unavailable: [{ service: "", code: "too_heavy", message: "Too heavy." }] };
    if (accountId === accountIds.trial)
      return { prices: [priceOf("GROUND", 0, 4), priceOf("EXPRESS", 3, 1)], unavailable: [] };
    const [slow, fast] = accountId === accountIds.demo ? [5 + kilos, 30] : [6 + kilos, 20 + kilos];
    return {
      prices: [priceOf("GROUND", slow, 4), priceOf("EXPRESS", fast, 1), priceOf("ODD", 4, null)],
      unavailable: [],
    };
  },
};
const newark = {
  company: "Byron Mugs",
  address1: "1 Port Street",
  city: "Newark",
  provinceCode: "NJ",
  zip: "07114",
  countryCode: "US",
};

export const stockedAt = {
  main: "0199f0a0-0000-7000-8000-00000000ca01",
  south: "0199f0a0-0000-7000-8000-00000000ca02",
};

/** For tests: one location has ten of A and one of B, the other ten of B. */
const demoStock: StockDirectory = {
  locations: [
    { id: stockedAt.main, name: "Main", address: newark },
    { id: stockedAt.south, name: "South", address: { zip: "33101", countryCode: "US" } },
  ],
  levelOf: (locationId, sku) => ({
    locationId,
    sku,
    available: unitsAt(locationId, sku),
    committed: 0,
    bridgeId: null,
    countedAt: now,
    updatedAt: now,
  }),
  freeOf: unitsAt,
  reservedFor: () => [],
};

function unitsAt(locationId: string, sku: string): number {
  const units = locationId === stockedAt.main ? { A: 10, B: 1 } : { B: 10 };
  return (units as Record<string, number>)[sku] ?? 0;
}

/** For tests: runs one action on these orders as a pipeline. The orders are frozen, so that an action cannot mutate them. */
export function evaluateOne(orders: Order[], type: string, params: object, env: ActionEnv = anEnv()): Evaluation[] {
  const action = actionsByType.get(type)!;
  const condition = action.conditionParam && (params as Record<string, unknown>)[action.conditionParam];
  const compiled = condition === undefined ? undefined : compileCondition(condition, () => undefined, "");
  const holds =
    typeof compiled === "function" ? (order: Order, { now }: OrderFacts) => compiled(order, new Date(now)) : undefined;
  const step = {
    index: 0,
    action,
    params: deepFreeze(structuredClone(params)),
    when: undefined,
    holds,
    onError: "skip_order",
  } as const;
  const todo = orders.map(() => allSteps);
  return evaluate(deepFreeze(structuredClone(orders)), { ...env, steps: [step], isAtomic: false }, env, todo, {
    isAborted: false,
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
