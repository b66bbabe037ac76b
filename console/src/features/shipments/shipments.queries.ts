import type { Shipment } from "@order-operations-hub/sdk/api-types";
import type { Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type ShipmentFilter = NonNullable<Input<"GET /api/v1/shipments">["query"]>;

export const shipmentsQuery = (filter: ShipmentFilter) =>
  queryOptions({
    queryKey: ["shipments", "list", filter],
    queryFn: ({ signal }) => hub.call("GET /api/v1/shipments", { query: { ...filter, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export const shipmentCountsQuery = queryOptions({
  queryKey: ["shipments", "counts"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/shipments/counts", { signal }),
  refetchInterval: 30_000,
});

export const readShipment = (id: string): Promise<Shipment> => hub.call("GET /api/v1/shipments/{id}", { path: { id } });

export const shipmentQuery = (id: string) =>
  queryOptions({ queryKey: ["shipments", "one", id], queryFn: () => readShipment(id) });
