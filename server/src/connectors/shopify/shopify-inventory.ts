import type { CanonicalInventory } from "../canonical.ts";
import type { Call, Page, PulledRecord } from "../connector.ts";
import { createFollowed } from "../followed.ts";
import type { Json } from "../shape.ts";
import { line, listOf, numberOf, objectOf } from "../shape.ts";
import { pullTask } from "../standard-tasks.ts";
import { Strict } from "../../core/schema.ts";
import { allNodes, idOf, nextAfter, query } from "./shopify-graphql.ts";

/** Items per request times levels per item stays below the cost that Shopify allows for one query. */
const levelFields = `pageInfo { hasNextPage endCursor }
        nodes { location { id } quantities(names: ["available", "committed"]) { name quantity } }`;
const itemsQuery = `query HubInventory($after: String) {
  inventoryItems(first: 20, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id sku tracked
      inventoryLevels(first: 10) {
        ${levelFields}
      }
    }
  }
}`;
const levelsQuery = `query HubInventoryLevels($id: ID!, $after: String) {
  inventoryItem(id: $id) {
    inventoryLevels(first: 50, after: $after) {
      ${levelFields}
    }
  }
}`;

async function* pullInventory(call: Call, cursor: unknown): AsyncGenerator<Page> {
  let after = (objectOf(cursor) as { after?: string }).after;
  const followed = createFollowed(after);
  let nameless = 0;
  for (;;) {
    const data = await query(call, itemsQuery, { after: after ?? null });
    const { pageInfo, nodes } = objectOf(data.inventoryItems);
    const records: PulledRecord[] = [];
    for (const item of listOf(nodes)) {
      // Shopify sells an item that is not tracked without counting it.
      if (item.tracked === false) continue;
      const sku = line(item.sku, 100);
      if (sku === undefined) nameless++;
      else records.push(...(await readLevels(call, item)).map((level) => toRecord(item, sku, level)));
    }
    after = nextAfter(objectOf(pageInfo), followed);
    yield { records, cursor: after === undefined ? {} : { after } };
    if (after === undefined) break;
  }
  if (nameless > 0) call.log("warn", `${nameless} inventory items have no SKU and were not read.`);
}

async function readLevels(call: Call, { id, inventoryLevels }: Json): Promise<Json[]> {
  return await allNodes(inventoryLevels, async (after) => {
    const data = await query(call, levelsQuery, { id, after });
    return objectOf(data.inventoryItem).inventoryLevels;
  });
}

function toRecord({ id }: Json, sku: string, level: Json): PulledRecord {
  const quantities = listOf(level.quantities);
  const unitsOf = (name: string): number => numberOf(quantities.find((one) => one.name === name)?.quantity ?? 0);
  const locationExternalId = idOf(objectOf(level.location).id);
  const [available, committed] = [unitsOf("available"), Math.max(0, unitsOf("committed"))];
  const canonical: CanonicalInventory = { sku, locationExternalId, available, committed };
  const raw = { sku, inventoryItemId: idOf(id), locationId: locationExternalId, available, committed };
  return { externalId: `${raw.inventoryItemId}/${locationExternalId}`, raw, canonical };
}

export const inventoryPull = pullTask("inventory.pull", {
  description:
    "Reads the stock of all tracked products at each location. The app needs the scope read_inventory, and the locations must be imported.",
  input: Strict({}),
  isIncremental: false,
  pull: pullInventory,
});
