import { randomUUID } from "node:crypto";
import type { World } from "../context.ts";
import { comparisonWork } from "../features/rate-comparisons/rate-comparisons.ts";
import { workOff } from "../queue/work.ts";
import type { Answer } from "./test-client.ts";
import type { TestHub, TestOrg } from "./test-hub.ts";

/** Zone 2: 10 for up to one pound, 12 for five, 15 for ten; zone 8: 20, 24, 30; 10 % fuel. */
export const contract = {
  name: "Contract",
  effectiveFrom: "2020-01-01",
  zoneScheme: "ups",
  services: [
    {
      code: "GROUND",
      level: "ground",
      weightBreaks: [{ upTo: 1 }, { upTo: 5 }, { upTo: 10 }],
      rates: { "2": [10, 12, 15], "8": [20, 24, 30] },
      dim: { divisor: 139 },
    },
    { code: "FLAT", level: "two_day", weightBreaks: [{ upTo: null }], rates: { "2": [25], "8": [40] } },
  ],
  fuel: { percent: 10, appliesTo: "base_net" },
};

const near = { originZip: "07114", destinationZip: "10001", destinationState: "NY", originState: "NJ" };
export const far = { originZip: "07114", destinationZip: "90210", destinationState: "CA", originState: "NJ" };
export const lb = (value: number) => ({ value, unit: "lb" });

let count = 0;

/** Three pounds to a near zone for 15.00. */
export function anItem(more: object = {}): object {
  return { trackingNumber: `1Z${++count}`, netCost: 15, serviceType: "UPS Ground", ...near, weight: lb(3), ...more };
}

type ComparisonFixture = {
  carrierAccountId: string;
  anAccount(card?: object): Promise<string>;
  /** Creates a draft and returns its path. */
  aComparison(items: object[], more?: object): Promise<string>;
  /** Creates and processes a comparison and returns its path. */
  processed(items: object[], more?: object, options?: object): Promise<string>;
  itemsOf(path: string, query?: string): Promise<Answer["body"]>;
};

/** Helpers for tests of rate comparisons, on a carrier account with the contract. */
export async function comparisonFixture(hub: TestHub, org: TestOrg): Promise<ComparisonFixture> {
  async function anAccount(card: object = contract): Promise<string> {
    const { body } = await org.post("/carrier-accounts", { name: `Account ${randomUUID()}`, carrier: "rate-card" });
    await org.post(`/carrier-accounts/${body.id}/rate-cards`, { card });
    return body.id;
  }
  const carrierAccountId = await anAccount();
  async function aComparison(items: object[], more: object = {}): Promise<string> {
    const request = { name: "Q1", carrierAccountId, sourceCarrier: "UPS", items, ...more };
    const { status, body, text } = await org.post("/rate-comparisons", request);
    if (status !== 201) throw new Error(text);
    return `/rate-comparisons/${body.id}`;
  }
  return {
    carrierAccountId,
    anAccount,
    aComparison,
    async processed(items, more, options) {
      const path = await aComparison(items, more);
      const { status, text } = await org.post(`${path}/process`, options);
      if (status !== 200) throw new Error(text);
      await workOff(hub.world, comparisonWork);
      return path;
    },
    async itemsOf(path, query = "") {
      return (await org.get(`${path}/items${query}`)).body.data;
    },
  };
}

/** Processes all comparisons, including deferred ones. */
export async function workThrough(world: World): Promise<void> {
  const isOpen = async (): Promise<boolean> =>
    (await world.db.query("update rate_comparisons set due_at = now() where due_at is not null returning 1")).length >
    0;
  for (let round = 0; round < 50 && (await isOpen()); round++) await workOff(world, comparisonWork);
}

/** Processes as a worker whose time slice ends immediately. */
export async function rateOneChunk(world: World, id: string): Promise<void> {
  const { leases, run } = comparisonWork;
  const owner = randomUUID();
  const row = await leases.claimOneAcrossOrgs(world.db, id, owner);
  const signal = AbortSignal.abort();
  const slice = { owner, signal, isFresh: () => true, releaseSlot() {}, shouldYield: () => true };
  if (!row || (await run(world, row, slice)) === "done") return;
  await leases.releaseAcrossOrgs(world.db, owner, id, { now: world.clock.now(), delayMs: 0, attempts: 0 });
}
