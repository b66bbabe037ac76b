import type { Webhook, WebhookDelivery } from "@order-operations-hub/sdk/api-types";
import type { Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type WebhookFilter = NonNullable<Input<"GET /api/v1/webhooks">["query"]>;
export type DeliveryFilter = NonNullable<Input<"GET /api/v1/webhooks/{id}/deliveries">["query"]>;

export const webhooksQuery = (filter: WebhookFilter) =>
  queryOptions({
    queryKey: ["webhooks", "list", filter],
    queryFn: ({ signal }) => hub.call("GET /api/v1/webhooks", { query: { ...filter, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

export const readWebhook = (id: string): Promise<Webhook> => hub.call("GET /api/v1/webhooks/{id}", { path: { id } });

export const webhookQuery = (id: string) =>
  queryOptions({ queryKey: ["webhooks", "one", id], queryFn: () => readWebhook(id), refetchInterval: 5_000 });

export const deliveriesQuery = (id: string, filter: DeliveryFilter) =>
  queryOptions({
    queryKey: ["webhooks", "deliveries", id, filter],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/webhooks/{id}/deliveries", { path: { id }, query: { ...filter, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });

export const deliveryQuery = (id: string, deliveryId: string | undefined) =>
  queryOptions({
    queryKey: ["webhooks", "delivery", id, deliveryId],
    queryFn: ({ signal }): Promise<WebhookDelivery> =>
      hub.call("GET /api/v1/webhooks/{id}/deliveries/{deliveryId}", { path: { id, deliveryId: deliveryId! }, signal }),
    enabled: deliveryId !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2_000 : false),
  });

export type EventKind = { type: string; summary: string; objectType: string };

/** Event types by family. */
export const eventTypesQuery = queryOptions({
  queryKey: ["events", "types"],
  queryFn: async ({ signal }): Promise<EventKind[]> =>
    (await hub.call("GET /api/v1/events/types", { signal })).data.map(({ type, summary, objectType }) => ({
      type,
      summary,
      objectType,
    })),
  staleTime: 300_000,
});
