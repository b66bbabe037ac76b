import type { PullTask } from "../../../connectors/connector.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { applyPulledLocations } from "../../locations/locations.ts";
import { upsertPulledOrders } from "../../orders/orders.ts";
import { finishPulledLevels, storePulledLevels } from "../../stock/stock.ts";
import { enqueueExecutions } from "../enqueue-executions.ts";
import { listSentTo } from "./effects.store.ts";
import type { PulledItem, Stored } from "./pulled-records.ts";
import { storeTracking } from "./tracking-sink.ts";

/** Stores all records, including those that could not be mapped. `guard` throws when the attempt was superseded. */
type StoreWhole = (
  ctx: Ctx,
  bridgeId: string,
  items: PulledItem[],
  options: { guard: (tx: Tx) => Promise<void> },
) => Promise<Record<string, unknown>>;

/** A pull that has read its last page. `isComplete`: it read all records of its type, not only those that changed. */
type FinishedPull = {
  bridgeId: string;
  startedAt: Date;
  isComplete: boolean;
  counts: Record<string, number>;
};

type StorePages = {
  kind: "pages";
  /** `executionId` is null for records that a user has corrected. */
  store(tx: Tx, ctx: Ctx, bridgeId: string, items: PulledItem[], executionId: string | null): Promise<Stored>;
  /** Runs after the last page of a pull and returns further counts. */
  finish?(tx: Tx, ctx: Ctx, pull: FinishedPull): Promise<Record<string, number>>;
};

/** Where pulled records go: stored page by page, or all at once after the last page. */
export type Sink = StorePages | { kind: "whole"; store: StoreWhole };

export const sinks: Record<PullTask["recordType"], Sink> = {
  orders: { kind: "pages", store: storeOrders },
  locations: { kind: "whole", store: applyPulledLocations },
  tracking: { kind: "pages", store: storeTracking },
  inventory: {
    kind: "pages",
    store: (tx, ctx, bridgeId, items, executionId) => storePulledLevels(tx, ctx, { bridgeId, executionId }, items),
    finish: finishPulledLevels,
  },
};

/** Recalls orders that their source cancelled from the fulfillment partner, in the transaction that stores the cancellation. */
async function storeOrders(tx: Tx, ctx: Ctx, bridgeId: string, items: PulledItem[]): Promise<Stored> {
  const findSentTo = (orderIds: string[]) => listSentTo(tx, ctx.orgId, orderIds);
  const { recalls, ...stored } = await upsertPulledOrders(tx, ctx, bridgeId, items, findSentTo);
  const requests = recalls.map((recall) => ({
    ...recall,
    trigger: "system" as const,
    followUp: "fulfillment_recall" as const,
  }));
  await enqueueExecutions(tx, ctx, requests);
  return stored;
}
