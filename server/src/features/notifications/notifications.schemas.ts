import type { Static } from "typebox";
import { Count, DateTime, Id, Nullable, OneOf, pageQuery, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const notificationKinds = [
  "run_failed",
  "automation_paused",
  "exception_assigned",
  "mention",
  "connection_failing",
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

const Kind = OneOf(notificationKinds, {
  description:
    "run_failed: orders of your run failed; runs of API keys and automations go to administrators. automation_paused: the hub " +
    "paused an automation. exception_assigned: a colleague assigned an exception to you. mention: a comment names you. " +
    "connection_failing: a task of a bridge failed",
});

export const Notification = Type.Object({
  id: Id,
  kind: Kind,
  title: Type.String(),
  detail: Nullable(Type.String()),
  subject: Type.Object({ type: OneOf(["operation_run", "automation", "exception", "bridge"]), id: Id }),
  createdAt: DateTime,
  readAt: Nullable(DateTime),
});
export type Notification = Static<typeof Notification>;

export const NotificationQuery = pageQuery({
  unread: Type.Optional(Type.Boolean({ description: "Only unread ones, or only read ones" })),
});
export type NotificationQuery = Static<typeof NotificationQuery>;

export const UnreadCount = Type.Object({ unread: Count });

export const ReadRequest = Strict(
  { ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100, description: "Default: all" })) },
  { examples: [{}] },
);
export type ReadRequest = Static<typeof ReadRequest>;
export const ReadAnswer = Type.Object({ read: { ...Count, description: "Notifications that were unread before" } });

const Channels = Strict({
  console: Type.Boolean({ description: "Shown in the console" }),
  email: Type.Boolean({ description: "Sent by e-mail, at most one e-mail in ten minutes" }),
});
export type Channels = Static<typeof Channels>;

const ofEachKind = Object.fromEntries(notificationKinds.map((kind) => [kind, Channels])) as Record<
  NotificationKind,
  typeof Channels
>;

export const SettingsRequest = Strict(
  { kinds: Strict(ofEachKind) },
  {
    examples: [{ kinds: Object.fromEntries(notificationKinds.map((kind) => [kind, { console: true, email: false }])) }],
  },
);
export type SettingsRequest = Static<typeof SettingsRequest>;

export const NotificationSettings = Type.Object({
  kinds: Type.Object(ofEachKind),
  canEmail: Type.Boolean({ description: "The hub has a mail server; without one no e-mail is sent" }),
});
export type NotificationSettings = Static<typeof NotificationSettings>;
