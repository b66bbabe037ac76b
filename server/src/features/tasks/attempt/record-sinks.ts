import type { PullTask } from "../../../connectors/connector.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { applyPulledLocations } from "../../locations/locations.ts";
import { upsertPulledOrders } from "../../orders/orders.ts";
import { enqueueExecutions } from "../enqueue-executions.ts";
import { listSentTo } from "./effects.store.ts";
import type { PulledItem, Stored } from "./pulled-item.ts";
import { storeTracking } from "./tracking-sink.ts";

/**
 * Where pulled records go: page by page, all at once when the last one is there, or only into the result. What is stored
 * at once is stored with those that could not be read, and only if `guard` lets it.
 */
type StoreWhole = (
  ctx: Ctx,
  bridgeId: string,
  items: PulledItem[],
  options: { guard: (tx: Tx) => Promise<void> },
) => Promise<Record<string, unknown>>;

export type Sink =
  | { kind: "pages"; store(tx: Tx, ctx: Ctx, bridgeId: string, items: PulledItem[]): Promise<Stored> }
  | { kind: "whole"; store: StoreWhole }
  | { kind: "none" };

export const sinks: Record<PullTask["recordType"], Sink> = {
  orders: { kind: "pages", store: storeOrders },
  locations: { kind: "whole", store: applyPulledLocations },
  tracking: { kind: "pages", store: storeTracking },
  // The hub keeps no stock: what was counted is the result.
  inventory: { kind: "none" },
};

/** Orders that their source called off are asked back from whoever has them: exactly when that is written down here. */
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
