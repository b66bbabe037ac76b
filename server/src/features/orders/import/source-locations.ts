import type { Queryable } from "../../../db/database.ts";
import { findLocationsByExternalIds } from "../../locations/locations.ts";
import type { PulledOrder } from "./pulled-order.ts";

/**
 * Replaces the ID that a location has at the source by its ID in the hub, with one query for all orders. A location that was not
 * imported from this bridge is left out: the order is imported without one.
 */
export async function withLocationIds(
  db: Queryable,
  orgId: string,
  bridgeId: string,
  items: PulledOrder[],
): Promise<PulledOrder[]> {
  const given = items.flatMap(({ body }) =>
    typeof body.locationExternalId === "string" ? [body.locationExternalId] : [],
  );
  const locations = await findLocationsByExternalIds(db, orgId, bridgeId, [...new Set(given)]);
  return items.map((item) => {
    const { locationExternalId, ...body } = item.body;
    // Anything else than a text is rejected with its order.
    if (typeof locationExternalId !== "string") return item;
    const locationId = body.locationId ?? locations.get(locationExternalId);
    return { ...item, body: locationId === undefined ? body : { ...body, locationId } };
  });
}
