import type { ConnectorTask } from "../../../connectors/connector.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import type { OpenBridge } from "../../bridges/bridge-tasks.ts";
import { findTask, findUnusable, tryOpenBridge } from "../../bridges/bridge-tasks.ts";
import { findBridgesAcrossOrgs } from "../../bridges/bridges.ts";
import { listLocationBridges } from "../../locations/locations.ts";
import type { Order } from "../order.ts";

/** A fulfillment partner that can be asked to return an order. */
export type Partner = { bridge: OpenBridge; task: ConnectorTask };

/** The bridge that each order was sent to, by order ID, from the effects of push tasks. */
export type FindSentTo = (orderIds: string[]) => Promise<ReadonlyMap<string, string>>;

/**
 * The fulfillment partners of these orders, by order ID: the bridge it was sent to, or else that of its location. Partners that
 * cannot be asked now are skipped.
 */
export async function findRecallPartners(
  tx: Tx,
  ctx: Ctx,
  orders: Order[],
  findSentTo: FindSentTo,
): Promise<Map<string, Partner>> {
  if (orders.length === 0) return new Map();
  const byLocation = await listLocationBridges(tx, ctx.orgId);
  const orderIds = orders.map(({ id }) => id);
  const sentTo = await findSentTo(orderIds);
  const bridgeOf = ({ id, locationId }: Order): string | undefined =>
    sentTo.get(id) ?? byLocation.get(locationId ?? "");
  const ids = [...new Set(orders.flatMap((order) => bridgeOf(order) ?? []))];
  const rows = ids.length === 0 ? [] : await findBridgesAcrossOrgs(tx, ids);
  const partners = new Map<string, Partner>();
  for (const row of rows) {
    const bridge = tryOpenBridge(ctx, row);
    const task = bridge && !findUnusable(ctx, bridge) ? findTask(bridge, "orders.recall") : undefined;
    if (bridge && task?.mode === "push") partners.set(row.id, { bridge, task });
  }
  const entries = orders.flatMap((order): [string, Partner][] => {
    const partner = partners.get(bridgeOf(order) ?? "");
    return partner ? [[order.id, partner]] : [];
  });
  return new Map(entries);
}
