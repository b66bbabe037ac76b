import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./locations.schemas.ts";
import * as locations from "./locations.ts";

const ids = { id: "location" } as const;

export const locationRoutes = [
  defineRoute("GET /locations", {
    name: "locations.list",
    scope: "locations:read",
    summary: "List locations",
    query: shapes.LocationQuery,
    answer: [200, PageOf(shapes.Location)],
    handle: (ctx, { query }) => locations.listLocations(ctx, query),
  }),
  defineRoute("POST /locations", {
    name: "locations.create",
    scope: "locations:write",
    summary: "Create a location",
    description: "The first location becomes the default.",
    body: shapes.LocationRequest,
    answer: [201, shapes.Location],
    failures: [409],
    handle: (ctx, { body }) => locations.createLocation(ctx, body),
  }),
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
  defineRoute("GET /locations/:id", {
    name: "locations.get",
    scope: "locations:read",
    summary: "Get a location",
    ids,
    answer: [200, shapes.Location],
    handle: (ctx, { params }) => locations.getLocation(ctx, params.id),
  }),
  defineRoute("PATCH /locations/:id", {
    name: "locations.update",
    scope: "locations:write",
    summary: "Update a location",
    description: "Making a location the default unsets the previous default.",
    ids,
    body: shapes.LocationPatch,
    answer: [200, shapes.Location],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => locations.updateLocation(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /locations/:id", {
    name: "locations.delete",
    scope: "locations:write",
    summary: "Delete an unused location",
    ids,
    answer: [200, Deleted],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => locations.deleteLocation(ctx, params.id, ifMatch),
  }),
];
