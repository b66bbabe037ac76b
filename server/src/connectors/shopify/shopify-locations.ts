import type { CanonicalLocation } from "../canonical.ts";
import type { Call, Page } from "../connector.ts";
import { createFollowed } from "../followed.ts";
import { addressOf, line, listOf, objectOf } from "../shape.ts";
import { pullTask } from "../standard-tasks.ts";
import { Strict } from "../../core/schema.ts";
import { idOf, nextAfter, query } from "./shopify-graphql.ts";

const locationsQuery = `query HubLocations($after: String) {
  locations(first: 50, after: $after, includeInactive: true, includeLegacy: true) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id name isActive shipsInventory fulfillsOnlineOrders
      fulfillmentService { serviceName }
      address { address1 address2 city province provinceCode zip country countryCode phone }
    }
  }
}`;

async function* pullLocations(call: Call, cursor: unknown): AsyncGenerator<Page> {
  let after = (objectOf(cursor) as { after?: string }).after;
  const followed = createFollowed(after);
  for (;;) {
    const data = await query(call, locationsQuery, { after: after ?? null });
    const { pageInfo, nodes } = objectOf(data.locations);
    const records = listOf(nodes).map((raw) => {
      const isThirdParty = typeof objectOf(raw.fulfillmentService).serviceName === "string";
      const canonical: CanonicalLocation = {
        name: line(raw.name, 100) ?? `Location ${idOf(raw.id)}`,
        type: isThirdParty ? "third_party" : raw.shipsInventory === false ? "store" : "warehouse",
        address: addressOf(objectOf(raw.address)) ?? {},
        is_active: raw.isActive !== false,
      };
      return { externalId: idOf(raw.id), raw, canonical };
    });
    after = nextAfter(objectOf(pageInfo), followed);
    yield { records, cursor: after === undefined ? {} : { after } };
    if (after === undefined) return;
  }
}

export const locationsPull = pullTask("locations.pull", {
  description: "Reads all locations, also those that are not active any more.",
  input: Strict({}),
  isIncremental: false,
  pull: pullLocations,
});
