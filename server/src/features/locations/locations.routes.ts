import { crudRoutes } from "../../crud-routes.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./locations.schemas.ts";
import * as locations from "./locations.ts";

export const locationRoutes = crudRoutes("/locations", {
  name: "locations",
  kind: "location",
  nouns: ["a location", "locations"],
  read: "locations:read",
  write: "locations:write",
  record: shapes.Location,
  list: { query: shapes.LocationQuery, handle: locations.listLocations },
  create: {
    description: "The first location becomes the default.",
    body: shapes.LocationRequest,
    failures: [409],
    handle: locations.createLocation,
  },
  more: [
    defineRoute("POST /locations/sync/:bridgeId", {
      name: "locations.sync",
      scope: "locations:write",
      summary: "Sync locations from a bridge",
      description: "Reports every change. Fields edited locally keep their values.",
      ids: { bridgeId: "bridge" },
      query: shapes.SyncQuery,
      answer: [200, shapes.LocationSync],
      failures: [409, 502, 504],
      handle: (ctx, { params, query }) => locations.syncLocations(ctx, params.bridgeId, query.dry_run),
    }),
  ],
  get: { handle: locations.getLocation },
  update: {
    description: "Making a location the default unsets the previous default.",
    body: shapes.LocationPatch,
    handle: locations.updateLocation,
  },
  delete: { summary: "Delete an unused location", failures: [409, 412], handle: locations.deleteLocation },
});
