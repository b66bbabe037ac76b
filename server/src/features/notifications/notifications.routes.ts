import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./notifications.schemas.ts";
import * as notifications from "./notifications.ts";

export const notificationRoutes = [
  defineRoute("GET /notifications", {
    name: "notifications.list",
    scope: "any",
    summary: "List your notifications",
    description: "Kept for 60 days.",
    query: shapes.NotificationQuery,
    answer: [200, PageOf(shapes.Notification)],
    failures: [409],
    handle: (ctx, { query }) => notifications.listNotifications(ctx, query),
  }),
  defineRoute("GET /notifications/count", {
    name: "notifications.count",
    scope: "any",
    summary: "Count your unread notifications",
    answer: [200, shapes.UnreadCount],
    failures: [409],
    handle: (ctx) => notifications.countUnread(ctx),
  }),
  defineRoute("POST /notifications/mark-read", {
    name: "notifications.markRead",
    scope: "any",
    summary: "Mark notifications as read",
    body: shapes.ReadRequest,
    bodyIsOptional: true,
    answer: [200, shapes.ReadAnswer],
    failures: [409],
    handle: (ctx, { body }) => notifications.markRead(ctx, body),
  }),
  defineRoute("GET /notifications/settings", {
    name: "notifications.settings.get",
    scope: "any",
    summary: "Get your notification settings",
    answer: [200, shapes.NotificationSettings],
    failures: [409],
    handle: (ctx) => notifications.getSettings(ctx),
  }),
  defineRoute("PUT /notifications/settings", {
    name: "notifications.settings.replace",
    scope: "any",
    summary: "Replace your notification settings",
    body: shapes.SettingsRequest,
    answer: [200, shapes.NotificationSettings],
    failures: [409],
    handle: (ctx, { body }) => notifications.replaceSettings(ctx, body),
  }),
];
