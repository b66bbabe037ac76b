import type { Notification } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { queryOptions } from "@tanstack/react-query";
import { afterMainQuery } from "../../live/after-main-query.ts";
import { hub } from "../../live/hub.ts";

export type { Notification };
export type NotificationSettings = Answer<"GET /api/v1/notifications/settings">;
export type NotificationKind = keyof NotificationSettings["kinds"];

/** Polled: a stream for each tab would take one of the six connections that a browser has to the hub. */
export const unreadQuery = queryOptions({
  queryKey: ["notifications", "unread"],
  ...afterMainQuery((signal) => hub.call("GET /api/v1/notifications/count", { signal })),
  refetchInterval: 15_000,
});

export const notificationsQuery = queryOptions({
  queryKey: ["notifications", "list"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/notifications", { query: { limit: 20 }, signal }),
});

export const notificationSettingsQuery = queryOptions({
  queryKey: ["notifications", "settings"],
  queryFn: ({ signal }) => hub.call("GET /api/v1/notifications/settings", { signal }),
});
